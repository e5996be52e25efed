import { expect, test } from "vitest";
import { harmOf } from "../../src/measure/harm.ts";
import { logOf } from "../support/log.ts";
import { attempts, chain, REFUSED, refused } from "../support/traffic.ts";

const everyRow = (length: number): number[] => Array.from({ length }, (_, row) => row);

test("nothing refused costs nothing", () => {
  const log = logOf(attempts({ agent: "code", fromMs: 0, everyMs: 100, count: 5 }));
  expect(harmOf(log, everyRow(5))).toEqual({ refusals: 0, lostMs: 0, failedCalls: 0 });
});

test("a call that passed lost the time up to its last send", () => {
  // Refused for 50 ms, waited 1,000; refused for 50, waited 2,000; passed.
  const log = logOf(chain({ agent: "code", id: "a", fromMs: 0, waitsMs: [1_000, 2_000] }));
  expect(harmOf(log, everyRow(3))).toEqual({ refusals: 2, lostMs: 3_100, failedCalls: 0 });
});

test("a call that was given up failed once, however often it was refused", () => {
  const log = logOf([
    ...chain({ agent: "code", id: "a", fromMs: 0, waitsMs: [1_000], last: REFUSED }),
    ...refused({ agent: "review", fromMs: 10_000, everyMs: 100, count: 3 }),
  ]);
  expect(harmOf(log, everyRow(5))).toEqual({ refusals: 5, lostMs: 1_050 + 4 * 50, failedCalls: 4 });
});

test("only the rows asked for count, but their calls are followed to the end", () => {
  const log = logOf(chain({ agent: "code", id: "a", fromMs: 0, waitsMs: [1_000, 2_000], last: REFUSED }));
  expect(harmOf(log, [0])).toEqual({ refusals: 1, lostMs: 1_050, failedCalls: 1 });
});
