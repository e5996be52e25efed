import type { ClassifyFix, RetryFix } from "../model/fix.ts";
import type { RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import { limitOf } from "./limits.ts";
import { bucketId } from "./pacing.ts";

/** 408, 429 and everything that says that the provider, not the request, was the trouble. */
const TRANSIENT = [408, 429, 500, 502, 503, 504, 529];
const PERMANENT = [400, 401, 402, 403, 404, 413, 422];

/** Tells what passes from what never will. An empty agent = everywhere. */
export function classifyErrors(agent: string): ClassifyFix {
  return { kind: "classify", ...named(agent), transient: TRANSIENT, permanent: PERMANENT };
}

const JITTER: DurationMs = 5_000;
const MOST_JITTER: DurationMs = 60_000;

/**
 * Retries that wait as asked and do not come back together: the extra is as long as the limit takes to serve `together`
 * calls, or up to five seconds where no limit is known. Five repeats. An empty agent = everything that uses the bucket.
 */
export function politeRetry(log: RequestLog, bucket: number, agent: string, together: number): RetryFix {
  const perMinute = limitOf(log, bucket, "requests")?.perMinute ?? 0;
  const drainMs = perMinute === 0 ? JITTER : Math.ceil((together * 60) / perMinute) * 1_000;
  return {
    kind: "retry",
    ...named(agent),
    bucket: bucketId(log, bucket),
    obeyRetryAfter: true,
    baseMs: 1_000,
    factor: 2,
    capMs: 60_000,
    jitter: "added",
    jitterMs: Math.min(MOST_JITTER, Math.max(1_000, drainMs)),
    maxAttempts: 6,
  };
}

/** Against a provider without capacity: nobody knows when it comes back, so the whole wait is drawn at random. */
export function randomBackoff(log: RequestLog, bucket: number): RetryFix {
  const { jitterMs: _, ...polite } = politeRetry(log, bucket, "", 0);
  return { ...polite, baseMs: 2_000, jitter: "full" };
}

function named(agent: string): { readonly agent?: string } {
  return agent === "" ? {} : { agent };
}
