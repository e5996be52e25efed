import { isJsonObject, type JsonObject } from "./format.ts";
import { toStatus } from "./values.ts";

/** What an error says of itself, as the provider wrote it. */
export interface ErrorParts {
  readonly type: string | null;
  readonly code: string | null;
  readonly message: string | null;
  /** Where the record has no status of its own. */
  readonly status: number | null;
}

/** Error texts can quote whole prompts; what names a limit stands near the beginning. */
const LONGEST_MESSAGE = 4_000;

/** Wrappers around wrappers: `{"error":{"error":{...}}}`. */
const DEEPEST = 4;

/** null = nothing told. */
export function errorPartsOf(value: unknown, depth: number = 0): ErrorParts | null {
  if (typeof value === "string") return partsOfText(value, depth);
  // One provider answers with a list of one error.
  if (Array.isArray(value)) return depth < DEEPEST ? errorPartsOf(value[0], depth + 1) : null;
  return isJsonObject(value) ? partsOfObject(value, depth) : null;
}

export function messageOf(text: string): string {
  return text.length <= LONGEST_MESSAGE ? text : text.slice(0, LONGEST_MESSAGE);
}

function partsOfText(text: string, depth: number): ErrorParts | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if ((trimmed.startsWith("{") || trimmed.startsWith("[")) && depth < DEEPEST) {
    try {
      const parts = errorPartsOf(JSON.parse(trimmed), depth + 1);
      if (parts !== null) return parts;
    } catch {
      // Text that only looks like JSON: kept as a message.
    }
  }
  return { type: null, code: null, message: messageOf(trimmed), status: null };
}

function partsOfObject(error: JsonObject, depth: number): ErrorParts | null {
  const inner = depth < DEEPEST ? errorPartsOf(error["error"], depth + 1) : null;
  const state = error["status"];
  const status = statusOf(error["status_code"]) ?? statusOf(state) ?? statusOf(error["code"]);
  // Google writes its type in `status`: RESOURCE_EXHAUSTED.
  const stateName = typeof state === "string" && statusOf(state) === null ? state : null;
  const own: ErrorParts = {
    type: firstText(error, ["type", "error_type", "name"]) ?? stateName,
    code: detailCode(error["details"]) ?? firstText(error, ["code", "error_code"]),
    message: withDetails(firstText(error, ["message", "msg", "error_message", "detail"]), error["details"]),
    status,
  };
  const parts = inner === null ? own : within(own, inner);
  return Object.values(parts).every((part) => part === null) ? null : parts;
}

/** Anthropic tells a ramp from a rate, and a spend cap from both, only here. */
function detailCode(details: unknown): string | null {
  return isJsonObject(details) ? firstText(details, ["error_code"]) : null;
}

/** Google names the quota, and with it the minute or the day, only in its list of details. */
const LONGEST_DETAILS = 1_500;

function withDetails(message: string | null, details: unknown): string | null {
  if (!Array.isArray(details) || details.length === 0) return message;
  return messageOf(`${message ?? ""} ${JSON.stringify(details).slice(0, LONGEST_DETAILS)}`.trim());
}

/** The inner error speaks for the provider: `{"type":"error","error":{"type":"rate_limit_error"}}`. */
function within(outer: ErrorParts, inner: ErrorParts): ErrorParts {
  return {
    type: inner.type ?? outer.type,
    code: inner.code ?? outer.code,
    message: inner.message ?? outer.message,
    status: outer.status ?? inner.status,
  };
}

function firstText(error: JsonObject, names: readonly string[]): string | null {
  for (const name of names) {
    const value = error[name];
    if (typeof value === "string" && value !== "") return messageOf(value);
    if (typeof value === "number") return String(value);
  }
  return null;
}

/** Only what can be an HTTP error: a provider's own number (1300) is a code. */
function statusOf(value: unknown): number | null {
  const status = toStatus(value) ?? null;
  return status !== null && status >= 400 ? status : null;
}
