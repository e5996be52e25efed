import type { DurationMs, EpochMs } from "../model/time.ts";

/** The longest wait that is taken for one: above it, timers overflow and fire at once. */
export const LONGEST_WAIT: DurationMs = 2 ** 31 - 1;

// A map and not an object: `5 constructor` is no duration.
const UNIT_MS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ns: 1e-6,
    "us µs μs": 1e-3,
    "ms msec msecs millis millisecond milliseconds 毫秒": 1,
    "s sec secs second seconds 秒": 1_000,
    "m min mins minute minutes 分钟": 60_000,
    "h hr hrs hour hours 小时": 3_600_000,
    "d day days 天": 86_400_000,
    "w week weeks": 604_800_000,
  }).flatMap(([units, ms]) => units.split(" ").map((unit) => [unit, ms] as const)),
);

const LONGEST_TEXT = 80;
const PART =
  /^(?:,|\s|and\s)*((?:\d{1,3}(?:,\d{3}){1,3}|\d{1,12})(?:\.\d{1,12})?)\s?(毫秒|秒|分钟|小时|天|[a-zµμ]{1,12}(?![a-zµμ]))/;

interface Leading {
  readonly ms: DurationMs;
  /** What follows the duration, lower case. */
  readonly rest: string;
}

/**
 * The duration at the beginning of a text: `6m0s`, `120ms`, `2m59.56s`, `1 minute`, `1 hour and 5 minutes`. `m` is minutes
 * and `ms` milliseconds; the full stop of a sentence is no part of the number. null = the text
 * begins with none, or with one that no wait can have.
 */
export function leadingDuration(text: string): Leading | null {
  let rest = text.slice(0, LONGEST_TEXT).trimStart().toLowerCase();
  let total: number | null = null;
  for (;;) {
    const part = PART.exec(rest);
    const unit = part === null ? undefined : UNIT_MS.get(part[2] ?? "");
    if (part === null || unit === undefined) break;
    total = (total ?? 0) + Number((part[1] ?? "").replaceAll(",", "")) * unit;
    rest = rest.slice(part[0].length);
  }
  const ms = total === null ? null : validWait(total);
  return ms === null ? null : { ms, rest };
}

/** A text that is a duration and nothing else. */
export function parseDuration(text: string): DurationMs | null {
  if (text.length > LONGEST_TEXT) return null;
  const leading = leadingDuration(text);
  return leading !== null && leading.rest.trim() === "" ? leading.ms : null;
}

/**
 * A plain number as `Retry-After` writes it, or its fraction. Strict: `Number("")` is 0 and `Number("0x10")` is 16, both of
 * which would be a wait that nobody asked for.
 */
export function parseNumber(text: string): number | null {
  return text.length <= 40 && /^\s*\d{1,19}(?:\.\d{1,15})?\s*$/.test(text) ? Number(text) : null;
}

/** Whole ms that a wait can be; null for negative, endless or longer than 24 days. */
export function validWait(ms: number): DurationMs | null {
  return ms >= 0 && ms <= LONGEST_WAIT ? Math.round(ms) : null;
}

const HTTP_DATE =
  /^[a-z]{3,9},? \d{1,2}[ -][a-z]{3}[ -]\d{2,4} \d{2}:\d{2}:\d{2} ?(gmt|utc|z|[+-]\d{2}:?\d{2})?$/i;
const ASCTIME = /^[a-z]{3} [a-z]{3} {1,2}\d{1,2} \d{2}:\d{2}:\d{2} \d{4}$/i;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(z|[+-]\d{2}:?\d{2})?$/i;

/**
 * An instant as a header writes it: the three HTTP dates, RFC 3339, or seconds, ms, us or ns since 1970 (by magnitude). A date
 * without a zone, or with `-0000`, is UTC: JavaScript alone would take it as local time. null = no instant.
 */
export function parseInstant(text: string): EpochMs | null {
  const trimmed = text.trim();
  if (trimmed.length > 40) return null;
  const number = parseNumber(trimmed);
  if (number !== null) return epochMs(number);
  const http = HTTP_DATE.exec(trimmed);
  if (http !== null) return parsed(http[1] === undefined ? `${trimmed} GMT` : trimmed);
  if (ASCTIME.test(trimmed)) return parsed(`${trimmed} GMT`);
  const rfc = RFC_3339.exec(trimmed);
  if (rfc === null) return null;
  return parsed(rfc[1] === undefined ? `${trimmed.replace(" ", "T")}Z` : trimmed.replace(" ", "T"));
}

function parsed(date: string): EpochMs | null {
  const ms = Date.parse(date);
  return Number.isNaN(ms) ? null : ms;
}

/** 2001 to 2286 in each unit; a smaller number is a wait and not an instant. */
function epochMs(number: number): EpochMs | null {
  for (const [from, factor] of [
    [1e9, 1e3],
    [1e12, 1],
    [1e15, 1e-3],
    [1e18, 1e-6],
  ] as const)
    if (number >= from && number < from * 10) return Math.round(number * factor);
  return null;
}
