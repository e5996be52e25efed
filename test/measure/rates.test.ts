import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { burstNeeded, countBetween, peakCount, peakWeight } from "../../src/measure/rates.ts";
import { lowerBound, quantile } from "../../src/measure/statistics.ts";

const ascending = fc.array(fc.nat(5_000), { maxLength: 60 }).map((times) => times.toSorted((a, b) => a - b));

describe("peakCount", () => {
  test("counts the end of the window out", () => {
    // [0, 1000) holds 0, 400, 999; the one at 1000 belongs to the next window.
    expect(peakCount([0, 400, 999, 1000], 1_000)).toEqual({ value: 3, fromMs: 0 });
    expect(peakCount([0, 1000], 1_000)).toEqual({ value: 1, fromMs: 0 });
  });

  test("is 0 of nothing", () => {
    expect(peakCount([], 1_000).value).toBe(0);
  });

  test("agrees with trying every millisecond", () => {
    fc.assert(
      fc.property(ascending, fc.integer({ min: 1, max: 2_000 }), (times, window) => {
        let slow = 0;
        for (let from = 0; from <= 5_000; from++) {
          slow = Math.max(slow, times.filter((t) => t >= from && t < from + window).length);
        }
        expect(peakCount(times, window).value).toBe(slow);
      }),
      { numRuns: 60 },
    );
  });
});

describe("peakWeight", () => {
  test("with weight 1 is peakCount", () => {
    fc.assert(
      fc.property(ascending, fc.integer({ min: 1, max: 2_000 }), (times, window) => {
        const ones = times.map(() => 1);
        expect(peakWeight(times, ones, window)).toEqual(peakCount(times, window));
      }),
    );
  });

  test("a weight that is not told counts as nothing", () => {
    expect(peakWeight([0, 1, 2], [500, -1, 300], 60_000)).toEqual({ value: 800, fromMs: 0 });
  });
});

describe("countBetween", () => {
  test("agrees with a filter", () => {
    fc.assert(
      fc.property(ascending, fc.nat(5_000), fc.nat(5_000), (times, a, b) => {
        expect(countBetween(times, a, b)).toBe(times.filter((t) => t >= a && t < b).length);
      }),
    );
  });
});

describe("burstNeeded", () => {
  test("20 at once need a bucket of 20, whatever the rate", () => {
    expect(
      burstNeeded(
        Array.from({ length: 20 }, () => 1_000),
        60,
      ),
    ).toEqual({ value: 20, fromMs: 1_000 });
  });

  test("exactly the rate needs a bucket of 1", () => {
    // 60 a minute, one each second: each finds its token refilled.
    expect(burstNeeded([0, 1_000, 2_000, 3_000], 60).value).toBe(1);
  });

  test("twice the rate needs half of the sends more", () => {
    // Refill 0.5 between sends: missing 1, 1.5, 2, 2.5.
    expect(burstNeeded([0, 500, 1_000, 1_500], 60).value).toBe(2.5);
  });

  test("a bucket of that size never runs short, and a smaller one does", () => {
    const holds = (times: readonly number[], perMinute: number, capacity: number): boolean => {
      let level = capacity;
      let last = times[0] ?? 0;
      for (const now of times) {
        level = Math.min(capacity, level + ((now - last) * perMinute) / 60_000);
        last = now;
        if (level < 1 - 1e-9) return false;
        level -= 1;
      }
      return true;
    };
    fc.assert(
      fc.property(ascending, fc.integer({ min: 1, max: 600 }), (times, perMinute) => {
        fc.pre(times.length > 0);
        const { value } = burstNeeded(times, perMinute);
        expect(holds(times, perMinute, value)).toBe(true);
        expect(value < 1.001 || !holds(times, perMinute, value - 0.001)).toBe(true);
      }),
    );
  });
});

describe("quantile", () => {
  test("is an observed value by nearest rank", () => {
    // ceil(0.95 * 4) = 4th, ceil(0.5 * 4) = 2nd.
    expect(quantile([40, 10, 30, 20], 0.95)).toBe(40);
    expect(quantile([40, 10, 30, 20], 0.5)).toBe(20);
    expect(quantile([], 0.5)).toBeNull();
  });

  test("at least that share does not exceed it, and less than that share lies below it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(100), { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, share) => {
          const q = quantile(values, share) ?? -1;
          expect(values.filter((v) => v <= q).length).toBeGreaterThanOrEqual(share * values.length - 1e-9);
          expect(values.filter((v) => v < q).length).toBeLessThan(share * values.length + 1e-9);
        },
      ),
    );
  });
});

test("lowerBound agrees with findIndex", () => {
  fc.assert(
    fc.property(ascending, fc.nat(5_000), (times, bound) => {
      const slow = times.findIndex((t) => t >= bound);
      expect(lowerBound(times, bound)).toBe(slow === -1 ? times.length : slow);
    }),
  );
});
