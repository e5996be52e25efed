import { UserError } from "../model/user-error.ts";
import {
  EndlessSimulation,
  type SimulatedCall,
  type SimulationResult,
  simulate,
  type World,
} from "./engine.ts";
import type { Order } from "./order.ts";
import { createRandom } from "./random.ts";
import type { Scenario, Strategy } from "./scenario-schema.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** What one strategy came to. Times in ms from the start, rounded to microseconds. */
export interface StrategyResult {
  readonly id: string;
  /** Refused attempts. */
  readonly throttled: number;
  /** Attempts that repeated a refused one. */
  readonly retries: number;
  /** Calls that were given up. */
  readonly failed: number;
  /** When the last call was answered; 0 = none was. A failed call is not answered, here and below. */
  readonly totalMs: number;
  /** When the last of the calls of priority 0 that were answered was; null = none was. Read it beside `failed`. */
  readonly criticalMs: number | null;
  /** Longest time from arrival to answer of a call above priority 0; null = none was answered. */
  readonly backgroundMaxMs: number | null;
}

/**
 * Plays every strategy against the same world.
 *
 * @param seed instead of the file's
 * @throws UserError for a scenario that never ends
 */
export function simulateScenario(
  scenario: Scenario,
  seed: number = scenario.seed,
): readonly StrategyResult[] {
  const calls = callsOf(scenario);
  return scenario.strategies.map((strategy) =>
    summarise(strategy.id, calls, play(scenario, strategy, calls, seed)),
  );
}

/** The calls of all groups, indices counted through them in the order of the file. */
export function callsOf(scenario: Scenario): readonly SimulatedCall[] {
  const calls: SimulatedCall[] = [];
  const serviceS = scenario.latencyMs / 1_000;
  for (const group of scenario.calls) {
    const critical = new Set(group.critical);
    for (let k = 0; k < group.count; k++) {
      const arrivalS = (group.atMs + k * group.everyMs) / 1_000;
      const priority = critical.has(k) ? 0 : group.priority;
      calls.push({
        index: calls.length,
        arrivalS,
        priority,
        serviceS,
        refusalS: 0,
        lane: 0,
        costs: ONE,
        after: null,
      });
    }
  }
  return calls;
}

const ONE: readonly number[] = [1];

function play(
  scenario: Scenario,
  strategy: Strategy,
  calls: readonly SimulatedCall[],
  seed: number,
): SimulationResult {
  try {
    return simulate(calls, worldOf(scenario, strategy, seed));
  } catch (error) {
    if (!(error instanceof EndlessSimulation)) throw error;
    throw new UserError(
      `strategy "${strategy.id}" never ends: ${error.message}`,
      "Raise a rate, or set retry.maxRetries.",
    );
  }
}

/** A server, and a client that follows the strategy, as they are before the first call. Good for one simulation. */
export function worldOf(scenario: Scenario, strategy: Strategy, seed: number): World {
  const random = createRandom(seed);
  const { baseMs, factor, jitterMs, maxRetries = Number.POSITIVE_INFINITY } = scenario.retry;
  const { limiter, concurrency } = strategy;
  return {
    server: [createTokenBucket(scenario.server.capacity, scenario.server.ratePerSecond)],
    lanes: [
      {
        limiters:
          limiter === undefined
            ? []
            : [{ bucket: createTokenBucket(limiter.burst, limiter.ratePerSecond), costOf: () => 1 }],
        cap: concurrency ?? Number.POSITIVE_INFINITY,
        order: orderOf(strategy),
      },
    ],
    retryWait: (_call, refusals) => {
      // One draw a refusal, whether or not it is used: the others must not shift.
      const jitter = random() * jitterMs;
      // No base, no growth: 0 x Infinity would be no number.
      const backoffMs = baseMs === 0 ? 0 : baseMs * factor ** (refusals - 1);
      return strategy.retry && refusals <= maxRetries ? (backoffMs + jitter) / 1_000 : null;
    },
  };
}

function orderOf({ order, aging }: Strategy): Order {
  if (typeof order === "object") return { kind: "weighted", criticalPerBackground: order.weighted };
  if (aging === undefined) return { kind: order };
  return "perSecond" in aging
    ? { kind: "linear-aging", perSecond: aging.perSecond }
    : { kind: "threshold-aging", afterS: aging.afterMs / 1_000 };
}

function summarise(id: string, calls: readonly SimulatedCall[], result: SimulationResult): StrategyResult {
  let [failed, total] = [0, 0];
  let critical: number | null = null;
  let background: number | null = null;
  for (const [i, { endS, failed: gaveUp }] of result.calls.entries()) {
    const call = calls[i];
    if (call === undefined) continue;
    if (gaveUp) {
      failed++;
      continue;
    }
    total = Math.max(total, endS);
    if (call.priority === 0) critical = Math.max(critical ?? 0, endS);
    else background = Math.max(background ?? 0, endS - call.arrivalS);
  }
  return {
    id,
    throttled: result.throttled,
    retries: result.throttled - failed,
    failed,
    totalMs: ms(total),
    criticalMs: critical === null ? null : ms(critical),
    backgroundMaxMs: background === null ? null : ms(background),
  };
}

/** Microseconds are finer than anything a log tells and coarser than the sums of floats. */
function ms(seconds: number): number {
  return Math.round(seconds * 1_000_000) / 1_000;
}
