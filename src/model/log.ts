import type { RateDimension } from "./outcome.ts";
import type { DurationMs, EpochMs, Span } from "./time.ts";

/** In an `Int32Array` or `Int8Array` column: the log did not tell. */
export const NOT_TOLD = -1;

/**
 * One row per attempt (one HTTP request), column by column, sorted by (sentMs, source, line). At most 90 bytes a row, so
 * that ten million attempts fit in 2 GiB with room to work. Rows are referred to by index.
 */
export interface AttemptColumns {
  readonly length: number;
  readonly sentMs: Float64Array;
  /** Until the response ended, ms. */
  readonly durationMs: Int32Array;
  /** Waited on the client's side before `sentMs`, ms. */
  readonly queuedMs: Int32Array;
  /** Index into `RequestLog.agents`; 0 = no agent told. */
  readonly agent: Uint32Array;
  /** Index into `RequestLog.runs`; 0 = no run told. */
  readonly run: Uint32Array;
  /** Equal numbers = same `call_id`; 0 = not told. The text of the id is not kept. */
  readonly call: Uint32Array;
  /** 1-based number within the call; 0 = not told. */
  readonly attempt: Uint16Array;
  /** Index into `RequestLog.origins`. */
  readonly origin: Uint32Array;
  /** HTTP status; 0 = no response. */
  readonly status: Uint16Array;
  /** Code from `OUTCOME`. */
  readonly outcome: Uint8Array;
  /** Code from `DIMENSION`; 0 (unknown) where nothing was refused. */
  readonly dimension: Uint8Array;
  /** The server's hint, ms, from header, body or text; capped at 2^31-1. */
  readonly retryAfterMs: Int32Array;
  /** Index into `RequestLog.errors`; 0 = no error told. */
  readonly error: Uint32Array;
  readonly inputTokens: Int32Array;
  readonly outputTokens: Int32Array;
  readonly cachedTokens: Int32Array;
  /** Output tokens that the request reserved. */
  readonly maxTokens: Int32Array;
  /** 0 is most urgent; named priorities are 0 (critical), 1 (normal), 2 (background). */
  readonly priority: Int8Array;
  /** What the response said was left in the bucket, per dimension family. */
  readonly remainingRequests: Int32Array;
  readonly remainingTokens: Int32Array;
  /** Index into `RequestLog.inputs`. */
  readonly source: Uint16Array;
  /** 1-based line of the source; for a record of several lines its first. */
  readonly line: Uint32Array;
}

/** Where attempts came from and what they drew on; interned, so that a row carries one number. */
export interface Origin {
  readonly provider: string;
  readonly model: string;
  readonly org: string;
  readonly workspace: string;
  readonly key: string;
  /** Index into `RequestLog.buckets`. */
  readonly bucket: number;
}

/** What a limit belongs to. Keys only carry it. */
export interface Bucket {
  /** Stable text, `provider/organisation/family`, with `default` for an organisation the log does not tell. */
  readonly id: string;
  readonly provider: string;
  readonly org: string;
  /** Model or model family. */
  readonly model: string;
  /** The log told no organisation, so one was assumed. */
  readonly assumedOrg: boolean;
}

export interface ErrorName {
  readonly type: string;
  readonly code: string;
}

/** One stage waited for another. */
export interface Wait {
  readonly startMs: EpochMs;
  readonly durationMs: DurationMs;
  /** Who waits. */
  readonly agent: string;
  readonly waitsFor: string;
  /** null = the log did not tell a timeout. */
  readonly timeoutMs: DurationMs | null;
  readonly outcome: "ok" | "timeout" | "cancelled" | "error";
  readonly run: string;
  readonly source: number;
  readonly line: number;
}

/** What the orchestrator did because of a failure. */
export interface Action {
  readonly atMs: EpochMs;
  readonly agent: string;
  /** `rollback`, `alert`, `fail`, `compensate`, ... as the log wrote it. */
  readonly action: string;
  readonly run: string;
  /** Number in the `call` column of the call that caused it; 0 = not told. */
  readonly call: number;
  readonly source: number;
  readonly line: number;
}

/** A limit that responses stated, folded over all attempts that stated the same value. */
export interface LimitSighting {
  readonly bucket: number;
  readonly dimension: RateDimension;
  readonly perMinute: number;
  readonly count: number;
  readonly firstMs: EpochMs;
  readonly lastMs: EpochMs;
  /** The most that any response said was left; the bucket holds at least this. `NOT_TOLD` = never told. */
  readonly maxRemaining: number;
  /** `headers`, or `message` when only an error text named the limit. */
  readonly from: "headers" | "message";
}

/** Something a log can carry. Rules name the facts they need. */
export const FACTS = [
  "status",
  "durations",
  "agents",
  "runs",
  "calls",
  "attempts",
  "retry-after",
  "limits",
  "tokens",
  "waits",
  "actions",
  "queue-times",
  "priorities",
  "keys",
] as const;

export type FactId = (typeof FACTS)[number];

export interface Fact {
  readonly present: boolean;
  /** How many records carry it, or why none does. */
  readonly because: string;
}

export type Facts = { readonly [F in FactId]: Fact };

/** Why a line did not become a record. Closed list: a count per code is part of the report. */
export const PROBLEM_CODES = [
  "not-json",
  "not-an-object",
  "bad-csv",
  "no-time",
  "bad-time",
  "bad-value",
  "unknown-event",
  "line-too-long",
  "not-utf8",
  "unfinished",
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface Problem {
  readonly source: string;
  /** 1-based. */
  readonly line: number;
  readonly code: ProblemCode;
  readonly detail: string;
}

export interface Problems {
  /** The first 20 of each code. */
  readonly samples: readonly Problem[];
  readonly totals: { readonly [C in ProblemCode]?: number };
}

/** The accounting of one input. accepted + rejected + blank = lines, in records for JSON arrays and CSV. */
export interface InputSummary {
  /** As the user named it; `-` for standard input. */
  readonly source: string;
  readonly format: string;
  /** Why this format was chosen. */
  readonly why: string;
  /** How times were written, e.g. `ISO 8601`, `epoch ms`. */
  readonly timeUnit: string;
  readonly lines: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly blank: number;
  /** Accepted but outside `--since`/`--until`. */
  readonly outside: number;
  /** What was assumed while reading: zones, units, field names. */
  readonly assumed: readonly string[];
}

/** Everything a diagnosis knows: what was read and what the user said about it. Never changed after it is built. */
export interface RequestLog {
  readonly attempts: AttemptColumns;
  /** `agents[0]` is `""`: attempts without a tag. */
  readonly agents: readonly string[];
  readonly runs: readonly string[];
  readonly origins: readonly Origin[];
  readonly buckets: readonly Bucket[];
  readonly errors: readonly ErrorName[];
  readonly waits: readonly Wait[];
  readonly actions: readonly Action[];
  readonly limits: readonly LimitSighting[];
  readonly facts: Facts;
  readonly problems: Problems;
  readonly inputs: readonly InputSummary[];
  /** From the first sent time to the end of the last record; null = no record. The end is the log's "now". */
  readonly span: Span | null;
  /** What the user told about the buckets; empty straight from the reader. */
  readonly told: ToldLimits;
}

/** A limit that the configuration or a preset states, for every bucket whose model matches. */
export interface ToldLimit {
  /** Glob over the bucket's model or family; `*` = every bucket. */
  readonly model: string;
  readonly dimension: RateDimension;
  readonly perMinute: number;
  /** null = not told. */
  readonly burst: number | null;
  readonly source: "config" | "preset";
}

export interface ToldLimits {
  readonly limits: readonly ToldLimit[];
}
