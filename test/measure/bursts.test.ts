import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { burstsOver, largestPassedRun, nearestBurst, standsOut } from "../../src/measure/bursts.ts";
import type { BucketLimit } from "../../src/measure/limits.ts";
import { logOf } from "../support/log.ts";
import { attempt, attempts, REFUSED, refused } from "../support/traffic.ts";

function limit(perMinute: number, burst: number | null): BucketLimit {
  return { bucket: 0, dimension: "requests", perMinute, burst, source: "config" };
}

const ANY = { calls: 1, overRate: 0 };

test("a burst is more than the capacity and the refill of its window", () => {
  // 12 calls in 1.1 s. In 1 s 10 of them against 10 + 1: no burst; in 2 s 12 against 10 + 2: none; a capacity of 9 is.
  const log = logOf(attempts({ fromMs: 0, everyMs: 100, count: 12 }));
  const starts = Uint32Array.from({ length: 12 }, (_, i) => i);
  expect(burstsOver(log, starts, limit(60, 10), ANY)).toEqual([]);
  const [burst] = burstsOver(log, starts, limit(60, 9), ANY);
  expect(burst).toMatchObject({ windowMs: 2_000, takes: 11, refused: 0 });
  expect(burst?.rows.length).toBe(12);
});

test("of one length the burst with the most refusals counts, not the first", () => {
  const log = logOf([
    ...attempts({ fromMs: 0, everyMs: 10, count: 20 }),
    ...refused({ fromMs: 60_000, everyMs: 10, count: 8 }),
  ]);
  const starts = Uint32Array.from({ length: 28 }, (_, i) => i);
  const [burst] = burstsOver(log, starts, limit(60, 2), ANY);
  expect(burst?.refused).toBe(8);
  expect(burst?.rows[0]).toBe(20);
});

test("agrees with trying every start and every length", () => {
  const send = fc.record({ ms: fc.nat(40_000), refused: fc.boolean() });
  const sends = fc.array(send, { maxLength: 40 });
  fc.assert(
    fc.property(
      sends,
      fc.integer({ min: 6, max: 600 }),
      fc.option(fc.integer({ min: 1, max: 9 })),
      (all, rate, burst) => {
        const sorted = all.toSorted((a, b) => a.ms - b.ms);
        const log = logOf(sorted.map((one) => attempt(one.ms, one.refused ? REFUSED : {})));
        const starts = Uint32Array.from({ length: sorted.length }, (_, i) => i);
        const found = burstsOver(log, starts, limit(rate, burst), { calls: 3, overRate: 2 });
        for (const windowMs of [1_000, 2_000, 5_000, 10_000, 20_000, 30_000]) {
          const refill = (rate * windowMs) / 60_000;
          const most = sorted
            .map(({ ms }, i) => sorted.slice(i).filter((other) => other.ms < ms + windowMs))
            .filter(
              (one) => one.length >= 3 && one.length > (burst ?? 0) + refill && one.length >= 2 * refill,
            )
            .filter((one) =>
              standsOut(
                Float64Array.from(sorted, ({ ms }) => ms),
                { at: one[0]?.ms ?? 0, windowMs, calls: one.length },
              ),
            )
            .map((one) => one.filter((other) => other.refused).length);
          const own = found.find((one) => one.windowMs === windowMs);
          expect(own?.refused).toBe(most.length === 0 ? undefined : Math.max(...most));
        }
      },
    ),
    { numRuns: 100 },
  );
});

describe("standing out of the minute around", () => {
  const every = (ms: number, count: number): number[] => Array.from({ length: count }, (_, i) => i * ms);

  test("alone, three calls do and two do not", () => {
    const at = 30_000;
    expect(standsOut(Float64Array.of(at, at, at), { at, windowMs: 1_000, calls: 3 })).toBe(true);
    expect(standsOut(Float64Array.of(at, at), { at, windowMs: 1_000, calls: 2 })).toBe(false);
  });

  test("beside one call a second it takes 1 + 5 + 3 of them", () => {
    const at = 60_000;
    const steadyAnd = (more: number): Float64Array =>
      Float64Array.from([...every(1_000, 121), ...every(1, more).map((ms) => at + ms)]).toSorted();
    expect(standsOut(steadyAnd(7), { at, windowMs: 1_000, calls: 8 })).toBe(false);
    expect(standsOut(steadyAnd(8), { at, windowMs: 1_000, calls: 9 })).toBe(true);
  });

  test("at an end of the log only the side that there is counts", () => {
    const steadyAfter = (calls: number): Float64Array =>
      Float64Array.from([...every(80, calls), ...every(1_000, 60).map((ms) => 1_000 + ms)]);
    expect(standsOut(steadyAfter(8), { at: 0, windowMs: 1_000, calls: 8 })).toBe(false);
    expect(standsOut(steadyAfter(9), { at: 0, windowMs: 1_000, calls: 9 })).toBe(true);
  });
});

describe("the burst that came nearest to emptying its bucket", () => {
  const starts = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, i) => i);

  test("is measured against the capacity and the refill of its window", () => {
    // 12 calls in 1.1 s: of 20 + 1 in 1 s 10, of 20 + 2 in 2 s all 12.
    const log = logOf(attempts({ fromMs: 0, everyMs: 100, count: 12 }));
    const near = nearestBurst(log, starts(12), limit(60, 20), ANY);
    expect(near).toMatchObject({ windowMs: 2_000, load: 12 / 22 });
  });

  test("is none where nothing tells the capacity, or all is steady", () => {
    const log = logOf(attempts({ fromMs: 0, everyMs: 100, count: 12 }));
    expect(nearestBurst(log, starts(12), limit(60, null), ANY)).toBeNull();
    const steady = logOf(attempts({ fromMs: 0, everyMs: 1_000, count: 200 }));
    expect(nearestBurst(steady, starts(200), limit(60, 1), ANY)).toBeNull();
  });
});

test("the largest run of which nothing was refused", () => {
  const log = logOf([
    ...attempts({ fromMs: 0, everyMs: 10, count: 4, fields: { run_id: "a" } }),
    ...attempts({ fromMs: 1_000, everyMs: 10, count: 6, fields: { run_id: "b" } }),
    ...refused({ fromMs: 1_060, everyMs: 10, count: 1, fields: { run_id: "b" } }),
    ...attempts({ fromMs: 2_000, everyMs: 10, count: 9 }),
  ]);
  const starts = Uint32Array.from({ length: 20 }, (_, i) => i);
  expect(largestPassedRun(log, starts)).toBe(4);
  expect(largestPassedRun(log, starts.subarray(11))).toBe(0);
});
