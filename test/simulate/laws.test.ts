import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callsOf, simulateScenario } from "../../src/simulate/scenario.ts";
import type { Scenario, Strategy } from "../../src/simulate/scenario-schema.ts";
import { limiter, order, scenario, strategy } from "./scenarios.ts";
import { trace } from "./traced.ts";

const RUNS = { numRuns: 200, seed: 429 };

/** What each taken token may be early by, since tokens a hair short of one count as one. */
const HAIR = 1e-8;

function first(world: Scenario): Strategy {
  const [one] = world.strategies;
  if (one === undefined) throw new RangeError("a random scenario has a strategy");
  return one;
}

/** The worst excess of any window that begins and ends with a token; such windows are the tightest. */
function excess(takenS: readonly number[], burst: number, ratePerSecond: number): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (const [i, fromS] of takenS.entries())
    for (const [j, toS] of takenS.entries())
      if (j >= i)
        worst = Math.max(worst, j - i + 1 - burst - ratePerSecond * (toS - fromS) - HAIR * (j - i + 1));
  return worst;
}

describe("conservation", () => {
  test("accepted and refused attempts are all attempts, each repeated one a retry", () => {
    fc.assert(
      fc.property(scenario, (world) => {
        const { result, acceptedS, limiterS } = trace(world, first(world));
        const [row] = simulateScenario(world);
        expect(acceptedS.length + result.throttled).toBe(result.attempts);
        expect(result.calls.reduce((sum, call) => sum + call.refusals, 0)).toBe(result.throttled);
        expect(row?.retries).toBe(result.attempts - result.calls.length);
        if (first(world).limiter !== undefined) expect(limiterS).toHaveLength(result.attempts);
      }),
      RUNS,
    );
  });

  test("every call ends once: answered, or failed after its last refusal", () => {
    fc.assert(
      fc.property(scenario, (world) => {
        const { result, acceptedS } = trace(world, first(world));
        const calls = callsOf(world);
        const latencyS = world.latencyMs / 1_000;
        expect(result.calls).toHaveLength(calls.length);
        for (const [i, { endS, failed }] of result.calls.entries())
          expect(endS).toBeGreaterThanOrEqual((calls[i]?.arrivalS ?? 0) + (failed ? 0 : latencyS) - HAIR);
        expect(acceptedS).toHaveLength(result.calls.filter((call) => !call.failed).length);
      }),
      RUNS,
    );
  });

  test("without a bound on retries, no call fails; without retries, each refusal is a failure", () => {
    fc.assert(
      fc.property(scenario, (world) => {
        const { maxRetries: _, ...retry } = world.retry;
        const patient = { ...world, retry, strategies: [{ ...first(world), retry: true }] };
        expect(simulateScenario(patient)[0]?.failed).toBe(0);
        const [once] = simulateScenario({ ...world, strategies: [{ ...first(world), retry: false }] });
        expect([once?.failed, once?.retries]).toEqual([once?.throttled, 0]);
      }),
      RUNS,
    );
  });
});

describe("limits", () => {
  test("no window holds more sends than burst + rate x window, nor more accepted ones than the server's", () => {
    fc.assert(
      fc.property(scenario, strategy, limiter, (world, base, limits) => {
        const { acceptedS, limiterS } = trace(world, { ...base, limiter: limits });
        expect(excess(limiterS, limits.burst, limits.ratePerSecond)).toBeLessThanOrEqual(0);
        expect(excess(acceptedS, world.server.capacity, world.server.ratePerSecond)).toBeLessThanOrEqual(0);
      }),
      RUNS,
    );
  });

  test("the window law itself can fail", () => {
    expect(excess([0, 0, 0.2], 2, 4)).toBeGreaterThan(0);
    expect(excess([0, 0, 0.25], 2, 4)).toBeLessThanOrEqual(0);
  });

  test("a limiter at or below the server's rate and capacity is never refused", () => {
    fc.assert(
      fc.property(
        scenario,
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (world, ratePart, burstPart) => {
          const { capacity, ratePerSecond } = world.server;
          const within = {
            ratePerSecond: Math.max(0.05, ratePerSecond * ratePart),
            burst: 1 + (capacity - 1) * burstPart,
          };
          const [row] = simulateScenario({ ...world, strategies: [{ ...first(world), limiter: within }] });
          expect([row?.throttled, row?.retries, row?.failed]).toEqual([0, 0, 0]);
        },
      ),
      RUNS,
    );
  });

  test("the same rate and burst on both sides stay level over a hundred thousand calls", () => {
    const world: Scenario = {
      server: { capacity: 3, ratePerSecond: 7 },
      latencyMs: 1,
      seed: 1,
      retry: { baseMs: 500, factor: 2, jitterMs: 0 },
      calls: [{ count: 100_000, atMs: 0, everyMs: 0, priority: 1, critical: [] }],
      strategies: [{ id: "same", retry: true, order: "fifo", limiter: { ratePerSecond: 7, burst: 3 } }],
    };
    const [row] = simulateScenario(world);
    expect(row?.throttled).toBe(0);
    // (100 000 - 3) / 7 s and one answer.
    expect(row?.totalMs).toBeCloseTo(14_285_286.714, 2);
  });

  test("a cap bounds the requests under way", () => {
    fc.assert(
      fc.property(scenario, fc.integer({ min: 1, max: 3 }), (world, concurrency) => {
        const { acceptedS } = trace(world, { ...first(world), concurrency });
        const latencyS = world.latencyMs / 1_000;
        for (const atS of acceptedS)
          expect(
            acceptedS.filter((sentS) => sentS <= atS && atS < sentS + latencyS - HAIR).length,
          ).toBeLessThanOrEqual(concurrency);
      }),
      RUNS,
    );
  });
});

