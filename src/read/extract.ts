import { isJsonObject, type JsonObject } from "./format.ts";
import type { Match, NameTree, Target } from "./names.ts";
import { FIELDS } from "./plan.ts";

/** A value that a record carries for a field. */
export interface Candidate {
  readonly target: Target;
  readonly value: unknown;
}

/**
 * What a plan found in one record. One object is filled anew for each record, because a log has millions of them: read it
 * before the next.
 */
export interface Extract {
  /** By position in `FIELDS`: the value of the best path that the record carries, or undefined. */
  readonly values: readonly unknown[];
  readonly targets: readonly (Target | null)[];
  /** Values of lesser paths, for fields that several paths tell. Nearly always empty. */
  readonly others: readonly Candidate[];
  /** Headers that were flattened into keys of their own. */
  readonly headers: readonly (readonly [string, unknown])[];
  /** A name of a request's field stood there, even without a value. */
  readonly sign: boolean;
}

export interface Extractor {
  readonly fromObject: (record: JsonObject) => Extract;
  /** For CSV: the header row is looked up once. Empty cells are absent. */
  readonly forColumns: (names: readonly string[]) => (cells: readonly string[]) => Extract;
  /** The paths, other than canonical and mapped ones, under which values were found. */
  readonly used: () => ReadonlySet<Target>;
}

export function createExtractor(tree: NameTree): Extractor {
  const values: unknown[] = FIELDS.map(() => undefined);
  const targets: (Target | null)[] = FIELDS.map(() => null);
  const others: Candidate[] = [];
  const headers: [string, unknown][] = [];
  const used = new Set<Target>();
  const extract = { values, targets, others, headers, sign: false };

  const touched: number[] = [];
  const reset = (): void => {
    for (const slot of touched) {
      values[slot] = undefined;
      targets[slot] = null;
    }
    touched.length = 0;
    if (others.length > 0) others.length = 0;
    if (headers.length > 0) headers.length = 0;
    extract.sign = false;
  };

  const put = (target: Target, value: unknown): void => {
    const before = targets[target.slot] ?? null;
    if (before !== null && before.rank <= target.rank) {
      others.push({ target, value });
      return;
    }
    if (before === null) touched.push(target.slot);
    else others.push({ target: before, value: values[target.slot] });
    targets[target.slot] = target;
    values[target.slot] = value;
    if (!target.sure) used.add(target);
  };

  const take = ({ target, below, header }: Match, value: unknown): void => {
    if (target !== null && !target.weak) extract.sign = true;
    if (value === null || value === undefined || value === "") return;
    if (header !== null) headers.push([header, value]);
    else if (below !== null && target?.kind !== "error" && isJsonObject(value)) walk(below, value);
    else if (target !== null) put(target, value);
  };

  const walk = (names: NameTree, record: JsonObject): void => {
    for (const key in record) {
      const match = names.find(key);
      if (match !== null) take(match, record[key]);
    }
  };

  return {
    fromObject(record) {
      reset();
      walk(tree, record);
      return extract;
    },
    forColumns(names) {
      const matches = names.map((name) => tree.find(name.trim()));
      return (cells) => {
        reset();
        for (let i = 0; i < matches.length; i++) {
          const match = matches[i];
          if (match !== null && match !== undefined) take(match, cells[i]);
        }
        return extract;
      };
    },
    used: () => used,
  };
}
