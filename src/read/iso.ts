import type { EpochMs } from "../model/time.ts";

/** The start of a day, for days that come many times in a row. NaN = no such day. */
export type DayCache = (year: number, month: number, day: number) => EpochMs;

export function createDayCache(): DayCache {
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
export function readUtc(text: string, days: DayCache): EpochMs {
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

export interface IsoTime {
  readonly ms: EpochMs;
  readonly hasZone: boolean;
  readonly leap: boolean;
}

/**
 * ISO 8601 and its relatives: a space for the T, a comma before the fraction, an offset, no zone, a date alone. null =
 * some other form; `ms` NaN = this form with an impossible value (30 February, 24:00, an offset of 25 h).
 */
export function readIso(text: string, days: DayCache): IsoTime | null {
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
export function msOfDay(groups: { readonly [name: string]: string | undefined }): number {
  const hour = Number(groups["hour"] ?? 0);
  const minute = Number(groups["minute"] ?? 0);
  const second = Number(groups["second"] ?? 0);
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const millis = Number((groups["fraction"] ?? "").slice(0, 3).padEnd(3, "0"));
  return hour * 3_600_000 + minute * 60_000 + second * 1_000 + (second === 60 ? 0 : millis);
}

export const TIME_OF_DAY: RegExp = new RegExp(`^${TIME}$`);

export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}
