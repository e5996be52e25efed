import { NOT_TOLD, type RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import { endMs, isRetryable } from "./attempts.ts";
import { callsOf, NONE } from "./calls.ts";
import { defineMeasure } from "./measure.ts";

/** A failed attempt and the one that repeated it. */
export interface Retry {
  readonly from: number;
  readonly to: number;
  /** From the end of the failed attempt to the next send: what the client decided to wait. Can be negative in odd logs. */
  readonly gapMs: DurationMs;
  /** What the server asked for; null = no hint. */
  readonly hintMs: DurationMs | null;
  /** Guessed from timing, not told by ids. */
  readonly inferred: boolean;
}

/** Every repetition of a failed attempt, in order of the repeated send. */
export const retriesOf: (log: RequestLog) => readonly Retry[] = defineMeasure((log) => {
  const { attempts } = log;
  const calls = callsOf(log);
  const found: Retry[] = [];
  for (let row = 0; row < attempts.length; row++) {
    const from = calls.previous[row] ?? NONE;
    if (from === NONE) continue;
    const hint = attempts.retryAfterMs[from] ?? NOT_TOLD;
    found.push({
      from,
      to: row,
      gapMs: (attempts.sentMs[row] ?? 0) - endMs(attempts, from),
      hintMs: hint === NOT_TOLD ? null : hint,
      inferred: attempts.call[row] === 0,
    });
  }
  return found;
});

/** Retries after a failure that can pass later. */
export const transientRetries: (log: RequestLog) => readonly Retry[] = defineMeasure((log) =>
  retriesOf(log).filter((retry) => isRetryable(log.attempts, retry.from)),
);
