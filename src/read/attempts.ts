import type { AttemptRecord } from "../model/record.ts";
import { errorPartsOf, type ErrorParts, messageOf } from "./errors.ts";
import type { Extract } from "./extract.ts";
import { type FieldReader, has, targetOf, valueOf } from "./fields.ts";
import { createHeaderReader } from "./headers.ts";
import { many } from "./notes.ts";
import type { Timing } from "./reading.ts";
import { durationBy } from "./timing.ts";
import {
  agentOfTags,
  agentOfUser,
  toAttempt,
  toFlag,
  toInteger,
  toPriority,
  toStatus,
  toText,
  withoutSecret,
} from "./values.ts";

export interface AttemptReader {
  readonly read: (extract: Extract, timing: Timing) => AttemptRecord;
  readonly assumed: () => string[];
  readonly callIds: () => { readonly sure: boolean; readonly weak: boolean };
}

export function createAttemptReader(fields: FieldReader): AttemptReader {
  const headers = createHeaderReader();
  const calls = { sure: false, weak: false };
  const counts = { words: 0 };

  const headersOf = (extract: Extract): AttemptRecord["headers"] => {
    if (!has(extract, "headers"))
      return extract.headers.length === 0 ? null : (headers.read(undefined, extract.headers) ?? null);
    return fields.told(extract, "headers", (value) => headers.read(value, extract.headers));
  };

  const callOf = (extract: Extract): string | null => {
    const target = targetOf(extract, "call_id");
    if (target === null) return null;
    if (target.weak) calls.weak = true;
    else calls.sure = true;
    return fields.told(extract, "call_id", toText);
  };

  const statusOf = (extract: Extract, error: ErrorParts | null): StatusParts => {
    const word = readWord(valueOf(extract, "status"));
    if (word === null || extract.others.some(({ target }) => target.field === "status")) {
      const status = fields.told(extract, "status", toStatus);
      if (status !== null || word === null) return { status: status ?? error?.status ?? null, type: null };
    }
    counts.words++;
    return { status: word.status ?? error?.status ?? null, type: word.type };
  };

  return {
    read(extract, timing) {
      const duration = (field: "retry_after_ms" | "queued_ms"): number | null =>
        fields.told(extract, field, (value, target) => durationBy(target)(value));
      const error = has(extract, "error") ? errorPartsOf(valueOf(extract, "error")) : null;
      const { status, type } = statusOf(extract, error);
      const { agent, runId } = who(extract, fields);
      const message = has(extract, "error_message") ? fields.told(extract, "error_message", toMessage) : null;
      return {
        kind: "attempt",
        sentMs: timing.sentMs,
        durationMs: timing.durationMs,
        agent,
        runId,
        callId: callOf(extract),
        attempt: fields.told(extract, "attempt", toAttempt),
        provider: fields.told(extract, "provider", toText),
        model: fields.told(extract, "model", toText),
        orgId: fields.told(extract, "org_id", toText),
        workspaceId: fields.told(extract, "workspace_id", toText),
        apiKeyId: fields.told(extract, "api_key_id", toKeyId),
        status,
        errorType: fields.told(extract, "error_type", toText) ?? error?.type ?? type,
        errorCode: fields.told(extract, "error_code", toText) ?? error?.code ?? null,
        errorMessage: message ?? error?.message ?? null,
        headers: headersOf(extract),
        retryAfterMs: duration("retry_after_ms"),
        inputTokens: fields.told(extract, "input_tokens", toInteger),
        outputTokens: fields.told(extract, "output_tokens", toInteger),
        cachedTokens: fields.told(extract, "cached_input_tokens", toInteger),
        maxTokens: fields.told(extract, "max_tokens", toInteger),
        priority: fields.told(extract, "priority", toPriority),
        queuedMs: duration("queued_ms"),
        local: fields.told(extract, "local", toFlag) ?? false,
      };
    },
    assumed() {
      const words = many(counts.words, "status word");
      return counts.words === 0 ? [] : [`${words}: success is read as 200, others as the error's type`];
    },
    callIds: () => calls,
  };
}

interface StatusParts {
  readonly status: number | null;
  readonly type: string | null;
}

const SUCCESS: ReadonlySet<string> = new Set([
  "ok",
  "success",
  "succeeded",
  "successful",
  "completed",
  "complete",
  "done",
]);

/** Without `_` and `-` -> the error type that says the same. */
const FAILURE: ReadonlyMap<string, string> = new Map([
  ["error", "error"],
  ["failed", "error"],
  ["failure", "error"],
  ["timeout", "timeout"],
  ["timedout", "timeout"],
  ["ratelimit", "rate_limited"],
  ["ratelimited", "rate_limited"],
  ["throttled", "rate_limited"],
  ["overloaded", "overloaded"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
  ["aborted", "cancelled"],
  ["quotaexceeded", "insufficient_quota"],
]);

/** `status: "success"`, `status: "rateLimited"`: a word that says it instead of a number. */
function readWord(value: unknown): StatusParts | null {
  if (typeof value !== "string" || value.length > 20) return null;
  const word = value.toLowerCase();
  if (SUCCESS.has(word)) return { status: 200, type: null };
  const type = FAILURE.get(word.replace(/[_-]/g, ""));
  return type === undefined ? null : { status: null, type };
}

function toMessage(value: unknown): string | undefined {
  return typeof value === "string" ? messageOf(value) : undefined;
}

function toKeyId(value: unknown): string | undefined {
  const id = toText(value);
  return id === undefined ? undefined : withoutSecret(id);
}

/**
 * The agent by its own field, else by a tag, else by a user id made for the purpose, which also names the run. A tag
 * outranks a weak name such as `component`.
 */
export function who(
  extract: Extract,
  fields: FieldReader,
): { readonly agent: string | null; readonly runId: string | null } {
  const user = has(extract, "user") ? agentOfUser(valueOf(extract, "user")) : null;
  const tag = has(extract, "tags") ? agentOfTags(valueOf(extract, "tags")) : null;
  const named = fields.told(extract, "agent", toText);
  const tagged = tag ?? user?.agent ?? null;
  const agent = targetOf(extract, "agent")?.weak === true ? (tagged ?? named) : (named ?? tagged);
  return { agent, runId: fields.told(extract, "run_id", toText) ?? user?.run ?? null };
}
