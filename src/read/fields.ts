import { excerptOf } from "./excerpt.ts";
import type { Extract } from "./extract.ts";
import type { Target } from "./names.ts";
import { many } from "./notes.ts";
import { type Field, FIELDS } from "./plan.ts";
import { isNoValue, toText } from "./values.ts";

// Boundary: Object.fromEntries cannot say that FIELDS names every key.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const SLOT = Object.fromEntries(FIELDS.map((field, slot) => [field, slot])) as {
  readonly [F in Field]: number;
};

/** A conversion: undefined = an impossible value. */
type Convert<T> = (value: unknown, target: Target) => T | undefined;

export interface FieldReader {
  /**
   * The field's value, or null if the record does not tell it. An impossible value does not cost the record: the field
   * is not told, and the count of such values is part of `assumed`, so that none passes in silence.
   */
  readonly told: <T>(extract: Extract, field: Field, convert: Convert<T>) => T | null;
  /** The value for a problem's detail. */
  readonly shown: (extract: Extract, field: Field) => string;
  readonly assumed: () => string[];
}

export function createFieldReader(): FieldReader {
  const unreadable = new Map<Field, number>();
  return {
    told(extract, field, convert) {
      const slot = SLOT[field];
      const target = extract.targets[slot] ?? null;
      if (target === null) return null;
      const value = extract.values[slot];
      const result = convert(value, target) ?? fromOthers(extract, field, convert);
      if (result !== undefined) return result;
      if (target.kind === "text" || !isNoValue(value))
        unreadable.set(field, (unreadable.get(field) ?? 0) + 1);
      return null;
    },
    shown: (extract, field) => excerptOf(extract.values[SLOT[field]]),
    assumed: () =>
      [...unreadable]
        .map(([field, count]) => `${field}: ${many(count, "value")} unreadable, treated as not told`)
        .toSorted(),
  };
}

export function has(extract: Extract, field: Field): boolean {
  return extract.targets[SLOT[field]] !== null;
}

export function valueOf(extract: Extract, field: Field): unknown {
  return extract.values[SLOT[field]];
}

export function targetOf(extract: Extract, field: Field): Target | null {
  return extract.targets[SLOT[field]] ?? null;
}

/** Text, where an unreadable value needs no count. */
export function textOf(extract: Extract, field: Field): string | null {
  return toText(extract.values[SLOT[field]]) ?? null;
}

/** `status: "success"` beside `http_status: 200`: the best path that can be read counts. */
function fromOthers<T>(extract: Extract, field: Field, convert: Convert<T>): T | undefined {
  let best: Target | null = null;
  let result: T | undefined;
  for (const { target, value } of extract.others) {
    if (target.field !== field || (best !== null && best.rank < target.rank)) continue;
    const read = convert(value, target);
    if (read === undefined) continue;
    best = target;
    result = read;
  }
  return result;
}
