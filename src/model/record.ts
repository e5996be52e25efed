import type { DurationMs, EpochMs } from "./time.ts";

/**
 * The canonical record of one attempt, as every log format is mapped onto it. It lives only between the format that made
 * it and the columns that take it. null = the log did not tell; a missing value is never invented.
 */
export interface AttemptRecord {
  readonly kind: "attempt";
  readonly sentMs: EpochMs;
  readonly durationMs: DurationMs | null;
  readonly agent: string | null;
  readonly runId: string | null;
  readonly callId: string | null;
  /** 1-based. */
  readonly attempt: number | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly orgId: string | null;
  readonly workspaceId: string | null;
  readonly apiKeyId: string | null;
  readonly status: number | null;
  readonly errorType: string | null;
  readonly errorCode: string | null;
  /** Read for its outcome and hints, then dropped: it can quote keys and organisation names. */
  readonly errorMessage: string | null;
  /** Lower-case names; only rate-limit, retry, date and id headers. */
  readonly headers: ReadonlyMap<string, string> | null;
  readonly retryAfterMs: DurationMs | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly maxTokens: number | null;
  /** 0 is most urgent. */
  readonly priority: number | null;
  readonly queuedMs: DurationMs | null;
  readonly local: boolean;
}

export interface WaitRecord {
  readonly kind: "wait";
  readonly startMs: EpochMs;
  readonly durationMs: DurationMs;
  readonly agent: string;
  readonly waitsFor: string;
  readonly timeoutMs: DurationMs | null;
  readonly outcome: "ok" | "timeout" | "cancelled" | "error";
  readonly runId: string | null;
}

export interface ActionRecord {
  readonly kind: "action";
  readonly atMs: EpochMs;
  readonly agent: string;
  readonly action: string;
  readonly runId: string | null;
  readonly callId: string | null;
}

export type LogRecord = AttemptRecord | WaitRecord | ActionRecord;
