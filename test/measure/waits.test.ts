import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type GivenUpWait, givenUpWaits } from "../../src/measure/waits.ts";
import type { RecordInput } from "../support/cases.ts";
import { logOf } from "../support/log.ts";
import { attempt, chain, REFUSED, wait } from "../support/traffic.ts";

function only(records: readonly RecordInput[]): GivenUpWait {
  const [given, ...more] = givenUpWaits(logOf(records));
  if (given === undefined || more.length > 0) throw new Error("one wait was expected");
  return given;
}

/** Refused, `waitMs` of waiting, and an answer after `serviceMs`. */
function once(agent: string, fromMs: number, waitMs: number, serviceMs: number): RecordInput[] {
  return chain({
    agent,
    id: `${agent}-${fromMs}`,
    fromMs,
    waitsMs: [waitMs],
    failed: { ...REFUSED, retry_after_ms: waitMs },
    last: { duration_ms: serviceMs },
  });
}

const REVIEW = { agent: "review", waitsFor: "code", fromMs: 0 };

describe("givenUpWaits", () => {
  test("adds up the chain by hand", () => {
    // 0 refused 50 | 10 s | 10,050 refused 10,100 | 20 s | 30,100 served 2 s -> 32,100
    const given = only([
      ...chain({
        agent: "code",
        id: "c",
        fromMs: 0,
        waitsMs: [10_000, 20_000],
        failed: { ...REFUSED, retry_after_ms: 10_000 },
        last: { duration_ms: 2_000 },
      }),
      wait({ ...REVIEW, durationMs: 25_000, timeoutMs: 25_000 }),
    ]);
    expect(given).toMatchObject({
      bottom: "code",
      neededMs: 32_100,
      lostMs: 30_100,
      timedOut: true,
      below: [],
    });
    expect(given.chain).toMatchObject({ refusals: 2, askedMs: 20_000, serviceMs: 2_000, succeeded: true });
  });

  test("counts time in which two calls waited once", () => {
    const given = only([
      ...once("code", 0, 30_000, 1_000),
      ...once("code", 1_000, 31_000, 1_000),
      wait({ ...REVIEW, durationMs: 20_000 }),
    ]);
    // The later of the two: 1,000 + 50 + 31,000 + 1,000. What the other lost runs beside it.
    expect(given).toMatchObject({ neededMs: 33_050, lostMs: 31_050 });
  });

  test("adds what the calls lost that came before", () => {
    const given = only([
      ...once("code", 0, 10_000, 1_000),
      ...once("code", 11_050, 10_000, 1_000),
      wait({ ...REVIEW, durationMs: 15_000 }),
    ]);
    expect(given).toMatchObject({ neededMs: 22_100, lostMs: 20_100 });
  });

  test("is no chain when nothing was refused", () => {
    const given = only([
      attempt(0, { agent: "code", call_id: "c", duration_ms: 60_000 }),
      wait({ ...REVIEW, durationMs: 20_000 }),
    ]);
    expect(given).toMatchObject({ chain: null, neededMs: null, lostMs: 0, bottom: "code" });
  });

  test("follows waits down to the agent whose call was refused, but not round in a circle", () => {
    const given = only([
      ...once("code", 0, 40_000, 1_000),
      wait({ agent: "deploy", waitsFor: "review", fromMs: 0, durationMs: 30_000 }),
      wait({ ...REVIEW, durationMs: 41_050, outcome: "ok" }),
      wait({ agent: "code", waitsFor: "deploy", fromMs: 0, durationMs: 41_050, outcome: "ok" }),
    ]);
    expect(given).toMatchObject({ bottom: "code", neededMs: 41_050 });
    expect(given.below.map(({ agent }) => agent)).toEqual(["review"]);
  });

  test("tells a timeout from a wait that was cancelled or failed", () => {
    const ended = (outcome: "timeout" | "cancelled" | "error", durationMs: number): boolean =>
      only([wait({ ...REVIEW, durationMs, timeoutMs: 20_000, outcome })]).timedOut;
    expect(ended("timeout", 20_000)).toBe(true);
    expect(ended("cancelled", 19_000)).toBe(true);
    expect(ended("cancelled", 18_999)).toBe(false);
    expect(ended("error", 5_000)).toBe(false);
  });

  test("names the calls that were cut off, unless the wait failed with them", () => {
    const refused = attempt(0, { agent: "code", call_id: "c", ...REFUSED, retry_after_ms: 60_000 });
    const cutOff = (outcome: "timeout" | "error"): readonly number[] =>
      only([refused, wait({ ...REVIEW, durationMs: 20_000, timeoutMs: 90_000, outcome })]).cutOff;
    expect(cutOff("timeout")).toEqual([0]);
    expect(cutOff("error")).toEqual([]);
  });

  test("an attempt that was cancelled needed its usual time", () => {
    const given = only([
      ...once("code", 0, 10_000, 4_000),
      ...chain({
        agent: "code",
        id: "cut",
        fromMs: 0,
        waitsMs: [18_000],
        failed: { ...REFUSED, retry_after_ms: 18_000 },
        last: { status: 499, duration_ms: 1_000 },
      }),
      wait({ ...REVIEW, durationMs: 19_050 }),
    ]);
    // Sent at 18,050, cancelled at 19,050, and a served attempt takes 4 s.
    expect(given.neededMs).toBe(22_050);
  });

  test("what was lost is never more than what was needed, and the chain ends after the waiter left", () => {
    const call = fc.record({
      fromMs: fc.nat(60_000),
      waitMs: fc.nat(60_000),
      serviceMs: fc.nat(30_000),
      agent: fc.constantFrom("code", "test"),
    });
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 12 }),
        fc.integer({ min: 1, max: 90_000 }),
        (calls, durationMs) => {
          const records = calls.flatMap((one, i) =>
            chain({
              agent: one.agent,
              id: `c${i}`,
              fromMs: one.fromMs,
              waitsMs: one.waitMs % 3 === 0 ? [] : [one.waitMs],
              last: { duration_ms: one.serviceMs },
            }),
          );
          const given = only([...records, wait({ ...REVIEW, durationMs })]);
          if (given.chain === null) return;
          expect(given.neededMs).toBe(given.chain.doneMs - given.wait.startMs);
          expect(given.lostMs).toBeGreaterThanOrEqual(0);
          expect(given.lostMs).toBeLessThanOrEqual(given.neededMs ?? 0);
          expect(given.chain.doneMs).toBeGreaterThan(given.gaveUpMs);
          expect(given.refused.every((one) => one.refusals > 0)).toBe(true);
          expect(given.refused).not.toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
