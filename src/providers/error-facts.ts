import type { AttemptRecord } from "../model/record.ts";

/** What a failed response says of itself, gathered from wherever the log put it. */
export interface ErrorFacts {
  readonly status: number | null;
  /** Types, codes and reasons, lower case, the log's own fields first; a status that the body holds is among them. */
  readonly names: readonly string[];
  /** The message or, where it holds the body, the whole body; lower case. Empty for a page of HTML. */
  readonly text: string;
  /** The log told a type or a code, or its text is a body with an error in it. */
  readonly namesError: boolean;
}

const LONGEST_TEXT = 8_000;
const MOST_NAMES = 24;

export function errorFacts(record: AttemptRecord): ErrorFacts {
  const text = textOf(record.errorMessage);
  const told = [record.errorType, record.errorCode, headerName(record)].flatMap(namesOf);
  return {
    status: record.status,
    names: text === "" ? told : [...told, ...quotedNames(text)],
    text,
    namesError: told.length > 0 || HAS_ERROR.test(text),
  };
}

/** HTML comes from an edge or a proxy, and its words (payment, billing, wait) are about something else. */
function textOf(message: string | null): string {
  if (message === null) return "";
  const text = message.slice(0, LONGEST_TEXT).trim().toLowerCase();
  const body = text.slice(0, 200);
  return NO_ERROR.has(text) || body.includes("<!doctype html") || body.includes("<html") ? "" : text;
}

/** What loggers write where there was no error. */
const NO_ERROR: ReadonlySet<string> = new Set([
  "",
  "0",
  "200",
  "false",
  "no_error",
  "none",
  "null",
  "ok",
  "success",
  "undefined",
  "{}",
  "[]",
]);

/** `openai.RateLimitError` is also `ratelimiterror`. */
function namesOf(name: string | null): string[] {
  const lower = name?.trim().toLowerCase() ?? "";
  if (NO_ERROR.has(lower)) return [];
  const tail = lower.slice(lower.lastIndexOf(".") + 1);
  return tail === lower || tail === "" ? [lower] : [lower, tail];
}

/** AWS names its exception in a header: `ThrottlingException:http://internal.amazon.com/`. */
function headerName({ headers }: AttemptRecord): string | null {
  return headers?.get("x-amzn-errortype")?.split(":", 1)[0] ?? null;
}

// An `error` key that holds something: loggers print whole successes, with `"error": null` in them.
const HAS_ERROR = /["']error\\?["']\s?:(?!\s?(?:null|none|false|["']{2}|\{\}|$))/;

// JSON, JSON within a string of JSON, Python's print of a dictionary, and `error_type=requests`.
const NAMED =
  /(?:type|code|status|reason)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?([a-z0-9_-][a-z0-9_.-]{1,79})/g;

/** A logger often writes the whole body where the message belongs. */
function quotedNames(text: string): string[] {
  if (!text.includes("{") && !text.includes("=")) return [];
  const names: string[] = [];
  for (const match of text.matchAll(NAMED)) {
    names.push(match[1] ?? "");
    if (names.length === MOST_NAMES) break;
  }
  return names;
}
