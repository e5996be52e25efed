import type { DurationMs, EpochMs } from "../model/time.ts";

/** The longest wait that is taken for a wait: above it, timers overflow and values are nonsense. */
const LONGEST: DurationMs = 2 ** 31 - 1;

const UNIT_MS: { readonly [unit: string]: number } = {
  ms: 1,
  milliseconds: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  secs: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  min: 60_000,
  mins: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  days: 86_400_000,
};

// Sticky, so that a long text is never scanned from every position: each step starts where the last one ended.
const PART = /\s*(\d{1,12}(?:\.\d{1,12})?)\s*([a-z]{1,12})(?![a-z])/y;

/**
 * A duration in units: `6m0s`, `120ms`, `37.044s`, `2m59.56s`, `1 minute`, `20 seconds`. Starts at the beginning of the
 * text and stops at the first thing that is no part of it. null = none. `m` is minutes and `ms` milliseconds.
 */
export function parseUnits(text: string): DurationMs | null {
  let total: number | null = null;
  PART.lastIndex = 0;
  const lower = text.slice(0, 80).toLowerCase();
  for (let part = PART.exec(lower); part !== null; part = PART.exec(lower)) {
    const unit = UNIT_MS[part[2] ?? ""];
    if (unit === undefined) break;
    total = (total ?? 0) + Number(part[1]) * unit;
  }
  return total === null ? null : validWait(total);
}

/**
 * A plain number as `Retry-After` writes it, seconds or their fractions. Strict: `Number("")` is 0 and `Number("0x10")` is
 * 16, both of which would be a wait that nobody asked for.
 */
export function parseNumber(text: string): number | null {
  return /^\s*\d{1,15}(?:\.\d{1,15})?\s*$/.test(text) ? Number(text) : null;
}

/** A whole number of ms that a wait can be; null for negative, endless or longer than 24 days. */
export function validWait(ms: number): DurationMs | null {
  return Number.isFinite(ms) && ms >= 0 && ms <= LONGEST ? Math.round(ms) : null;
}

const HTTP_DATE =
  /^[a-z]{3,9},\s*\d{1,2}[ -][a-z]{3}[ -]\d{2,4} \d{2}:\d{2}:\d{2}\s*(?:gmt|utc|[+-]\d{4})?$/i;

/** `Wed, 01 Jul 2026 10:00:30 GMT`; a date without a zone, or with `-0000`, is UTC. null = not such a date. */
export function parseHttpDate(text: string): EpochMs | null {
  const trimmed = text.trim();
  if (trimmed.length > 40 || !HTTP_DATE.test(trimmed)) return null;
  const zoned = /(?:gmt|utc|[+-]\d{4})$/i.test(trimmed) ? trimmed : `${trimmed} GMT`;
  const ms = Date.parse(zoned);
  return Number.isNaN(ms) ? null : ms;
}
