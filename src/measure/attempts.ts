import { type AttemptColumns, NOT_TOLD, type RequestLog } from "../model/log.ts";
import {
  DIMENSION,
  DIMENSIONS,
  type Dimension,
  OUTCOME,
  OUTCOMES,
  type Outcome,
  RETRYABLE,
} from "../model/outcome.ts";
import type { EpochMs } from "../model/time.ts";

/** Codes of the refusals by a rate limit, whatever its period: what RULES call throttled. */
const THROTTLED_CODES: readonly number[] = [OUTCOME.throttled, OUTCOME.acceleration, OUTCOME.daily];

/** Refused by a rate limit (per minute, ramp or per day); not by money, not by an overloaded provider. */
export function isThrottled(attempts: AttemptColumns, row: number): boolean {
  return THROTTLED_CODES.includes(attempts.outcome[row] ?? 0);
}

/** Really sent to the provider; false for refusals by the client's own limiter. */
export function isSent(attempts: AttemptColumns, row: number): boolean {
  return attempts.outcome[row] !== OUTCOME.local;
}

export function isOk(attempts: AttemptColumns, row: number): boolean {
  return attempts.outcome[row] === OUTCOME.ok;
}

/** The same request can pass later. */
export function isRetryable(attempts: AttemptColumns, row: number): boolean {
  return RETRYABLE.has(outcomeAt(attempts, row));
}

export function outcomeAt(attempts: AttemptColumns, row: number): Outcome {
  return OUTCOMES[attempts.outcome[row] ?? 0] ?? "ok";
}

/**
 * The allowance that ran out: as the error names it, else the one of which the response says that nothing is left. A bucket
 * that has requests left did not refuse for requests.
 */
export function dimensionAt(attempts: AttemptColumns, row: number): Dimension {
  const named = DIMENSIONS[attempts.dimension[row] ?? DIMENSION.unknown] ?? "unknown";
  if (named !== "unknown" || attempts.outcome[row] !== OUTCOME.throttled) return named;
  const requests = attempts.remainingRequests[row] ?? NOT_TOLD;
  if (requests === 0) return "requests";
  return requests > 0 && attempts.remainingTokens[row] === 0 ? "tokens" : "unknown";
}

/** When the response ended; the sent time where the log tells no duration. */
export function endMs(attempts: AttemptColumns, row: number): EpochMs {
  return (attempts.sentMs[row] ?? 0) + Math.max(0, attempts.durationMs[row] ?? NOT_TOLD);
}

/** When the client first wanted to send: before its own queue. */
export function wantedMs(attempts: AttemptColumns, row: number): EpochMs {
  return (attempts.sentMs[row] ?? 0) - Math.max(0, attempts.queuedMs[row] ?? NOT_TOLD);
}

/** Input and output tokens together; `NOT_TOLD` when neither is told. */
export function tokensAt(attempts: AttemptColumns, row: number): number {
  const input = attempts.inputTokens[row] ?? NOT_TOLD;
  const output = attempts.outputTokens[row] ?? NOT_TOLD;
  if (input === NOT_TOLD && output === NOT_TOLD) return NOT_TOLD;
  return Math.max(0, input) + Math.max(0, output);
}

/** Number of the bucket that an attempt drew on. */
export function bucketAt(log: RequestLog, row: number): number {
  return log.origins[log.attempts.origin[row] ?? 0]?.bucket ?? 0;
}

/** Name of the agent that sent it; empty where the log does not tell. */
export function agentAt(log: RequestLog, row: number): string {
  return log.agents[log.attempts.agent[row] ?? 0] ?? "";
}
