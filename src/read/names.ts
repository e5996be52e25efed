import { type Field, type FieldMap, FIELDS, KIND_OF, type Kind, type Plan, type PlanField } from "./plan.ts";

/** One path of a plan, ready for comparing. */
export interface Target {
  readonly field: Field;
  /** Position of the field in `FIELDS`. */
  readonly slot: number;
  readonly kind: Kind;
  /** As the plan writes it. */
  readonly path: string;
  /** Position among the paths of its field: the lowest that a record carries is taken. */
  readonly rank: number;
  readonly weak: boolean;
  /** The canonical name or a mapped path: taken without asking whether others agree. */
  readonly sure: boolean;
}

/** Where a key leads: to a target, to further keys below it, or both. */
export interface Match {
  readonly target: Target | null;
  readonly below: NameTree | null;
  /** Set when the key is one flattened header, `response_headers.retry-after`. */
  readonly header: string | null;
}

export interface NameTree {
  /** null = the plan does not know this key. A key with dots is followed as a path. */
  readonly find: (key: string) => Match | null;
}

interface Branch {
  target: Target | null;
  readonly children: Map<string, Branch>;
}

/** Hostile logs invent keys without end; beyond this many a key is looked up anew each time. */
const CACHED_KEYS = 4_096;

const DURATION_KINDS: ReadonlySet<Kind> = new Set(["duration-ms", "duration-s", "duration-s-or-ms"]);

export function createNameTree(plan: Plan, map: FieldMap = {}): NameTree {
  const normal = plan.names === "loose" ? looseName : (name: string): string => name;
  const root: Branch = { target: null, children: new Map() };
  for (const target of targetsOf(plan, map)) {
    let branch = root;
    for (const part of normal(target.path).split(".")) {
      let child = branch.children.get(part);
      if (child === undefined) branch.children.set(part, (child = { target: null, children: new Map() }));
      branch = child;
    }
    branch.target ??= target;
  }
  return treeOver(root, normal);
}

function targetsOf(plan: Plan, map: FieldMap): Target[] {
  const targets: Target[] = [];
  const ranks = new Map<Field, number>();
  const add = (row: PlanField, path: string, mapped: boolean): void => {
    const rank = ranks.get(row.field) ?? 0;
    ranks.set(row.field, rank + 1);
    const sure = mapped || path === row.field;
    const { field, kind } = row;
    targets.push({ field, slot: FIELDS.indexOf(field), kind, path, rank, weak: row.weak === true, sure });
  };
  // Mapped paths first: where a path stands in the plan for another field too, the user's word counts.
  for (const field of FIELDS) {
    const path = map[field];
    if (path === undefined) continue;
    const row: PlanField = plan.fields.find((each) => each.field === field) ?? {
      field,
      kind: KIND_OF[field],
      paths: [],
    };
    add({ ...row, kind: kindOfMapped(plan, row, path) }, path, true);
  }
  for (const row of plan.fields) {
    if (map[row.field] === undefined) for (const path of row.paths) add(row, path, false);
  }
  return targets;
}

/** A mapped duration has the unit that its name tells; otherwise the column decides. */
function kindOfMapped(plan: Plan, row: PlanField, path: string): Kind {
  if (!DURATION_KINDS.has(row.kind)) return row.kind;
  const name = looseName(path);
  const known = plan.fields.find(
    (other) => DURATION_KINDS.has(other.kind) && other.paths.some((p) => looseName(p) === name),
  );
  if (known !== undefined) return known.kind;
  if (/(?:ms|millis|milliseconds)$/.test(name)) return "duration-ms";
  if (/(?:_s|_secs?|_seconds|[a-z]S|Secs?|Seconds)$/.test(path)) return "duration-s";
  return "duration-s-or-ms";
}

/** Names are equal if they differ in case, `_`, `-` and spaces only; dots stay. */
function looseName(name: string): string {
  return name.replace(/[_\- ]/g, "").toLowerCase();
}

function treeOver(branch: Branch, normal: (name: string) => string): NameTree {
  const cache = new Map<string, Match | null>();
  const belowOf = new Map<Branch, NameTree>();
  const matchOf = (found: Branch, header: string | null): Match => {
    let below = belowOf.get(found) ?? null;
    if (below === null && found.children.size > 0) belowOf.set(found, (below = treeOver(found, normal)));
    return { target: found.target, below, header };
  };
  const search = (key: string): Match | null => {
    const whole = branch.children.get(normal(key));
    if (whole !== undefined) return matchOf(whole, null);
    let at = branch;
    let rest = key;
    while (rest !== "") {
      const dot = rest.indexOf(".");
      const part = dot < 0 ? rest : rest.slice(0, dot);
      const child = at.children.get(normal(part));
      rest = dot < 0 ? "" : rest.slice(dot + 1);
      if (child === undefined) return null;
      at = child;
      if (rest !== "" && at.target?.kind === "headers") return matchOf(at, rest);
    }
    return matchOf(at, null);
  };
  return {
    find(key) {
      const known = cache.get(key);
      if (known !== undefined) return known;
      const found = search(key);
      if (cache.size < CACHED_KEYS) cache.set(key, found);
      return found;
    },
  };
}
