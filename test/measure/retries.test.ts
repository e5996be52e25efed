import { describe, expect, test } from "vitest";
import { equalWaits } from "../../src/measure/equal-waits.ts";
import { earliness, neverRetries, transientRetries } from "../../src/measure/retries.ts";
import type { RecordInput } from "../support/cases.ts";
import { logOf } from "../support/log.ts";
import { chain, REFUSED } from "../support/traffic.ts";

/** One call an entry, ten seconds apart, each refused once and repeated after the wait. */
function waits(waitsMs: readonly number[], askedMs: number | null, startMs = 1): RecordInput[] {
  return waitsMs.flatMap((waitMs, i) =>
    chain({
      agent: "code",
      id: `c${i}`,
      fromMs: startMs + i * 10_000,
      waitsMs: [waitMs],
      failed: { ...REFUSED, ...(askedMs === null ? {} : { retry_after_ms: askedMs }) },
    }),
  );
}

function early(records: readonly RecordInput[]): number[] {
  return [...earliness(logOf(records)).values()];
}

describe("earliness", () => {
  test("is what the client cut short", () => {
    expect(early(waits([1_000, 2_600], 2_500))).toEqual([1_500, -100]);
  });

  test("grants whole seconds their rounding", () => {
    expect(early(waits([1_300, 2_600], 2_000))).toEqual([-300, -1_600]);
  });

  test("grants no rounding to a client that waits the same whatever the hint", () => {
    const fixed = [...waits([500, 501, 499], 1_000), ...waits([500, 500], 2_000, 100_001)].map(
      (record, i) => ({
        ...record,
        call_id: `c${Math.floor(i / 2)}`,
      }),
    );
    expect(early(fixed)).toEqual([500, 499, 501, 1_500, 1_500]);
  });

  test("one hint and one wait can be a client that knows the exact time", () => {
    expect(early(waits([500, 501, 499, 500, 500], 1_000))).toEqual([-500, -501, -499, -500, -500]);
  });

  test("grants a second to a log of whole seconds", () => {
    const records = waits([950, 1_950], 2_500, 0);
    expect(early(records)).toEqual([550, -450]);
  });

  test("leaves out an attempt that was sent before the hint came", () => {
    expect(early(waits([-20, 1_000], 2_500))).toEqual([1_500]);
  });
});

describe("equalWaits", () => {
  const equal = (records: readonly RecordInput[]): number => equalWaits(logOf(records)).length;

  test("a fixed wait", () => {
    expect(equal(waits([2_000, 2_030, 2_010, 2_000, 2_005], null))).toBe(5);
  });

  test("three waits are equal by chance", () => {
    expect(equal(waits([2_000, 2_000, 2_000], null))).toBe(0);
  });

  test("a draw from a quarter of the wait is random", () => {
    expect(equal(waits([2_000, 1_500, 1_620, 1_750, 1_870], null))).toBe(0);
  });

  test("each attempt number by itself: 1, 2, 4 s", () => {
    const calls = [0, 1, 2, 3].flatMap((i) =>
      chain({ agent: "code", id: `c${i}`, fromMs: i * 60_000, waitsMs: [1_000, 2_000, 4_000] }),
    );
    expect(equal(calls)).toBe(12);
  });

  test("what is left over the hint", () => {
    const obeyed = [3_000, 7_000, 11_000, 5_000].flatMap((askedMs, i) =>
      chain({
        agent: "code",
        id: `c${i}`,
        fromMs: i * 60_000,
        waitsMs: [askedMs + i],
        failed: { ...REFUSED, retry_after_ms: askedMs },
      }),
    );
    expect(equal(obeyed)).toBe(4);
  });

  test("only after refusals by a limit", () => {
    const failed = { status: 500, duration_ms: 50, error_type: "api_error" };
    const calls = [0, 1, 2, 3, 4].flatMap((i) =>
      chain({ agent: "code", id: `c${i}`, fromMs: i * 60_000, waitsMs: [1_000], failed }),
    );
    expect(transientRetries(logOf(calls))).toHaveLength(5);
    expect(equal(calls)).toBe(0);
  });
});

describe("neverRetries", () => {
  const refusedOnce = (agent: string): RecordInput[] =>
    chain({ agent, id: agent, fromMs: 0, waitsMs: [], last: REFUSED });
  const repeated = (agent: string): RecordInput[] => chain({ agent, id: agent, fromMs: 0, waitsMs: [500] });
  const never = (records: readonly RecordInput[]): boolean => {
    const log = logOf(records);
    return neverRetries(log, log.agents.indexOf("deploy"));
  };

  test("while another agent does", () => {
    expect(never([...refusedOnce("deploy"), ...repeated("code")])).toBe(true);
    expect(never([...repeated("deploy"), ...repeated("code")])).toBe(false);
  });

  test("not when nobody does", () => {
    expect(never([...refusedOnce("deploy"), ...refusedOnce("code")])).toBe(false);
  });

  test("not when calls are guessed", () => {
    const told = [...refusedOnce("deploy"), ...repeated("code")];
    const guessed = told.map(
      ({ call_id: _, attempt: __, ...rest }): RecordInput => ({ ...rest, ts: rest.ts }),
    );
    expect(never(guessed)).toBe(false);
  });
});
