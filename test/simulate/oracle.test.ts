import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type StrategyResult, simulateScenario } from "../../src/simulate/scenario.ts";
import { slowSimulate } from "../support/slow-simulator.ts";
import { scenario } from "./scenarios.ts";

/** Results are rounded to microseconds, so an equal time can come out one microsecond apart. */
const STEP_MS = 0.001;

function near(a: number | null | undefined, b: number | null | undefined): boolean {
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  return Math.abs(a - b) <= 1.5 * STEP_MS;
}

test("the engine agrees with the slow reading of the same text", () => {
  fc.assert(
    fc.property(scenario, (world) => {
      const [strategy] = world.strategies;
      if (strategy === undefined) throw new RangeError("a random scenario has a strategy");
      const slow = slowSimulate(world, strategy).result;
      const [fast] = simulateScenario(world);
      const same = [
        "totalMs",
        "criticalMs",
        "backgroundMaxMs",
      ] as const satisfies readonly (keyof StrategyResult)[];
      expect({ ...fast, totalMs: 0, criticalMs: 0, backgroundMaxMs: 0 }).toEqual({
        ...slow,
        totalMs: 0,
        criticalMs: 0,
        backgroundMaxMs: 0,
      });
      for (const key of same)
        expect([key, fast?.[key], slow[key], near(fast?.[key], slow[key])]).toContain(true);
    }),
    { numRuns: 1_000, seed: 429 },
  );
});
