import type { EpochMs } from "../model/time.ts";
import { many } from "./notes.ts";
import { parseOddTime } from "./odd-times.ts";

/** How a time was written. */
export type TimeForm =
  | "ISO 8601"
  | "epoch s"
  | "epoch ms"
  | "epoch us"
  | "epoch ns"
  | "date text"
  | "time of day";

/** Reads the times of one input, in file order: a column of times of day needs the one before. */
export interface TimeReader {
  /** NaN = not a time. Fractions of a millisecond are cut off. */
  readonly read: (value: unknown) => EpochMs;
  /** The forms met, most frequent first, e.g. `ISO 8601` or `epoch s, epoch ms`. Empty = none. */
  readonly unit: () => string;
  /** What was assumed, in words. */
  readonly assumed: () => string[];
}

const DAY_MS = 86_400_000;

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

/** The start of a day, for days that come many times in a row. NaN = no such day. */
type DayCache = (year: number, month: number, day: number) => EpochMs;

function createDayCache(): DayCache {
  let cachedKey = -1;
  let cachedMs = Number.NaN;
  return (year, month, day) => {
    const key = year * 10_000 + month * 100 + day;
    if (key !== cachedKey) {
      cachedKey = key;
      cachedMs = startOfDay(year, month, day);
    }
    return cachedMs;
  };
}

function startOfDay(year: number, month: number, day: number): EpochMs {
  const leapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length =
    month === 2 ? (leapYear ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  if (month < 1 || month > 12 || day < 1 || day > length || year < 1970) return Number.NaN;
  return Date.UTC(year, month - 1, day);
}

/** The common form by character codes: `YYYY-MM-DDTHH:MM:SS`, any fraction, `Z`. NaN = some other form, or no time. */
function readUtc(text: string, days: DayCache): EpochMs {
  const last = text.length - 1;
  if (last < 19 || text.charCodeAt(last) !== 90 || text.charCodeAt(10) !== 84) return Number.NaN;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return Number.NaN;
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  // Not met by two(): NaN and :60, which the general form handles.
  if (!(hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  let millis = 0;
  if (last > 19) {
    if (text.charCodeAt(19) !== 46 || last < 21 || last > 29) return Number.NaN;
    for (let i = 20, unit = 100; i < last; i++, unit /= 10) {
      const digit = text.charCodeAt(i) - 48;
      if (!(digit >= 0 && digit <= 9)) return Number.NaN;
      if (unit >= 1) millis += digit * unit;
    }
  }
  const day = days(two(text, 0) * 100 + two(text, 2), two(text, 5), two(text, 8));
  return day + hour * 3_600_000 + minute * 60_000 + second * 1_000 + millis;
}

function two(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

const DATE = String.raw`(?<year>\d{4})([-/])(?<month>\d{2})\2(?<day>\d{2})`;
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?`;
// After a numeric offset Go and Java write the zone's name too: `+0000 UTC`, `+02:00[Europe/Berlin]`.
const ZONE = String.raw`(?:(?<utc>Z|UTC|GMT)|(?<sign>[+-])(?<zoneHour>\d{2})(?::?(?<zoneMinute>\d{2}))?(?: [A-Z]{3,5}|\[[\w/+-]+\])?)`;
const ISO = new RegExp(`^${DATE}(?:(?:T| +)${TIME}(?: ?${ZONE})?)?$`, "i");

interface IsoTime {
  readonly ms: EpochMs;
  readonly hasZone: boolean;
  readonly leap: boolean;
}

/**
 * ISO 8601 and its relatives: a space for the T, a comma before the fraction, an offset, no zone, a date alone. null =
 * some other form; `ms` NaN = this form with an impossible value (30 February, 24:00, an offset of 25 h).
 */
function readIso(text: string, days: DayCache): IsoTime | null {
  const groups = ISO.exec(text)?.groups;
  if (groups === undefined) return null;
  const day = days(Number(groups["year"]), Number(groups["month"]), Number(groups["day"]));
  const ofDay = msOfDay(groups);
  const hasZone = groups["utc"] !== undefined || groups["sign"] !== undefined;
  const zoneHour = Number(groups["zoneHour"] ?? 0);
  const zoneMinute = Number(groups["zoneMinute"] ?? 0);
  const offset = (zoneHour * 60 + zoneMinute) * 60_000 * (groups["sign"] === "-" ? -1 : 1);
  const possible = zoneHour < 24 && zoneMinute < 60;
  return { ms: possible ? day + ofDay - offset : Number.NaN, hasZone, leap: groups["second"] === "60" };
}

/** RFC 3339 hours end at 23; a leap second is the second after. */
function msOfDay(groups: { readonly [name: string]: string | undefined }): number {
  const hour = Number(groups["hour"] ?? 0);
  const minute = Number(groups["minute"] ?? 0);
  const second = Number(groups["second"] ?? 0);
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const millis = Number((groups["fraction"] ?? "").slice(0, 3).padEnd(3, "0"));
  return hour * 3_600_000 + minute * 60_000 + second * 1_000 + (second === 60 ? 0 : millis);
}

const TIME_OF_DAY = new RegExp(`^${TIME}$`);

export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

interface Clock {
  readonly read: (text: string) => EpochMs;
  readonly assumed: () => string[];
}

/**
 * Times of day without a date. The first day is 1970-01-01; a jump back by more than 12 hours has passed midnight. A line
 * that comes a little late, just after that midnight, still belongs to the day before.
 */
function createClock(): Clock {
  let day = 0;
  let last = Number.NaN;
  let count = 0;
  return {
    read(text) {
      const ms = msOfDay(TIME_OF_DAY.exec(text)?.groups ?? {});
      if (ms !== ms) return ms;
      count++;
      if (ms - last > DAY_MS / 2 && day > 0) return (day - 1) * DAY_MS + ms;
      if (last - ms > DAY_MS / 2) day++;
      last = ms;
      return day * DAY_MS + ms;
    },
    assumed() {
      if (count === 0) return [];
      const midnights = day === 0 ? "" : `, ${many(day, "midnight")} passed`;
      return [
        `${many(count, "time")} of day without a date: the first day taken as 1970-01-01 UTC${midnights}`,
      ];
    },
  };
}
