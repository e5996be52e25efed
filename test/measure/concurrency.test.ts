import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Concurrency,
  concurrencyOf,
  handoverShare,
  neverQueued,
  plateauOf,
} from "../../src/measure/concurrency.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { logOf } from "../support/log.ts";
import { attempt } from "../support/traffic.ts";

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

type Stretch = readonly [fromMs: number, durationMs: number];

function logWith(stretches: readonly Stretch[]): { readonly log: RequestLog; readonly rows: Uint32Array } {
  const log = logOf(stretches.map(([fromMs, duration]) => attempt(fromMs, { duration_ms: duration })));
  return { log, rows: Uint32Array.from({ length: log.attempts.length }, (_, row) => row) };
}

describe("hand-worked", () => {
  // 0 to 100 alone, 100 to 200 two, 200 to 300 alone, then nothing until 400.
  const { log, rows } = logWith([
    [0, 200],
    [100, 200],
    [400, 100],
  ]);
  const start = log.attempts.sentMs[0] ?? 0;

  test("shares are of the busy time", () => {
    expect(concurrencyOf(log, rows)).toEqual({ peak: 2, shares: [3 / 4, 1 / 4], busyMs: 400 });
  });

  test("a span cuts what reaches beyond it", () => {
    const within = { from: start + 50, to: start + 150 };
    expect(concurrencyOf(log, rows, within)).toEqual({ peak: 2, shares: [1 / 2, 1 / 2], busyMs: 100 });
    expect(concurrencyOf(log, rows, { from: start + 310, to: start + 390 }).peak).toBe(0);
  });

  test("a slot is taken by the send that fills it soon after an end", () => {
    // Two slots: the second send fills them first, the third takes one 10 ms after an end, the last one 60 ms after.
    const slots = logWith([
      [0, 100],
      [20, 200],
      [110, 50],
      [220, 200],
      [280, 50],
    ]);
    const share = (withinMs: number, from = start): number =>
      handoverShare(slots.log, slots.rows, {
        cap: 2,
        withinMs,
        span: { from, to: Number.POSITIVE_INFINITY },
      });
    expect([share(9), share(10), share(60)]).toEqual([0, 1 / 3, 2 / 3]);
    expect([share(60, start + 100), share(10, start + 200)]).toEqual([1, 0]);
    expect(handoverShare(slots.log, slots.rows, { cap: 3, withinMs: 60, span: ALWAYS })).toBe(0);
  });

  test("one that ends as another starts is not beside it", () => {
    const back = logWith([
      [0, 100],
      [100, 100],
    ]);
    expect(concurrencyOf(back.log, back.rows)).toEqual({ peak: 1, shares: [1], busyMs: 200 });
  });
});

test("levels are what counting each millisecond finds, in any span", () => {
  const stretch = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 20 }));
  const stretches = fc.array(stretch, { minLength: 1, maxLength: 12 });
  const span = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 40 }));
  fc.assert(
    fc.property(stretches, span, (some, [fromMs, lengthMs]) => {
      const { log, rows } = logWith(some);
      const zero = (log.attempts.sentMs[0] ?? 0) - Math.min(...some.map(([from]) => from));
      const counts: number[] = [];
      for (let ms = fromMs; ms < fromMs + lengthMs; ms++) {
        const level = some.filter(([from, duration]) => from <= ms && ms < from + duration).length;
        if (level > 0) counts[level - 1] = (counts[level - 1] ?? 0) + 1;
      }
      const busy = counts.reduce((sum, count) => sum + (count ?? 0), 0);
      const within = { from: zero + fromMs, to: zero + fromMs + lengthMs };
      const found = concurrencyOf(log, rows, within);
      expect(found.busyMs).toBe(busy);
      expect(found.peak).toBe(counts.length);
      expect(found.shares.map((share) => Math.round(share * busy))).toEqual(
        Array.from(counts, (count) => count ?? 0),
      );
    }),
    { numRuns: 200 },
  );
});

describe("a level that somebody is held at", () => {
  const bounds = { minCap: 2, maxCap: 64, minFlat: 0.5, maxAbove: 0.02 };
  const level = (...shares: number[]): Concurrency => ({ peak: shares.length, shares, busyMs: 1_000 });

  test("is the one with most time, if hardly any lies above", () => {
    expect(plateauOf(level(0.1, 0.1, 0.8), level(1), bounds)).toEqual({ cap: 3, flat: 0.8 });
    expect(plateauOf(level(0.1, 0.87, 0.03), level(1), bounds)).toBeNull();
    expect(plateauOf(level(0.3, 0.3, 0.4), level(1), bounds)).toBeNull();
  });

  test("may show in the busiest part only, and then too nothing of the whole may lie above", () => {
    expect(plateauOf(level(0.7, 0.3), level(0.1, 0.9), bounds)).toEqual({ cap: 2, flat: 0.9 });
    expect(plateauOf(level(0.6, 0.3, 0.1), level(0.1, 0.9), bounds)).toBeNull();
  });
});

test("nothing queued, as far as queue times are told", () => {
  const queued = (...times: readonly (number | undefined)[]): boolean => {
    const log = logOf(times.map((ms, i) => attempt(i, { queued_ms: ms })));
    return neverQueued(
      log,
      Uint32Array.from(times, (_, row) => row),
    );
  };
  expect(queued(0, 0, undefined)).toBe(true);
  expect(queued(0, 5)).toBe(false);
  expect(queued(undefined)).toBe(false);
});
