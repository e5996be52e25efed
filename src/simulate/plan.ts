import { costOf } from "./cost.ts";
import { peakCount, peakWeight } from "../measure/rates.ts";
import { quantile } from "../measure/statistics.ts";
import type { RateDimension } from "../model/outcome.ts";
import type { DurationMs } from "../model/time.ts";
import { type Lane, type SimulatedCall, type SimulationResult, simulate } from "./engine.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** A call that is going to be made. */
export interface PlannedCall {
  /** From the start of the job. */
  readonly atMs: DurationMs;
  readonly serviceMs: DurationMs;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A limit to plan against. */
export interface PlanLimit {
  readonly dimension: RateDimension;
  readonly perMinute: number;
  /** null = not known: one second's worth is assumed, the strictest reading of "60 a minute". */
  readonly burst: number | null;
}

export interface PlanDimension {
  readonly dimension: RateDimension;
  readonly perMinute: number;
  readonly burst: number;
  readonly burstAssumed: boolean;
  /** The most that any minute of the load asks for, and its part of the limit. */
  readonly peakPerMinute: number;
  readonly peakShare: number;
}

export interface Plan {
  readonly calls: number;
  readonly dimensions: readonly PlanDimension[];
  /** First sends that would be refused if nobody held them back, and when the first of them. */
  readonly refused: number;
  readonly firstRefusedMs: DurationMs | null;
  /** Until the last answer, if nothing were ever refused. */
  readonly unlimitedMs: DurationMs;
  /** A client token bucket with which nothing is refused, and what the job takes behind it. */
  readonly paced: {
    readonly ratePerMinute: number;
    readonly burst: number;
    readonly tokensPerMinute: number | null;
    readonly refused: number;
    readonly totalMs: DurationMs;
    readonly waitP95Ms: DurationMs;
  };
  /** No client can be done sooner: (all that is needed - burst) / rate + the shortest answer, in the tightest dimension. */
  readonly lowerBoundMs: DurationMs;
}

/** Would this load be refused, and what pace makes it fit? Needs at least one call and one limit. */
export function planOf(calls: readonly PlannedCall[], limits: readonly PlanLimit[]): Plan {
  const ordered = calls.toSorted((a, b) => a.atMs - b.atMs);
  const dimensions = limits.map((limit) => dimensionOf(ordered, limit));
  const free = play(ordered, dimensions, {
    limiters: [],
    cap: Number.POSITIVE_INFINITY,
    order: { kind: "fifo" },
  });
  const refusedAt = ordered.filter((_, i) => (free.calls[i]?.refusals ?? 0) > 0).map((call) => call.atMs);
  const requests = dimensions.find((one) => one.dimension === "requests");
  const tokens = dimensions.find((one) => one.dimension !== "requests");
  const pace = requests ?? { perMinute: Number.MAX_SAFE_INTEGER, burst: ordered.length };
  const paced = play(ordered, dimensions, {
    limiters: [requests, tokens].flatMap((one) =>
      one === undefined ? [] : [limiterOf(one, dimensions.indexOf(one))],
    ),
    cap: Number.POSITIVE_INFINITY,
    order: { kind: "fifo" },
  });
  const waits = ordered.map((call, i) => (paced.calls[i]?.endS ?? 0) * 1_000 - call.atMs - call.serviceMs);
  return {
    calls: ordered.length,
    dimensions,
    refused: refusedAt.length,
    firstRefusedMs: refusedAt[0] ?? null,
    unlimitedMs: Math.max(...ordered.map((call) => call.atMs + call.serviceMs)),
    paced: {
      ratePerMinute: Math.min(pace.perMinute, ordered.length * 60_000),
      burst: Math.floor(pace.burst),
      tokensPerMinute: tokens?.perMinute ?? null,
      refused: paced.throttled,
      totalMs: Math.round(Math.max(...paced.calls.map((call) => call.endS)) * 1_000),
      waitP95Ms: Math.max(0, Math.round(quantile(waits, 0.95) ?? 0)),
    },
    lowerBoundMs: Math.round(lowerBound(ordered, dimensions)),
  };
}

function dimensionOf(
  calls: readonly PlannedCall[],
  { dimension, perMinute, burst }: PlanLimit,
): PlanDimension {
  const times = calls.map((call) => call.atMs);
  const costs = calls.map((call) => costOf(call, dimension));
  const peak = dimension === "requests" ? peakCount(times, 60_000) : peakWeight(times, costs, 60_000);
  // A call larger than the bucket could never pass; the bucket must hold at least the largest.
  const capacity = Math.max(burst ?? perMinute / 60, 1, burst === null ? Math.max(...costs) : 0);
  return {
    dimension,
    perMinute,
    burst: capacity,
    burstAssumed: burst === null,
    peakPerMinute: peak.value,
    peakShare: peak.value / perMinute,
  };
}

function limiterOf(dimension: PlanDimension, at: number): Lane["limiters"][number] {
  return {
    bucket: createTokenBucket(dimension.burst, dimension.perMinute / 60),
    costOf: (call) => call.costs[at] ?? 0,
  };
}

function play(
  calls: readonly PlannedCall[],
  dimensions: readonly PlanDimension[],
  lane: Lane,
): SimulationResult {
  const simulated = calls.map(
    (call, index): SimulatedCall => ({
      index,
      arrivalS: call.atMs / 1_000,
      priority: 0,
      serviceS: call.serviceMs / 1_000,
      refusalS: 0,
      lane: 0,
      costs: dimensions.map((one) => Math.min(one.burst, costOf(call, one.dimension))),
      after: null,
    }),
  );
  const server = dimensions.map((one) => createTokenBucket(one.burst, one.perMinute / 60));
  return simulate(simulated, { server, lanes: [lane], retryWait: () => null });
}

function lowerBound(calls: readonly PlannedCall[], dimensions: readonly PlanDimension[]): number {
  const shortest = Math.min(...calls.map((call) => call.serviceMs));
  const first = calls[0]?.atMs ?? 0;
  const bounds = dimensions.map((one) => {
    const needed = calls.reduce((sum, call) => sum + costOf(call, one.dimension), 0);
    return (Math.max(0, needed - one.burst) / one.perMinute) * 60_000 + shortest;
  });
  const natural = Math.max(...calls.map((call) => call.atMs + call.serviceMs));
  return Math.max(natural, first + Math.max(0, ...bounds));
}
