import type { DurationMs, EpochMs } from "../model/time.ts";
import { lowerBound } from "./statistics.ts";

export interface Peak {
  /** The most that falls into any one window. */
  readonly value: number;
  /** Start of the first such window; 0 when there is nothing. */
  readonly fromMs: EpochMs;
}

/**
 * The busiest half-open window [t, t + windowMs): how many of the ascending times fall into it. Only windows that start at
 * an event need a look: any other can be slid right to the next event without losing one.
 */
export function peakCount(times: ArrayLike<number>, windowMs: DurationMs): Peak {
  let best: Peak = { value: 0, fromMs: 0 };
  let end = 0;
  for (let start = 0; start < times.length; start++) {
    const from = times[start] ?? 0;
    while (end < times.length && (times[end] ?? 0) < from + windowMs) end++;
    if (end - start > best.value) best = { value: end - start, fromMs: from };
  }
  return best;
}

/** As `peakCount`, with a weight (tokens) for each time; weights below 0 count as 0. */
export function peakWeight(times: ArrayLike<number>, weights: ArrayLike<number>, windowMs: DurationMs): Peak {
  let best: Peak = { value: 0, fromMs: 0 };
  let end = 0;
  let sum = 0;
  for (let start = 0; start < times.length; start++) {
    const from = times[start] ?? 0;
    while (end < times.length && (times[end] ?? 0) < from + windowMs) sum += Math.max(0, weights[end++] ?? 0);
    if (sum > best.value) best = { value: sum, fromMs: from };
    sum -= Math.max(0, weights[start] ?? 0);
  }
  return best;
}

/** How many of the ascending times fall into [from, to). */
export function countBetween(times: ArrayLike<number>, from: EpochMs, to: EpochMs): number {
  return Math.max(0, lowerBound(times, to) - lowerBound(times, from));
}

/**
 * The most that a token bucket of this rate would have had to hold to admit all of these sends at once when they came,
 * i.e. the largest excess of arrivals over refill in any window. Sends fit without delay when this is at most the burst.
 *
 *   level falls by 1 a send, rises by rate x time, never above full; the deepest point below full is the need.
 */
export function burstNeeded(times: ArrayLike<number>, perMinute: number): Peak {
  let missing = 0;
  let last = times[0] ?? 0;
  let since = last;
  let best: Peak = { value: 0, fromMs: 0 };
  for (let i = 0; i < times.length; i++) {
    const now = times[i] ?? 0;
    missing = Math.max(0, missing - ((now - last) * perMinute) / 60_000);
    if (missing === 0) since = now;
    missing += 1;
    last = now;
    if (missing > best.value) best = { value: missing, fromMs: since };
  }
  return best;
}
