import type { RequestLog } from "../model/log.ts";
import { DIMENSIONS, type Dimension } from "../model/outcome.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";
import { dimensionAt, endMs, isOk, isThrottled, tokensAt } from "./attempts.ts";
import { callsOf } from "./calls.ts";
import { defineMeasure } from "./measure.ts";
import { countBetween, peakCount } from "./rates.ts";
import { lowerBound } from "./statistics.ts";
import { type BucketTraffic, bucketTraffic, share } from "./traffic.ts";

/** A maximal stretch on one bucket with throttled attempts, with no longer pause between them than `PAUSE` allows. */
export interface Incident {
  /** `i1`, `i2`, ... by start, then by bucket. */
  readonly id: string;
  readonly bucket: number;
  /** From the first refusal to just after the last. Half-open. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Attempts of the bucket sent within [from, to), in order. */
  readonly rows: Uint32Array;
  readonly attempts: number;
  /** First attempts among them. */
  readonly calls: number;
  readonly throttled: number;
  /** Calls of this incident that ended without a success. */
  readonly failedCalls: number;
  readonly firstRefusal: number;
  readonly lastRefusal: number;
  /** The dimension that most refusals name; `unknown` when none names one. */
  readonly dimension: Dimension;
  /** Attempts per minute in the minute before the first refusal; null when the log begins less than 20 s before it. */
  readonly rateBefore: number | null;
  /** Attempts per minute in the busiest 30 s from the first refusal on. */
  readonly rateAfter: number;
  /** Who sent how much; most attempts first, then by name. */
  readonly agents: readonly IncidentAgent[];
}

export interface IncidentAgent {
  readonly agent: number;
  readonly name: string;
  readonly attempts: number;
  /** First attempts. */
  readonly calls: number;
  readonly throttled: number;
  /** Tokens of its attempts; of refused ones too, where told. */
  readonly tokens: number;
  /** Calls of this incident that ended without a success. */
  readonly failedCalls: number;
  readonly shareOfAttempts: number;
  readonly shareOfCalls: number;
  /** null = the incident tells no tokens. */
  readonly shareOfTokens: number | null;
}

/** Refusals further apart than this are two incidents, unless the server asked for a longer wait. */
const PAUSE: DurationMs = 60_000;
/** A hint of hours (daily limits, hostile values) must not weld a whole day into one incident. */
const LONGEST_PAUSE: DurationMs = 900_000;
const BEFORE: DurationMs = 60_000;
const LEAST_BEFORE: DurationMs = 20_000;
const AFTER: DurationMs = 30_000;

export const incidentsOf: (log: RequestLog) => readonly Incident[] = defineMeasure((log) =>
  bucketTraffic(log)
    .flatMap((traffic) => stretches(log, traffic).map(([from, to]) => describe(log, traffic, from, to)))
    .toSorted((a, b) => a.from - b.from || a.bucket - b.bucket)
    .map((incident, i) => ({ ...incident, id: `i${i + 1}` })),
);

/** Pairs of first and last refused row. */
function stretches(log: RequestLog, { rows }: BucketTraffic): [number, number][] {
  const { attempts } = log;
  const refused = rows.filter((row) => isThrottled(attempts, row));
  const pause = refused.reduce(
    (longest, row) => Math.max(longest, Math.min(attempts.retryAfterMs[row] ?? 0, LONGEST_PAUSE)),
    PAUSE,
  );
  const found: [number, number][] = [];
  for (const row of refused) {
    const current = found.at(-1);
    // A client hears the hint when the answer ends, and only then begins to wait.
    const since = current === undefined ? Number.NEGATIVE_INFINITY : endMs(attempts, current[1]);
    if (current !== undefined && (attempts.sentMs[row] ?? 0) - since <= pause) current[1] = row;
    else found.push([row, row]);
  }
  return found;
}

function describe(
  log: RequestLog,
  traffic: BucketTraffic,
  firstRefusal: number,
  lastRefusal: number,
): Incident {
  const { attempts } = log;
  const from = attempts.sentMs[firstRefusal] ?? 0;
  const to = (attempts.sentMs[lastRefusal] ?? 0) + 1;
  const [low, high] = [lowerBound(traffic.times, from), lowerBound(traffic.times, to)];
  const rows = traffic.rows.subarray(low, high);
  const { repeated } = callsOf(log);
  const logStart = log.span?.from ?? from;
  const before = Math.min(BEFORE, from - logStart);
  const agents = agentsIn(log, rows);
  return {
    id: "",
    bucket: traffic.bucket,
    from,
    to,
    rows,
    attempts: rows.length,
    calls: rows.reduce((sum, row) => sum + (repeated[row] === 0 ? 1 : 0), 0),
    throttled: rows.reduce((sum, row) => sum + (isThrottled(attempts, row) ? 1 : 0), 0),
    failedCalls: agents.reduce((sum, agent) => sum + agent.failedCalls, 0),
    firstRefusal,
    lastRefusal,
    dimension: mainDimension(log, rows),
    rateBefore:
      before < LEAST_BEFORE ? null : (countBetween(traffic.times, from - before, from) * 60_000) / before,
    rateAfter: peakCount(traffic.times.subarray(low, high), AFTER).value * (60_000 / AFTER),
    agents,
  };
}

function mainDimension(log: RequestLog, rows: Uint32Array): Dimension {
  const counts = new Map<Dimension, number>();
  for (const row of rows) {
    if (!isThrottled(log.attempts, row)) continue;
    const dimension = dimensionAt(log.attempts, row);
    if (dimension !== "unknown") counts.set(dimension, (counts.get(dimension) ?? 0) + 1);
  }
  const most = DIMENSIONS.filter((d) => counts.has(d)).toSorted(
    (a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0),
  );
  return most[0] ?? "unknown";
}

function agentsIn(log: RequestLog, rows: Uint32Array): IncidentAgent[] {
  const { attempts } = log;
  const calls = callsOf(log);
  const sums = new Map<
    number,
    { attempts: number; calls: number; throttled: number; tokens: number; failed: Set<number> }
  >();
  for (const row of rows) {
    const agent = attempts.agent[row] ?? 0;
    let sum = sums.get(agent);
    if (sum === undefined)
      sums.set(agent, (sum = { attempts: 0, calls: 0, throttled: 0, tokens: 0, failed: new Set() }));
    sum.attempts++;
    if (calls.repeated[row] === 0) sum.calls++;
    if (isThrottled(attempts, row)) sum.throttled++;
    sum.tokens += Math.max(0, tokensAt(attempts, row));
    const call = calls.of[row] ?? 0;
    if (!isOk(attempts, calls.last[call] ?? row)) sum.failed.add(call);
  }
  const all = [...sums.values()].reduce(
    (t, s) => ({ calls: t.calls + s.calls, tokens: t.tokens + s.tokens }),
    { calls: 0, tokens: 0 },
  );
  return [...sums]
    .map(([agent, { failed, ...sum }]) => ({
      agent,
      name: log.agents[agent] ?? "",
      ...sum,
      failedCalls: failed.size,
      shareOfAttempts: share(sum.attempts, rows.length),
      shareOfCalls: share(sum.calls, all.calls),
      shareOfTokens: all.tokens > 0 ? share(sum.tokens, all.tokens) : null,
    }))
    .toSorted((a, b) => b.attempts - a.attempts || (a.name < b.name ? -1 : 1));
}
