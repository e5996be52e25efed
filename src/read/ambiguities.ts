import type { Candidate, Extract } from "./extract.ts";
import type { Target } from "./names.ts";
import type { Field } from "./plan.ts";
import { isTimeOfDay } from "./iso.ts";
import { createTimeReader } from "./times.ts";
import { durationBy, isDateOnly } from "./timing.ts";
import { toDuration, toStatus, toText } from "./values.ts";

/** Two names that can both mean one field, and do not agree. */
export interface Ambiguity {
  readonly field: Field;
  /** The name that was taken. */
  readonly taken: string;
  readonly other: string;
  /** Records in which they differ. */
  readonly differing: number;
}

export interface Ambiguities {
  readonly check: (extract: Extract) => void;
  readonly found: () => readonly Ambiguity[];
}

/** Fields on which a diagnosis stands or falls. For the others the documented order of names decides. */
const ASKED: ReadonlySet<Field> = new Set(["ts", "end", "duration_ms", "agent", "status", "model"]);

export function createAmbiguities(): Ambiguities {
  const counts = new Map<Target, Map<Target, number>>();
  const times = createTimeReader();
  return {
    check(extract) {
      for (const other of extract.others) {
        const taken = extract.targets[other.target.slot] ?? null;
        if (taken === null || !isAsked(taken, other.target)) continue;
        const value = extract.values[other.target.slot];
        if (agree({ target: taken, value }, other, times.read)) continue;
        let row = counts.get(taken);
        if (row === undefined) counts.set(taken, (row = new Map<Target, number>()));
        row.set(other.target, (row.get(other.target) ?? 0) + 1);
      }
    },
    found: () =>
      [...counts].flatMap(([taken, row]) =>
        [...row].map(([other, differing]) => ({
          field: taken.field,
          taken: taken.path,
          other: other.path,
          differing,
        })),
      ),
  };
}

/** A canonical name or a mapped path needs no question, and a name of an agent's own outranks `component` or `node`. */
function isAsked(taken: Target, other: Target): boolean {
  return ASKED.has(taken.field) && !taken.sure && !other.sure && taken.weak === other.weak && taken !== other;
}

function agree(a: Candidate, b: Candidate, readTime: (value: unknown) => number): boolean {
  if (a.target.field === "ts" || a.target.field === "end") return sameTime(a.value, b.value, readTime);
  if (a.target.field === "duration_ms") return sameDuration(a, b);
  if (a.target.field === "status") return same(toStatus(a.value), toStatus(b.value));
  return same(toText(a.value), toText(b.value));
}

/** What cannot be read contradicts nothing. */
function same(a: unknown, b: unknown): boolean {
  return a === b || a === undefined || b === undefined;
}

/** A date alone or a time of day alone. */
function isPart(value: unknown): boolean {
  return isDateOnly(value) || (typeof value === "string" && isTimeOfDay(value));
}

function sameTime(a: unknown, b: unknown, readTime: (value: unknown) => number): boolean {
  if (isPart(a) || isPart(b)) return true;
  const [first, second] = [readTime(a), readTime(b)];
  return first === second || Number.isNaN(first) || Number.isNaN(second);
}

/** A bare duration agrees if one of its units does; 1 ms is rounding. */
function sameDuration(a: Candidate, b: Candidate): boolean {
  const [first, second] = [readings(a), readings(b)];
  if (first.length === 0 || second.length === 0) return true;
  return first.some((x) => second.some((y) => Math.abs(x - y) <= 1));
}

function readings({ target, value }: Candidate): number[] {
  const read =
    target.kind === "duration-s-or-ms"
      ? [toDuration(value, 1), toDuration(value, 1_000)]
      : [durationBy(target)(value)];
  return read.filter((ms) => ms !== undefined);
}
