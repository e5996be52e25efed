import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concurrencyOf } from "../../src/measure/concurrency.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { logOf } from "../support/log.ts";
import { attempt } from "../support/traffic.ts";

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
