/**
 * A log format is mostly data: which names or paths of a record hold which canonical field, and what kind of value stands
 * there. `exact.ts` executes a plan on parsed JSON and on CSV cells; a byte scanner can execute the same plan.
 */

/**
 * What a record can tell. The names are the canonical ones, plus:
 *
 * - `end`    when the response ended, where the log tells that instead of a duration
 * - `error`  the whole error: text, JSON in text, or an object with type, code and message
 * - `tags`   a list that may hold `agent:NAME`
 * - `user`   a user id that may be `agent:NAME:run:ID`
 */
export const FIELDS = [
  "ts",
  "end",
  "duration_ms",
  "agent",
  "run_id",
  "call_id",
  "attempt",
  "provider",
  "model",
  "org_id",
  "workspace_id",
  "api_key_id",
  "status",
  "error",
  "error_type",
  "error_code",
  "error_message",
  "headers",
  "retry_after_ms",
  "input_tokens",
  "output_tokens",
  "cached_input_tokens",
  "max_tokens",
  "priority",
  "queued_ms",
  "local",
  "event",
  "waits_for",
  "timeout_ms",
  "outcome",
  "action",
  "tags",
  "user",
] as const;

export type Field = (typeof FIELDS)[number];

/**
 * How a value is read.
 *
 * - `time`              ISO 8601, epoch s/ms/us/ns, or another written date
 * - `duration-ms`       a number of milliseconds, or text with its unit (`1.2s`)
 * - `duration-s`        a number of seconds, or text with its unit
 * - `duration-s-or-ms`  a bare number: the column decides its unit
 * - `text`, `integer`, `status`, `priority`, `flag`
 * - `headers`           object, list of pairs, flat list, or text
 * - `error`             text, JSON in text, or an object
 * - `tags`              a list of texts, or texts separated by commas
 */
export type Kind =
  | "time"
  | "duration-ms"
  | "duration-s"
  | "duration-s-or-ms"
  | "text"
  | "integer"
  | "status"
  | "priority"
  | "flag"
  | "headers"
  | "error"
  | "tags";

/** How each field is read where nothing else is said. */
export const KIND_OF: { readonly [F in Field]: Kind } = {
  ts: "time",
  end: "time",
  duration_ms: "duration-ms",
  agent: "text",
  run_id: "text",
  call_id: "text",
  attempt: "integer",
  provider: "text",
  model: "text",
  org_id: "text",
  workspace_id: "text",
  api_key_id: "text",
  status: "status",
  error: "error",
  error_type: "text",
  error_code: "text",
  error_message: "text",
  headers: "headers",
  retry_after_ms: "duration-ms",
  input_tokens: "integer",
  output_tokens: "integer",
  cached_input_tokens: "integer",
  max_tokens: "integer",
  priority: "priority",
  queued_ms: "duration-ms",
  local: "flag",
  event: "text",
  waits_for: "text",
  timeout_ms: "duration-ms",
  outcome: "text",
  action: "text",
  tags: "tags",
  user: "text",
};

export interface PlanField {
  readonly field: Field;
  readonly kind: Kind;
  /** Dotted paths, best first. Rows of the same field continue each other. */
  readonly paths: readonly string[];
  /**
   * These names alone do not show that a record is about a request: an application's own log lines carry them too. As
   * `call_id` they count only if an id repeats.
   */
  readonly weak?: true;
}

export interface Plan {
  /** `loose`: case, `_`, `-` and spaces in names do not matter. */
  readonly names: "exact" | "loose";
  readonly fields: readonly PlanField[];
  /**
   * `true`: a record without any sign of a request (status, duration, model, tokens ...) is some other log line, and is
   * rejected. `false`: a time is enough.
   */
  readonly needsSign: boolean;
}

/** `--map FIELD=PATH`: the path replaces all others of its field. */
export type FieldMap = { readonly [F in Field]?: string };
