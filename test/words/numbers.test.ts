import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Unit } from "../../src/model/rule.ts";
import { counted, formatBesideLimit, formatNumber } from "../../src/words/numbers.ts";

const CASES: readonly (readonly [number, Unit, string])[] = [
  [0, "count", "0"],
  [7, "count", "7"],
  [999, "count", "999"],
  [1_028, "count", "1,028"],
  [1_234_567, "count", "1,234,567"],
  [-1_028, "count", "-1,028"],
  [2.44, "count", "2.4"],
  [2.96, "count", "3"],
  [99.96, "count", "100"],
  [100.6, "count", "101"],
  [0.0123, "count", "0.0123"],
  [0, "share", "0 %"],
  [0.0004, "share", "< 0.1 %"],
  [0.001, "share", "0.1 %"],
  [0.07, "share", "7 %"],
  [0.096, "share", "9.6 %"],
  [0.0999, "share", "10 %"],
  [0.29, "share", "29 %"],
  [0.944, "share", "94 %"],
  [0.9949, "share", "99.5 %"],
  [0.9999, "share", "99.9 %"],
  [1, "share", "100 %"],
  [1.0001, "share", "100.1 %"],
  [2.28, "share", "228 %"],
  [12.5, "share", "1,250 %"],
  [1.6, "ratio", "1.6x"],
  [3, "ratio", "3x"],
  [43, "per-minute", "43/min"],
  [0.5, "per-minute", "0.5/min"],
  [1_500, "per-minute", "1,500/min"],
  [5, "per-second", "5/s"],
  [1, "tokens", "1 token"],
  [30_000, "tokens", "30,000 tokens"],
  [30_000, "tokens-per-minute", "30,000 tokens/min"],
  [0, "ms", "0 ms"],
  [120, "ms", "120 ms"],
  [999.6, "ms", "1 s"],
  [1_000, "ms", "1 s"],
  [7_120, "ms", "7.1 s"],
  [9_949, "ms", "9.9 s"],
  [9_950, "ms", "10 s"],
  [59_499, "ms", "59 s"],
  [59_500, "ms", "1 m"],
  [150_000, "ms", "2 m 30 s"],
  [3_599_400, "ms", "59 m 59 s"],
  [3_599_600, "ms", "1 h"],
  [12_000_000, "ms", "3 h 20 m"],
  [86_399_999, "ms", "1 d"],
  [187_200_000, "ms", "2 d 4 h"],
  [-150_000, "ms", "-2 m 30 s"],
  [Number.POSITIVE_INFINITY, "ms", "unknown"],
  [Number.NaN, "share", "unknown"],
];

describe("formatNumber", () => {
  test.each(CASES)("%d in %s is %s", (value, unit, text) => {
    expect(formatNumber(value, unit)).toBe(text);
  });

  test("a share is 0 % or 100 % only when it is", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2, noNaN: true }), (share) => {
        const text = formatNumber(share, "share");
        if (text === "100 %") expect(share).toBeCloseTo(1, 12);
        if (text === "0 %") expect(share).toBe(0);
      }),
    );
  });

  test("a duration never reads as less than a shorter one", () => {
    const seconds: { readonly [unit: string]: number } = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };
    const read = (text: string): number => {
      const words = text.replaceAll(",", "").split(" ");
      return words.reduce(
        (sum, word, i) => (i % 2 === 1 ? sum + Number(words[i - 1]) * (seconds[word] ?? Number.NaN) : sum),
        0,
      );
    };
    const duration = fc.integer({ min: 0, max: 400_000_000 });
    fc.assert(
      fc.property(duration, duration, (a, b) => {
        const [short, long] = [Math.min(a, b), Math.max(a, b)];
        expect(read(formatNumber(short, "ms"))).toBeLessThanOrEqual(read(formatNumber(long, "ms")));
      }),
    );
  });
});

test("a number stands beside its limit, in the same unit", () => {
  expect(formatBesideLimit({ value: 0.944, unit: "share", limit: 0.8 })).toBe("94 % (limit 80 %)");
  expect(formatBesideLimit({ value: 120_000, unit: "ms" })).toBe("2 m");
});

test("nouns follow their number", () => {
  expect(counted(1, "call")).toBe("1 call");
  expect(counted(0, "call")).toBe("0 calls");
  expect(counted(1_028, "call")).toBe("1,028 calls");
  expect(counted(2, "entry", "entries")).toBe("2 entries");
});
