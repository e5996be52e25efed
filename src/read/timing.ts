import type { DurationMs, EpochMs } from "../model/time.ts";
import type { Extract } from "./extract.ts";
import { type FieldReader, has, targetOf, valueOf } from "./fields.ts";
import type { Target } from "./names.ts";
import { many } from "./notes.ts";
import { type Bare, type Rejection, rejected, type Timing } from "./reading.ts";
import { isTimeOfDay } from "./iso.ts";
import { createTimeReader } from "./times.ts";
import { durationWithUnits, toDuration, toNumber } from "./values.ts";

export interface TimingReader {
  readonly read: (extract: Extract) => Timing | Rejection;
  readonly unit: () => string;
  readonly assumed: () => string[];
}

export function createTimingReader(fields: FieldReader): TimingReader {
  const starts = createTimeReader();
  const ends = createTimeReader();
  const counts = { fromEnd: 0, endOnly: 0, endBeforeStart: 0 };

  const endOf = (extract: Extract): EpochMs | null =>
    has(extract, "end") ? fields.told(extract, "end", (value) => numberOr(ends.read(value))) : null;

  const durationOf = (extract: Extract): DurationMs | null =>
    fields.told(extract, "duration_ms", (value, target) =>
      target.kind === "duration-s-or-ms" && !isBare(value) ? toDuration(value, 1) : durationBy(target)(value),
    );

  const fromStart = (
    extract: Extract,
    sentMs: EpochMs,
    bare: Bare | null,
    told: DurationMs | null,
  ): Timing => {
    if (bare !== null || told !== null) return { kind: "timing", sentMs, durationMs: told, bare };
    const end = endOf(extract);
    if (end !== null && end < sentMs) counts.endBeforeStart++;
    return {
      kind: "timing",
      sentMs,
      durationMs: end === null || end < sentMs ? null : end - sentMs,
      bare: null,
    };
  };

  return {
    read(extract) {
      const bare = bareOf(extract);
      const told = bare === null ? durationOf(extract) : null;
      if (has(extract, "ts")) {
        const sentMs = starts.read(withDate(extract));
        if (sentMs === sentMs) return fromStart(extract, sentMs, bare, told);
        return rejected("bad-time", fields.shown(extract, "ts"));
      }
      const end = endOf(extract);
      if (end === null)
        return has(extract, "end")
          ? rejected("bad-time", fields.shown(extract, "end"))
          : rejected("no-time", "no field holds a time");
      if (bare !== null) {
        counts.fromEnd++;
        return { kind: "timing", sentMs: end, durationMs: null, bare: { ...bare, fromEnd: true } };
      }
      if (told === null) counts.endOnly++;
      else counts.fromEnd++;
      return { kind: "timing", sentMs: end - (told ?? 0), durationMs: told, bare: null };
    },
    unit: () => starts.unit() || ends.unit(),
    assumed: () =>
      assumptions(counts, [
        ...starts.assumed(),
        ...ends.assumed().filter((note) => !starts.assumed().includes(note)),
      ]),
  };
}

function assumptions(
  counts: { readonly fromEnd: number; readonly endOnly: number; readonly endBeforeStart: number },
  times: readonly string[],
): string[] {
  const notes = [...times];
  if (counts.fromEnd > 0)
    notes.push(`${many(counts.fromEnd, "record")} with an end only: sent = end - duration`);
  if (counts.endOnly > 0)
    notes.push(`${many(counts.endOnly, "record")} with an end only and no duration: sent = end`);
  if (counts.endBeforeStart > 0)
    notes.push(`${many(counts.endBeforeStart, "record")} with an end before the start: duration not told`);
  return notes;
}

function numberOr(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** How a value of this target is read as a duration. A bare number of an unknown unit follows the rule for single values. */
export function durationBy(target: Target): (value: unknown) => DurationMs | undefined {
  if (target.kind === "duration-s") return (value) => toDuration(value, 1_000);
  if (target.kind !== "duration-s-or-ms") return (value) => toDuration(value, 1);
  return (value) => toDuration(value, toNumber(value) < 1_000 && hasFraction(value) ? 1_000 : 1);
}

function bareOf(extract: Extract): Bare | null {
  const value = valueOf(extract, "duration_ms");
  if (value === undefined || !isBare(value)) return null;
  if (targetOf(extract, "duration_ms")?.kind !== "duration-s-or-ms") return null;
  return { value: toNumber(value), fraction: hasFraction(value), fromEnd: false };
}

function isBare(value: unknown): boolean {
  return toNumber(value) >= 0 && Number.isNaN(durationWithUnits(value));
}

function hasFraction(value: unknown): boolean {
  return typeof value === "string" ? value.includes(".") : !Number.isInteger(value);
}

const DATE_ONLY = /^\d{4}[-/]\d{2}[-/]\d{2}$/;

export function isDateOnly(value: unknown): boolean {
  return typeof value === "string" && DATE_ONLY.test(value);
}

/** A time of day in one column and its date in another are one time. */
function withDate(extract: Extract): unknown {
  const value = valueOf(extract, "ts");
  if (extract.others.length === 0 || typeof value !== "string") return value;
  const mates = extract.others.filter(({ target }) => target.field === "ts").map((other) => other.value);
  const date = mates.find(isDateOnly);
  const clock = mates.find((mate) => typeof mate === "string" && isTimeOfDay(mate));
  if (isTimeOfDay(value) && typeof date === "string") return `${date}T${value}`;
  return isDateOnly(value) && typeof clock === "string" ? `${value}T${clock}` : value;
}
