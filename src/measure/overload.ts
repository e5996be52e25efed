import type { RequestLog } from "../model/log.ts";
import { OUTCOME } from "../model/outcome.ts";
import { type DurationMs, type EpochMs, MINUTE_MS } from "../model/time.ts";
import { callsOf } from "./calls.ts";
import { lowerBound } from "./statistics.ts";
import { type BucketTraffic, bucketTraffic, countRows } from "./traffic.ts";

/** A stretch in which a bucket's provider says that it has no capacity. */
export interface OverloadEpisode {
  readonly bucket: number;
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  readonly overloaded: readonly number[];
  /** All attempts of the bucket that were sent from the first overloaded one to the last. */
  readonly rows: Uint32Array;
  readonly throttled: number;
  /** Calls that ended on it. */
  readonly failedCalls: number;
  /** First attempts a minute: repeats of overloaded ones are no load of one's own. */
  readonly startsPerMinute: number;
  /** The same over the ten minutes before, or what the log holds of them; null = too little. */
  readonly startsBefore: number | null;
}

const BEFORE: DurationMs = 10 * MINUTE_MS;
/** A rate over less than this is chance. */
const LEAST: DurationMs = 20_000;

/** By bucket, then by start. Overloaded attempts that are no more than `pauseMs` apart are one episode. */
export function overloadEpisodes(log: RequestLog, pauseMs: DurationMs): OverloadEpisode[] {
  return bucketTraffic(log).flatMap((traffic) =>
    stretches(log, traffic, pauseMs).map((overloaded) => describe(log, traffic, overloaded)),
  );
}

function stretches(log: RequestLog, traffic: BucketTraffic, pauseMs: DurationMs): number[][] {
  const { sentMs, outcome } = log.attempts;
  const groups: number[][] = [];
  for (const row of traffic.rows) {
    if (outcome[row] !== OUTCOME.overloaded) continue;
    const current = groups.at(-1);
    const last = current?.at(-1);
    if (current !== undefined && last !== undefined && (sentMs[row] ?? 0) - (sentMs[last] ?? 0) <= pauseMs)
      current.push(row);
    else groups.push([row]);
  }
  return groups;
}

function describe(log: RequestLog, traffic: BucketTraffic, overloaded: readonly number[]): OverloadEpisode {
  const { sentMs, outcome } = log.attempts;
  const calls = callsOf(log);
  const [first = 0, last = first] = [overloaded[0], overloaded.at(-1)];
  const [fromMs, toMs] = [sentMs[first] ?? 0, sentMs[last] ?? 0];
  const { rows: all, times } = traffic;
  const rows = all.subarray(lowerBound(times, fromMs), lowerBound(times, toMs + 1));
  const beforeMs = Math.min(BEFORE, fromMs - (log.span?.from ?? fromMs));
  const before = all.subarray(lowerBound(times, fromMs - beforeMs), lowerBound(times, fromMs));
  return {
    bucket: traffic.bucket,
    fromMs,
    toMs,
    overloaded,
    rows,
    throttled: countRows(rows, (row) => outcome[row] === OUTCOME.throttled),
    failedCalls: overloaded.filter((row) => calls.last[calls.of[row] ?? 0] === row).length,
    startsPerMinute: startsPerMinute(log, rows, toMs - fromMs),
    startsBefore: beforeMs < LEAST ? null : startsPerMinute(log, before, beforeMs),
  };
}

function startsPerMinute(log: RequestLog, rows: Uint32Array, lengthMs: DurationMs): number {
  const starts = countRows(rows, (row) => callsOf(log).repeated[row] === 0);
  return (starts * MINUTE_MS) / Math.max(LEAST, lengthMs);
}
