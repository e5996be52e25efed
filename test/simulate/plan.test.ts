import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planOf, type PlannedCall } from "../../src/simulate/plan.ts";

const together = (count: number, serviceMs: number = 1_000, inputTokens: number = 0): PlannedCall[] =>
  Array.from({ length: count }, () => ({ atMs: 0, serviceMs, inputTokens, outputTokens: 0 }));

test("50 tasks of 3 calls at once against 50 a minute", () => {
  const plan = planOf(together(150), [{ dimension: "requests", perMinute: 50, burst: 5 }]);
  expect(plan.refused).toBe(145);
  expect(plan.firstRefusedMs).toBe(0);
  expect(plan.dimensions[0]).toMatchObject({ peakPerMinute: 150, peakShare: 3, burstAssumed: false });
  // (150 - 5) / (50 / 60) + 1 s
  expect(plan.lowerBoundMs).toBe(175_000);
  expect(plan.paced).toMatchObject({ ratePerMinute: 50, burst: 5, refused: 0, totalMs: 175_000 });
});

test("what fits is left alone", () => {
  const plan = planOf(together(4), [{ dimension: "requests", perMinute: 50, burst: 5 }]);
  expect(plan).toMatchObject({ refused: 0, firstRefusedMs: null, unlimitedMs: 1_000, lowerBoundMs: 1_000 });
  expect(plan.paced.totalMs).toBe(1_000);
});

test("an unknown burst is taken to be one second's worth, and said to be", () => {
  const plan = planOf(together(10), [{ dimension: "requests", perMinute: 300, burst: null }]);
  expect(plan.dimensions[0]).toMatchObject({ burst: 5, burstAssumed: true });
  expect(plan.refused).toBe(5);
});

test("tokens can bind where requests do not", () => {
  const plan = planOf(together(10, 1_000, 2_000), [
    { dimension: "requests", perMinute: 600, burst: 100 },
    { dimension: "input-tokens", perMinute: 30_000, burst: 4_000 },
  ]);
  // 4,000 tokens at once are two calls; the other eight wait 4 s each.
  expect(plan.refused).toBe(8);
  expect(plan.lowerBoundMs).toBe(33_000);
  expect(plan.paced).toMatchObject({ refused: 0, tokensPerMinute: 30_000, totalMs: 33_000 });
});

test("behind the proposed pace nothing is ever refused, and nobody beats the bound", () => {
  const call = fc.record({
    atMs: fc.nat(60_000),
    serviceMs: fc.integer({ min: 1, max: 5_000 }),
    inputTokens: fc.nat(3_000),
    outputTokens: fc.nat(500),
  });
  const limits = fc.tuple(
    fc.integer({ min: 1, max: 600 }),
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 5_000, max: 90_000 }),
  );
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 60 }), limits, (calls, [rpm, burst, tpm]) => {
      const plan = planOf(calls, [
        { dimension: "requests", perMinute: rpm, burst },
        { dimension: "tokens", perMinute: tpm, burst: null },
      ]);
      expect(plan.paced.refused).toBe(0);
      expect(plan.paced.totalMs).toBeGreaterThanOrEqual(plan.unlimitedMs - 1);
    }),
    { numRuns: 60 },
  );
});
