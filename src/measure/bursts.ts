import type { RequestLog } from "../model/log.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";
import { isThrottled } from "./attempts.ts";
import type { BucketLimit } from "./limits.ts";
import { countBetween } from "./rates.ts";
import { timesOf } from "./traffic.ts";

/** More calls started together than their bucket gives. */
export interface Burst {
  readonly windowMs: DurationMs;
  /** First attempts in [first, first + windowMs), in order. */
  readonly rows: Uint32Array;
  /** Of those, refused by a limit. */
  readonly refused: number;
  /** What the bucket gives in that time: its capacity, if known, and what it refills. Whole requests. */
  readonly takes: number;
}

/** What starts within half a minute can be one fan-out. */
const WINDOWS_MS: readonly DurationMs[] = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

export interface LeastBurst {
  readonly calls: number;
  /** Times what the bucket refills in the window: tells a burst from a steady load a little over the limit. */
  readonly overRate: number;
}

/**
 * Half-open windows in which N > capacity + rate x window calls were started: of each length the one with the most
 * refusals, then the most calls, then the earliest. Only what stands out of the minute around it. A bucket of unknown capacity counts as one of none, so the caller looks
 * at the refusals as well. One pass a length.
 *
 * @param starts first attempts, in order of sending
 */
export function burstsOver(
  log: RequestLog,
  starts: Uint32Array,
  limit: BucketLimit,
  least: LeastBurst,
): readonly Burst[] {
  const times = timesOf(log, starts);
  const refusedUpTo = [0];
  for (const row of starts)
    refusedUpTo.push((refusedUpTo.at(-1) ?? 0) + (isThrottled(log.attempts, row) ? 1 : 0));

  return WINDOWS_MS.flatMap((windowMs): Burst[] => {
    const refill = (limit.perMinute * windowMs) / 60_000;
    const takes = (limit.burst ?? 0) + refill;
    let best: { readonly from: number; readonly to: number; readonly refused: number } | null = null;
    let to = 0;
    for (let from = 0; from < times.length; from++) {
      while (to < times.length && (times[to] ?? 0) < (times[from] ?? 0) + windowMs) to++;
      const calls = to - from;
      if (calls <= takes || calls < least.calls || calls < least.overRate * refill) continue;
      const refused = (refusedUpTo[to] ?? 0) - (refusedUpTo[from] ?? 0);
      const isBetter =
        best === null || refused > best.refused || (refused === best.refused && calls > best.to - best.from);
      if (isBetter && standsOut(times, { at: times[from] ?? 0, windowMs, calls }))
        best = { from, to, refused };
    }
    if (best === null) return [];
    return [
      {
        windowMs,
        rows: starts.subarray(best.from, best.to),
        refused: best.refused,
        takes: Math.floor(takes),
      },
    ];
  });
}

/** The burst with so many refusals that was furthest above what the bucket takes; of equals the shortest. */
export function worstBurst(bursts: readonly Burst[], minRefused: number): Burst | null {
  const refused = bursts.filter((burst) => burst.refused >= minRefused);
  const above = ({ rows, takes }: Burst): number => rows.length - takes;
  return refused.toSorted((a, b) => above(b) - above(a) || a.windowMs - b.windowMs)[0] ?? null;
}

/** What a burst that passed took of its bucket. */
export interface NearBurst {
  readonly windowMs: DurationMs;
  /** First attempts in [first, first + windowMs), in order. */
  readonly rows: Uint32Array;
  /** Calls / (capacity + rate x window); 1 = the bucket was emptied. */
  readonly load: number;
}

/** A steady load is uneven too: what stands out is this many standard deviations, and calls, above the minute around it. */
const DEVIATIONS = 5;
const CALLS_ABOVE = 3;
const AROUND: DurationMs = 30_000;

/**
 * The burst that came nearest to emptying its bucket; of equals the shortest, then the earliest. null when none stands out,
 * when nothing tells the capacity, or when a call waited on the client's side: a limiter shapes the bursts already.
 *
 * @param starts first attempts, in order of sending
 */
export function nearestBurst(
  log: RequestLog,
  starts: Uint32Array,
  limit: BucketLimit,
  least: LeastBurst,
): NearBurst | null {
  const isShaped = starts.some((row) => (log.attempts.queuedMs[row] ?? 0) > 0);
  if (limit.burst === null || isShaped) return null;
  const times = timesOf(log, starts);
  let best: NearBurst | null = null;
  for (const windowMs of WINDOWS_MS) {
    const refill = (limit.perMinute * windowMs) / 60_000;
    let to = 0;
    for (let from = 0; from < times.length; from++) {
      const at = times[from] ?? 0;
      while (to < times.length && (times[to] ?? 0) < at + windowMs) to++;
      const calls = to - from;
      const load = calls / (limit.burst + refill);
      if (load <= (best?.load ?? 0) || calls < least.calls || calls < least.overRate * refill) continue;
      if (standsOut(times, { at, windowMs, calls }))
        best = { windowMs, rows: starts.subarray(from, to), load };
    }
  }
  return best;
}

export interface Cluster {
  readonly at: EpochMs;
  readonly windowMs: DurationMs;
  readonly calls: number;
}

/** Whether chance would hardly bring so many calls at the pace of the half minutes before and after. */
export function standsOut(times: Float64Array, { at, windowMs, calls }: Cluster): boolean {
  const from = Math.max(times[0] ?? at, at - AROUND);
  const to = Math.min((times.at(-1) ?? at) + 1, at + windowMs + AROUND);
  const others = countBetween(times, from, to) - calls;
  const aroundMs = to - from - windowMs;
  const usual = aroundMs > 0 ? (Math.max(0, others) * windowMs) / aroundMs : 0;
  return calls >= usual + DEVIATIONS * Math.sqrt(usual) + CALLS_ABOVE;
}

/** Calls of the largest run of which no first attempt was refused; 0 when runs are not told or all were. */
export function largestPassedRun(log: RequestLog, starts: Uint32Array): number {
  const runs = new Map<number, { calls: number; refused: boolean }>();
  for (const row of starts) {
    const run = log.attempts.run[row] ?? 0;
    if (run === 0) continue;
    const known = runs.get(run) ?? { calls: 0, refused: false };
    runs.set(run, { calls: known.calls + 1, refused: known.refused || isThrottled(log.attempts, row) });
  }
  return Math.max(0, ...[...runs.values()].filter((run) => !run.refused).map((run) => run.calls));
}
