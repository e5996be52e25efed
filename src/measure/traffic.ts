import type { RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import { bucketAt, isOk, isSent, isThrottled, tokensAt } from "./attempts.ts";
import { callsOf } from "./calls.ts";
import { defineMeasure } from "./measure.ts";
import { peakCount } from "./rates.ts";
import { quantile } from "./statistics.ts";

/** The sent attempts of one bucket, in order of sending. Local refusals are not traffic. */
export interface BucketTraffic {
  readonly bucket: number;
  readonly rows: Uint32Array;
  /** `sentMs` of each row. */
  readonly times: Float64Array;
  readonly calls: number;
  readonly throttled: number;
  readonly peakPerSecond: number;
  readonly peakPerMinute: number;
}

/** What one agent sent to one bucket. */
export interface AgentTraffic {
  readonly bucket: number;
  /** Index into `log.agents`; 0 = untagged. */
  readonly agent: number;
  readonly name: string;
  readonly rows: Uint32Array;
  readonly times: Float64Array;
  /** First attempts: how many calls it started. */
  readonly calls: number;
  readonly throttled: number;
  /** Calls whose last attempt failed. */
  readonly failed: number;
  /** Tokens of all its attempts; null = none told. */
  readonly tokens: number | null;
  /** Shares of the bucket's attempts, first attempts and tokens, 0..1. */
  readonly shareOfAttempts: number;
  readonly shareOfCalls: number;
  readonly shareOfTokens: number | null;
  readonly peakPerMinute: number;
  /** Of successful attempts. */
  readonly p50Ms: DurationMs | null;
  readonly p95Ms: DurationMs | null;
}

/** One entry a bucket, by bucket number; a bucket with nothing sent has empty rows. */
export const bucketTraffic: (log: RequestLog) => readonly BucketTraffic[] = defineMeasure((log) => {
  const groups = groupRows(log, log.buckets.length, (row) => bucketAt(log, row));
  const { repeated } = callsOf(log);
  return groups.map((rows, bucket): BucketTraffic => {
    const times = timesOf(log, rows);
    return {
      bucket,
      rows,
      times,
      calls: countRows(rows, (row) => repeated[row] === 0),
      throttled: countRows(rows, (row) => isThrottled(log.attempts, row)),
      peakPerSecond: peakCount(times, 1_000).value,
      peakPerMinute: peakCount(times, 60_000).value,
    };
  });
});

/** By bucket, then by attempts (most first), then by name. */
export const agentTraffic: (log: RequestLog) => readonly AgentTraffic[] = defineMeasure((log) => {
  const width = log.agents.length;
  const groups = groupRows(
    log,
    log.buckets.length * width,
    (row) => bucketAt(log, row) * width + (log.attempts.agent[row] ?? 0),
  );
  const drafts = groups.flatMap((rows, slot) =>
    rows.length === 0 ? [] : [agentDraft(log, Math.floor(slot / width), slot % width, rows)],
  );
  const totals = bucketTraffic(log).map(({ rows, calls, bucket }) => ({
    attempts: rows.length,
    calls,
    tokens: drafts.reduce((sum, d) => sum + (d.bucket === bucket ? (d.tokens ?? 0) : 0), 0),
  }));
  return drafts
    .map((draft): AgentTraffic => {
      const total = totals[draft.bucket] ?? { attempts: 0, calls: 0, tokens: 0 };
      return {
        ...draft,
        shareOfAttempts: share(draft.rows.length, total.attempts),
        shareOfCalls: share(draft.calls, total.calls),
        shareOfTokens: total.tokens > 0 ? share(draft.tokens ?? 0, total.tokens) : null,
      };
    })
    .toSorted((a, b) => a.bucket - b.bucket || b.rows.length - a.rows.length || (a.name < b.name ? -1 : 1));
});

type AgentDraft = Omit<AgentTraffic, "shareOfAttempts" | "shareOfCalls" | "shareOfTokens">;

function agentDraft(log: RequestLog, bucket: number, agent: number, rows: Uint32Array): AgentDraft {
  const { attempts } = log;
  const calls = callsOf(log);
  const times = timesOf(log, rows);
  const told = rows.filter((row) => tokensAt(attempts, row) >= 0);
  const ok = rows.filter((row) => isOk(attempts, row) && (attempts.durationMs[row] ?? -1) >= 0);
  const served = Float64Array.from(ok, (row) => attempts.durationMs[row] ?? 0);
  return {
    bucket,
    agent,
    name: log.agents[agent] ?? "",
    rows,
    times,
    calls: countRows(rows, (row) => calls.repeated[row] === 0),
    throttled: countRows(rows, (row) => isThrottled(attempts, row)),
    failed: countRows(rows, (row) => calls.last[calls.of[row] ?? 0] === row && !isOk(attempts, row)),
    tokens: told.length === 0 ? null : told.reduce((sum, row) => sum + tokensAt(attempts, row), 0),
    peakPerMinute: peakCount(times, 60_000).value,
    p50Ms: quantile(served, 0.5),
    p95Ms: quantile(served, 0.95),
  };
}

/** Rows of sent attempts by slot, each in order of sending: two passes, no array of arrays. */
function groupRows(log: RequestLog, slots: number, slotOf: (row: number) => number): Uint32Array[] {
  const sizes = new Uint32Array(slots);
  const { attempts } = log;
  for (let row = 0; row < attempts.length; row++) {
    if (isSent(attempts, row)) sizes[slotOf(row)] = (sizes[slotOf(row)] ?? 0) + 1;
  }
  const groups = Array.from(sizes, (size) => new Uint32Array(size));
  sizes.fill(0);
  for (let row = 0; row < attempts.length; row++) {
    if (!isSent(attempts, row)) continue;
    const slot = slotOf(row);
    const at = sizes[slot] ?? 0;
    const group = groups[slot];
    if (group !== undefined) group[at] = row;
    sizes[slot] = at + 1;
  }
  return groups;
}

export function timesOf(log: RequestLog, rows: Uint32Array): Float64Array {
  return Float64Array.from(rows, (row) => log.attempts.sentMs[row] ?? 0);
}

export function countRows(rows: Uint32Array, holds: (row: number) => boolean): number {
  let count = 0;
  for (const row of rows) if (holds(row)) count++;
  return count;
}

/** part / whole; 0 of nothing. */
export function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
