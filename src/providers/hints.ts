import type { AttemptRecord } from "../model/record.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";
import { leadingDuration, parseDuration, parseInstant, parseNumber, validWait } from "./durations.ts";

/**
 * How long the server asked to wait: told by the log itself, else by header, else by the text. Reset headers are left out:
 * they name the instant when the bucket is *full*, and whoever sleeps until then oversleeps.
 */
export function retryHint(record: AttemptRecord): DurationMs | null {
  const told = record.retryAfterMs === null ? null : validWait(record.retryAfterMs);
  if (told !== null) return told;
  const exact = millisecondsHeader(record.headers);
  if (exact !== null) return exact;
  const text = record.errorMessage === null ? null : textHint(record.errorMessage);
  const header = retryAfter(record);
  // "Try again in 1.15s" under `retry-after: 2` is one hint, once before and once after rounding up.
  const isRounded = header !== null && text !== null && text <= header && header - text < 1_000;
  return isRounded ? text : (header ?? text);
}

const MILLISECONDS: readonly string[] = ["retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after"];

/** More exact than `retry-after`, so it wins over it; a value that is no wait does not. */
function millisecondsHeader(headers: AttemptRecord["headers"]): DurationMs | null {
  if (headers === null) return null;
  for (const name of MILLISECONDS) {
    const text = headers.get(name);
    const ms = text === undefined ? null : parseNumber(text);
    const wait = ms === null ? null : validWait(ms);
    if (wait !== null) return wait;
  }
  return null;
}

/** Seconds with or without a fraction, a date, or a duration with units. Anything else is no wait: `-5`, `soon`, `1000abc`. */
function retryAfter(record: AttemptRecord): DurationMs | null {
  const text = record.headers?.get("retry-after");
  if (text === undefined) return null;
  const seconds = parseNumber(text);
  const wait = seconds === null ? parseDuration(text) : validWait(seconds * 1_000);
  if (wait !== null) return wait;
  const instant = parseInstant(text);
  return instant === null ? null : waitUntil(instant, serverTime(record));
}

/** The server's own clock; where it is not told, the log's, at the end of the response. */
function serverTime(record: AttemptRecord): EpochMs {
  const date = record.headers?.get("date");
  return (date === undefined ? null : parseInstant(date)) ?? record.sentMs + (record.durationMs ?? 0);
}

/** Clocks differ: what has just passed may be tried at once. What passed long ago is no hint. */
const LATE_MS: DurationMs = 60_000;

function waitUntil(instant: EpochMs, now: EpochMs): DurationMs | null {
  return instant < now - LATE_MS ? null : validWait(Math.max(0, instant - now));
}

const LONGEST_TEXT = 4_000;

interface Phrase {
  readonly words: string;
  /** Of a number without one. */
  readonly unitMs: number;
}

/** In order of how sure they are; the sentence of a provider before the key of a body. */
const PHRASES: readonly Phrase[] = [
  { words: "try again in", unitMs: 1_000 },
  { words: "try again after", unitMs: 1_000 },
  { words: "retry in", unitMs: 1_000 },
  { words: "retry after", unitMs: 1_000 },
  { words: "retry_after_ms", unitMs: 1 },
  { words: "retry-after-ms", unitMs: 1 },
  { words: "retryafterms", unitMs: 1 },
  { words: "retry_after_seconds", unitMs: 1_000 },
  { words: "retry_after", unitMs: 1_000 },
  { words: "retry-after", unitMs: 1_000 },
  { words: "retryafter", unitMs: 1_000 },
  { words: "retrydelay", unitMs: 1_000 },
  { words: "resets_in_seconds", unitMs: 1_000 },
  { words: "again in", unitMs: 1_000 },
  { words: "wait for", unitMs: 1_000 },
  { words: "wait", unitMs: 1_000 },
  { words: "请", unitMs: 1_000 },
];

/** What all phrases are made of: most refusals hold none, and one look tells. */
const STEMS = /again|retry|wait|resets_in|请/;

/** A bare number ends here: `wait 60 …`, but not `wait 5 retries`, which would be no time. */
const BARE = /^(\d{1,10}(?:\.\d{1,6})?)(?=$|[.,;)}"'\\\]\s])(?!\s?[a-z])/;
/** `: "~`, and the same inside a string of a string. */
const BETWEEN = /^[\s"'\\:=~≈]{1,12}/;

/** `Please try again in 6m0s.`, `retry after 26 seconds`, `"retryDelay": "38s"`; a number without a unit is seconds. */
function textHint(message: string): DurationMs | null {
  const text = message.slice(0, LONGEST_TEXT).toLowerCase();
  if (!STEMS.test(text)) return null;
  // Sent on daily quotas too, where seconds cannot help; one vendor answers a day where it means a minute.
  const isPerDay = text.includes("perday");
  for (const phrase of PHRASES) {
    if (isPerDay && phrase.words === "retrydelay") continue;
    const wait = waitAfter(text, phrase);
    if (wait !== null && !isPlaceholder(text, wait)) return wait;
  }
  return null;
}

function waitAfter(text: string, { words, unitMs }: Phrase): DurationMs | null {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
    if (isClients(text.slice(Math.max(0, at - 6), at))) continue;
    const from = at + words.length;
    const rest = text.slice(from, from + 60).replace(BETWEEN, "");
    const wait = leadingDuration(rest)?.ms;
    if (wait !== undefined) return wait;
    const bare = BARE.exec(rest);
    if (bare !== null) return validWait(Number(bare[1]) * unitMs);
  }
  return null;
}

/** The middle of a word, or what the client plans by itself: `will retry in 3.32s`. */
function isClients(before: string): boolean {
  return /(?:[a-z]|\bwill |'ll )$/.test(before);
}

function isPlaceholder(text: string, wait: DurationMs): boolean {
  return wait === 86_400_000 && /(?:token|call) rate limit/.test(text);
}
