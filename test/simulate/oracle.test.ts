import * as fc from "fast-check";
import { expect, test } from "vitest";
import { simulateScenario, type StrategyResult } from "../../src/simulate/scenario.ts";
import { slowSimulate } from "../support/slow-simulator.ts";
import { scenario } from "./scenarios.ts";
import { trace } from "./traced.ts";

/** Printed times are whole microseconds, and the two add their floats in different orders. */
const NEAR_MS = 0.0015;

/** Equal, but for the last digit of a time: of large ones a float tells fewer. */
function isNear(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : Math.abs(a - b) <= NEAR_MS + 1e-12 * Math.abs(a);
}

const TIMES = [
  "totalMs",
  "criticalMs",
  "backgroundMaxMs",
] as const satisfies readonly (keyof StrategyResult)[];

test("the engine agrees with the slow reading of the same text, call by call and in sum", () => {
  fc.assert(
    fc.property(scenario, (world) => {
      const [strategy] = world.strategies;
      const [fast] = simulateScenario(world);
      if (strategy === undefined || fast === undefined) throw new RangeError("one strategy, one row");
      const slow = slowSimulate(world, strategy);

      const counts = { throttled: fast.throttled, retries: fast.retries, failed: fast.failed };
      expect(slow.result).toMatchObject(counts);
      for (const key of TIMES)
        expect({ key, fast, slow: slow.result, isNear: isNear(fast[key], slow.result[key]) }).toMatchObject({
          isNear: true,
        });

      const { calls } = trace(world, strategy).result;
      expect(calls.map((call) => [call.failed, call.refusals])).toEqual(
        slow.calls.map((call) => [call.isFailed, call.refusals]),
      );
      const apart = calls.filter(({ endS }, i) => !isNear(endS * 1_000, (slow.calls[i]?.endS ?? 0) * 1_000));
      expect(apart).toEqual([]);
    }),
    { numRuns: 500, seed: 429 },
  );
});