/** A server that accepts everything, so that only the client decides who goes when. */
function unlimited(world: Scenario): Scenario {
  return { ...world, server: { capacity: 10_000, ratePerSecond: 1_000 } };
}

describe("order", () => {
  test("FIFO keeps the order of arrival", () => {
    fc.assert(
      fc.property(scenario, (world) => {
        const open = unlimited(world);
        const { result } = trace(open, { ...first(world), order: "fifo", aging: undefined });
        const inOrder = callsOf(open).toSorted((a, b) => a.arrivalS - b.arrivalS || a.index - b.index);
        const endsS = inOrder.map((call) => result.calls[call.index]?.endS ?? Number.NaN);
        for (const [i, endS] of endsS.entries())
          expect(endS).toBeGreaterThanOrEqual((endsS[i - 1] ?? 0) - HAIR);
      }),
      RUNS,
    );
  });

  test("who goes first does not change when the last is done, while nothing is refused", () => {
    fc.assert(
      fc.property(scenario, order, (world, ordered) => {
        const { aging: _, ...base } = first(world);
        const [fifo, other] = simulateScenario({
          ...unlimited(world),
          strategies: [
            { ...base, id: "fifo", order: "fifo" },
            { ...base, ...ordered, id: "other" },
          ],
        });
        expect([fifo?.throttled, other?.throttled]).toEqual([0, 0]);
        expect(other?.totalMs).toBeCloseTo(fifo?.totalMs ?? Number.NaN, 2);
      }),
      RUNS,
    );
  });

  test("aging by nothing, or after longer than anyone waits, is plain priority", () => {
    fc.assert(
      fc.property(scenario, (world) => {
        const plain = { ...first(world), order: "priority", aging: undefined } as const;
        const rows = simulateScenario({
          ...world,
          strategies: [
            { ...plain, id: "plain" },
            { ...plain, id: "slow", aging: { perSecond: 0 } },
            { ...plain, id: "late", aging: { afterMs: 9_999_999_999 } },
          ],
        }).map((row) => ({ ...row, id: "" }));
        expect(rows[1]).toEqual(rows[0]);
        expect(rows[2]).toEqual(rows[0]);
      }),
      RUNS,
    );
  });
});

describe("repeatability", () => {
  test("same scenario, same bytes; strategies do not see each other; nothing handed in is changed", () => {
    fc.assert(
      fc.property(scenario, strategy, (world, other) => {
        const before = JSON.stringify(world);
        const alone = simulateScenario(world);
        const beside = simulateScenario({
          ...world,
          strategies: [{ ...other, id: "other" }, ...world.strategies],
        });
        expect(JSON.stringify(beside.slice(1))).toBe(JSON.stringify(alone));
        expect(JSON.stringify(world)).toBe(before);
      }),
      RUNS,
    );
  });

  test("another seed moves the jitter and nothing else", () => {
    fc.assert(
      fc.property(scenario, fc.nat(), (world, seed) => {
        const calm = { ...world, retry: { ...world.retry, jitterMs: 0 } };
        expect(simulateScenario(calm, seed)).toEqual(simulateScenario(calm));
      }),
      RUNS,
    );
    const burst: Scenario = {
      server: { capacity: 5, ratePerSecond: 5 },
      latencyMs: 120,
      seed: 1,
      retry: { baseMs: 500, factor: 2, jitterMs: 200 },
      calls: [{ count: 30, atMs: 0, everyMs: 0, priority: 1, critical: [] }],
      strategies: [{ id: "one", retry: true, order: "fifo" }],
    };
    expect(simulateScenario(burst, 2)).not.toEqual(simulateScenario(burst));
  });
});
