import type { EpochMs } from "../model/time.ts";
import { createClock } from "./clock.ts";
import { createDayCache, isTimeOfDay, readIso, readUtc } from "./iso.ts";
import { many } from "./notes.ts";
import { parseOddTime } from "./odd-times.ts";

/** How a time was written. */
type TimeForm = "ISO 8601" | "epoch s" | "epoch ms" | "epoch us" | "epoch ns" | "date text" | "time of day";

/** Reads the times of one input, in file order: a column of times of day needs the one before. */
export interface TimeReader {
  /** NaN = not a time. Fractions of a millisecond are cut off. */
  readonly read: (value: unknown) => EpochMs;
  /** The forms met, most frequent first, e.g. `ISO 8601` or `epoch s, epoch ms`. Empty = none. */
  readonly unit: () => string;
  /** What was assumed, in words. */
  readonly assumed: () => string[];
}

/** Times outside 1970 to 2286 are typing errors or zero values, and would stretch every series over centuries. */
const LAST_MS: EpochMs = 1e13 - 1;

const LONGEST = 80;

export function createTimeReader(): TimeReader {
  const forms = new Map<TimeForm, number>();
  const days = createDayCache();
  const clock = createClock();
  const counts = { noZone: 0, leap: 0 };

  const note = (form: TimeForm, ms: number): EpochMs => {
    if (!(ms >= 0 && ms <= LAST_MS)) return Number.NaN;
    forms.set(form, (forms.get(form) ?? 0) + 1);
    return ms;
  };

  const readText = (text: string): EpochMs => {
    if (text.length > LONGEST) return Number.NaN;
    const fast = readUtc(text, days);
    if (fast === fast) return note("ISO 8601", fast);
    const trimmed = text.trim();
    if (NUMBER.test(trimmed) && !COMPACT.test(trimmed)) return note(...readEpoch(Number(trimmed), trimmed));
    const iso = readIso(trimmed, days);
    if (iso !== null) {
      const ms = note("ISO 8601", iso.ms);
      if (ms === ms && !iso.hasZone) counts.noZone++;
      if (ms === ms && iso.leap) counts.leap++;
      return ms;
    }
    if (isTimeOfDay(trimmed)) return note("time of day", clock.read(trimmed));
    const odd = parseOddTime(trimmed);
    if (odd === null) return Number.NaN;
    const ms = note("date text", odd.ms);
    if (ms === ms && !odd.hasZone) counts.noZone++;
    return ms;
  };

  return {
    read(value) {
      if (typeof value === "string") return readText(value);
      return typeof value === "number" ? note(...readEpoch(value)) : Number.NaN;
    },
    unit: () =>
      [...forms]
        .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
        .map(([form]) => form)
        .join(", "),
    assumed() {
      const notes: string[] = [];
      if (counts.noZone > 0) notes.push(`${many(counts.noZone, "time")} without a zone taken as UTC`);
      if (counts.leap > 0) notes.push(`${many(counts.leap, "leap second")} (:60) taken as the next second`);
      return [...notes, ...clock.assumed()];
    },
  };
}

const NUMBER = /^\d+(?:\.\d+)?(?:e\+?\d+)?$/i;

/** `20260701100030`: a date and time without separators, no epoch of any unit. */
const COMPACT = /^20\d{12}$/;

/**
 * Seconds, milliseconds, microseconds or nanoseconds since 1970, by size: each unit covers 1973 to 2286, and the gaps
 * between the units are no time at all.
 *
 * @param digits the number as the log wrote it, where it did so as text: exact beyond the 53 bits of a number
 */
function readEpoch(value: number, digits: string = ""): [TimeForm, EpochMs] {
  // A double holds 1.79e9 s to a quarter of a microsecond, and 1.79e18 ns to 256 ns: rounding to whole microseconds first
  // keeps 1790000000.123 from becoming .122 when it is cut to milliseconds.
  if (value >= 1e8 && value < 1e10) return ["epoch s", Math.floor(Math.round(value * 1e6) / 1e3)];
  if (value >= 1e11 && value < 1e13) return ["epoch ms", Math.floor(value)];
  if (value >= 1e14 && value < 1e16) return ["epoch us", Math.floor(value / 1e3)];
  if (value >= 1e17 && value < 1e19 && /^\d+$/.test(digits)) return ["epoch ns", Number(digits.slice(0, -6))];
  if (value >= 1e17 && value < 1e19) return ["epoch ns", Math.floor(Math.round(value / 1e3) / 1e3)];
  return ["epoch s", Number.NaN];
}
