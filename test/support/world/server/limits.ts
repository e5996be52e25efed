import type { LimitSpec } from "../spec.ts";
import { createBucket } from "./bucket.ts";
import type { Level } from "./wording.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface Demand {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Output tokens that the request reserves; 0 = none. */
  readonly maxTokens: number;
}

/** One limit of a server while the world runs. */
export interface Limit {
  readonly spec: LimitSpec;
  /** What this request asks of the limit before it is let in. */
  cost(demand: Demand): number;
  fits(nowMs: number, demand: Demand): boolean;
  waitMs(nowMs: number, demand: Demand): number;
  /** The request was let in. */
  enter(nowMs: number, demand: Demand): void;
  /** The answer has ended. */
  leave(nowMs: number, demand: Demand): void;
  level(nowMs: number): Level;
}

export function createLimit(spec: LimitSpec): Limit {
  return spec.id === "concurrency" ? concurrencyLimit(spec) : bucketLimit(spec);
}

function bucketLimit(spec: LimitSpec): Limit {
  const windowMs = spec.id.endsWith("-day") ? DAY_MS : MINUTE_MS;
  const bucket = createBucket(spec.amount, windowMs, spec.capacity, spec.initial ?? 1);
  const cost = (demand: Demand): number => costOf(spec, demand);
  // Output is only known when it has been generated: it is let in while anything is left and taken at the end.
  const atEnd = spec.id === "output-tokens";
  return {
    spec,
    cost,
    fits: (nowMs, demand) => bucket.fits(nowMs, cost(demand)),
    waitMs: (nowMs, demand) => bucket.waitMs(nowMs, cost(demand)),
    enter: (nowMs, demand) => {
      if (!atEnd) bucket.take(nowMs, cost(demand));
    },
    leave: (nowMs, demand) => {
      if (atEnd) bucket.take(nowMs, demand.outputTokens);
    },
    level: (nowMs) => ({
      limit: spec,
      remaining: Math.max(0, bucket.remaining(nowMs)),
      fullInMs: bucket.waitMs(nowMs, spec.capacity),
    }),
  };
}

function costOf(spec: LimitSpec, demand: Demand): number {
  switch (spec.id) {
    case "requests":
    case "requests-day":
    case "output-tokens":
    case "concurrency":
      return 1;
    case "input-tokens":
      return demand.inputTokens;
    case "tokens":
    case "tokens-day":
      return demand.inputTokens + demand.maxTokens;
    default:
      return spec.id satisfies never;
  }
}

function concurrencyLimit(spec: LimitSpec): Limit {
  let inFlight = 0;
  return {
    spec,
    cost: () => 1,
    fits: () => inFlight < spec.amount,
    waitMs: () => 0,
    enter: () => {
      inFlight++;
    },
    leave: () => {
      inFlight--;
    },
    level: () => ({ limit: spec, remaining: spec.amount - inFlight, fullInMs: 0 }),
  };
}
