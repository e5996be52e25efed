import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { simulateScenario } from "../../src/simulate/scenario.ts";
import { parseScenario } from "../../src/simulate/scenario-file.ts";
import type { Scenario, Strategy } from "../../src/simulate/scenario-schema.ts";
import { scenario } from "./scenarios.ts";
import { trace } from "./traced.ts";

/** The published experiment was wrong twice before it was right. Both mistakes stay here. */

const SAMPLES = join(import.meta.dirname, "../../samples/simulate");

function sample(file: string): Scenario {
  return parseScenario(readFileSync(join(SAMPLES, file), "utf8"), file);
}

function strategyOf(world: Scenario, id: string): Strategy {
  const found = world.strategies.find((one) => one.id === id);
  if (found === undefined) throw new RangeError(`no strategy ${id}`);
  return found;
}

describe("the clock stood still on a ready call that the client held back", () => {
  const calls = { count: 3, atMs: 0, everyMs: 0, priority: 1, critical: [] };
  const world: Scenario = {
    server: { capacity: 5, ratePerSecond: 5 },
    latencyMs: 120,
    seed: 1,
    retry: { baseMs: 500, factor: 2, jitterMs: 0 },
    calls: [calls],
    strategies: [],
  };

  test("behind a full cap, with tokens to spare, the clock goes on to the next answer", () => {
    const limiter = { ratePerSecond: 100, burst: 3 };
    const { result, asked } = trace(world, {
      id: "held",
      retry: true,
      order: "fifo",
      concurrency: 1,
      limiter,
    });
    expect(result.calls.map((call) => Math.round(call.endS * 1_000))).toEqual([120, 240, 360]);
    expect(asked).toBeLessThan(20);
  });

  test("without a token it goes on to the next token, however late it is in the day", () => {
    const limiter = { ratePerSecond: 3, burst: 1 };
    const held: Strategy = { id: "held", retry: true, order: "fifo", limiter };
    for (const atMs of [0, 86_400_000, 1_700_000_000_000, 10_000_000_000_000]) {
      const { limiterS, asked } = trace({ ...world, calls: [{ ...calls, atMs }] }, held);
      // 5 ms: floats count no finer 300 years on.
      for (const [i, sentS] of limiterS.entries()) expect(sentS - atMs / 1_000).toBeCloseTo(i / 3, 2);
      expect(limiterS).toHaveLength(3);
      expect(asked).toBeLessThan(30);
    }
  });
});

describe("the FIFO control was secretly sorted by priority", () => {
  test("in the FIFO rows a critical call waits its turn; in the priority rows it does not", () => {
    const world = sample("burst-30.json");
    const ends = (id: string): readonly number[] =>
      trace(world, strategyOf(world, id)).result.calls.map((call) => Math.round(call.endS * 1_000));
    for (const id of ["E", "G"]) expect(ends(id)).toEqual(ends(id).toSorted((a, b) => a - b));
    for (const id of ["F", "H"])
      for (const critical of [10, 18, 25]) expect(ends(id)[critical]).toBeLessThan(ends(id)[2] ?? 0);
  });

  test("the control has the numbers a control must have: the last critical call waits for its place", () => {
    // The 26th call behind a burst of 2 at 4/s: (26 - 2) / 4 s + 0.12 s.
    const [row] = simulateScenario({
      ...sample("burst-30.json"),
      strategies: [strategyOf(sample("burst-30.json"), "E")],
    });
    expect(row?.criticalMs).toBe(6_120);
  });

  test("priorities change nothing for a FIFO client", () => {
    fc.assert(
      fc.property(scenario, fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }), (world, priorities) => {
        const [one] = world.strategies;
        if (one === undefined) throw new RangeError("a random scenario has a strategy");
        const fifo: Strategy = { ...one, order: "fifo", aging: undefined };
        const others = world.calls.map((group, i) => ({
          ...group,
          priority: priorities[i] ?? 0,
          critical: [],
        }));
        const ends = (calls: Scenario["calls"]): readonly number[] =>
          trace({ ...world, calls }, fifo).result.calls.map((call) => call.endS);
        expect(ends(others)).toEqual(ends(world.calls));
      }),
      { numRuns: 150, seed: 429 },
    );
  });
});
