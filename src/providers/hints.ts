import type { AttemptRecord } from "../model/record.ts";
import type { DurationMs } from "../model/time.ts";
import { parseHttpDate, parseNumber, parseUnits, validWait } from "./durations.ts";

/**
 * How long the server asked to wait: told by the log itself, else by header, else by the text. Reset headers are left out:
 * Anthropic's name the instant when the bucket is *full*, and whoever sleeps until then oversleeps.
 */
export function retryHint(record: AttemptRecord): DurationMs | null {
  if (record.retryAfterMs !== null) return validWait(record.retryAfterMs);
  const header = headerHint(record);
  const text = textHint(record.errorMessage);
  // "Try again in 1.15s" under `retry-after: 2` is one hint, once before and once after rounding up.
  const isRounded = header !== null && text !== null && text <= header && header - text < 1_000;
  return isRounded ? text : (header ?? text);
}

/** The ms header is more exact than the seconds one and wins. */
function headerHint(record: AttemptRecord): DurationMs | null {
  const { headers } = record;
  if (headers === null) return null;
  for (const name of ["retry-after-ms", "x-ms-retry-after-ms"]) {
    const text = headers.get(name);
    const ms = text === undefined ? null : parseNumber(text);
    if (ms !== null) return validWait(ms);
  }
  const text = headers.get("retry-after");
  if (text === undefined) return null;
  const seconds = parseNumber(text);
  if (seconds !== null) return validWait(seconds * 1_000);
  const date = parseHttpDate(text);
  if (date === null) return parseUnits(text);
  // Measured on the server's clock; where it is not told, on the end of the response.
  const server = parseHttpDate(headers.get("date") ?? "") ?? record.sentMs + (record.durationMs ?? 0);
  return validWait(Math.max(0, date - server));
}

const PHRASES: readonly string[] = [
  "try again in ",
  "retry in ",
  "retry after ",
  "please wait ",
  'retrydelay": "',
  'retrydelay":"',
];
const BARE_SECONDS = /^(\d{1,7}(?:\.\d{1,6})?)\s*(?:$|[.,;)}"'\s])/;

/** `Please try again in 6m0s.`, `retry after 26 seconds`; a number without a unit is seconds. */
function textHint(message: string | null): DurationMs | null {
  if (message === null) return null;
  const lower = message.slice(0, 4_000).toLowerCase();
  for (const phrase of PHRASES) {
    const at = lower.indexOf(phrase);
    if (at === -1) continue;
    const rest = lower.slice(at + phrase.length, at + phrase.length + 40).replace(/^[~≈\s]+/, "");
    const wait = parseUnits(rest);
    if (wait !== null) return wait;
    const bare = BARE_SECONDS.exec(rest);
    if (bare !== null) return validWait(Number(bare[1]) * 1_000);
  }
  return null;
}
