import type { Random } from "../random.ts";
import type { RetrySpec } from "../spec.ts";

export interface Failure {
  /** 1-based number of the attempt that failed. */
  readonly attempt: number;
  /** 0 = no answer. */
  readonly status: number;
  readonly hintMs: number | null;
}

/** ms from the end of the failed attempt until the next is wanted; null = the client gives up. */
export function waitAfter(retry: RetrySpec, failure: Failure, luck: Random): number | null {
  const { hint, layer, maxAttempts } = retry;
  if (failure.attempt >= maxAttempts * (layer?.rounds ?? 1) || !retry.on.includes(failure.status))
    return null;
  const inRound = ((failure.attempt - 1) % maxAttempts) + 1;
  if (layer !== undefined && inRound === maxAttempts)
    return Math.round(layer.pauseMs * luck.between(0.9, 1.1));
  if (hint !== null && failure.hintMs !== null && failure.hintMs <= hint.atMostMs)
    return Math.round(failure.hintMs * (1 + luck.next() * hint.jitterShare) + luck.next() * hint.jitterMs);
  return Math.round(jittered(retry, Math.min(retry.capMs, curve(retry, inRound)), luck));
}

function curve({ baseMs, factor }: RetrySpec, attempt: number): number {
  return baseMs * factor ** (attempt - 1);
}

function jittered({ jitter, jitterMs = 0 }: RetrySpec, waitMs: number, luck: Random): number {
  switch (jitter) {
    case "none":
      return waitMs;
    case "full":
      return waitMs * luck.next();
    case "equal":
      return waitMs * luck.between(0.5, 1);
    case "down":
      return waitMs * luck.between(0.75, 1);
    case "added":
      return waitMs + luck.next() * jitterMs;
    default:
      return jitter satisfies never;
  }
}
