import { describe, expect, test } from "vitest";
import { keyTraffic, realUnpaid } from "../../src/measure/accounts.ts";
import { errorNamesOf } from "../../src/measure/error-names.ts";
import { actionsAfter, givenUpCalls } from "../../src/measure/given-up-calls.ts";
import { incidentAt, incidentsAt } from "../../src/measure/incident-at.ts";
import { overloadEpisodes } from "../../src/measure/overload.ts";
import { isEndOfRun } from "../../src/measure/run-ends.ts";
import type { RecordInput } from "../support/cases.ts";
import { logOf } from "../support/log.ts";
import { action, attempt, attempts, chain, REFUSED, refused, wait } from "../support/traffic.ts";

const UNPAID = { status: 402, duration_ms: 50 };

describe("givenUpCalls", () => {
  test("tells how long a call tried and what was asked in the end", () => {
    const failed = { ...REFUSED, retry_after_ms: 3_000 };
    const log = logOf(
      chain({ agent: "code", id: "c", fromMs: 0, waitsMs: [400, 800], failed, last: failed }),
    );
    // Three attempts of 50 ms and two waits.
    expect(givenUpCalls(log)).toMatchObject([{ last: 2, attempts: 3, triedMs: 1_350, askedMs: 3_000 }]);
  });

  test("leaves out what passed, what can never pass and what a waiter cut off", () => {
    const log = logOf([
      ...chain({ agent: "code", id: "passed", fromMs: 0, waitsMs: [400] }),
      attempt(0, { agent: "code", call_id: "bad", status: 400, error_type: "invalid_request_error" }),
      attempt(0, { agent: "code", call_id: "cut", ...REFUSED, retry_after_ms: 60_000 }),
      wait({ agent: "review", waitsFor: "code", fromMs: 0, durationMs: 9_000 }),
    ]);
    expect(givenUpCalls(log)).toEqual([]);
  });
});

test("where calls are guessed, an agent that seems to repeat is not counted", () => {
  const guessed = (records: readonly RecordInput[]): number =>
    givenUpCalls(
      logOf(records.map(({ call_id: _, attempt: __, ...rest }): RecordInput => ({ ...rest, ts: rest.ts }))),
    ).length;
  const failed = { ...REFUSED, retry_after_ms: 2_000 };
  const dropped = [0, 1, 2].map((i) => attempt(i * 60_000, { agent: "deploy", ...failed }));
  expect(guessed(dropped)).toBe(3);
  expect(
    guessed([
      ...dropped,
      ...chain({ agent: "deploy", id: "a", fromMs: 200_000, waitsMs: [2_000, 2_000, 2_000], failed }),
    ]),
  ).toBe(0);
});

describe("actionsAfter", () => {
  const calls = [
    attempt(0, { agent: "code", call_id: "a", run_id: "r", ...REFUSED }),
    attempt(5_000, { agent: "code", call_id: "b", run_id: "r", ...REFUSED }),
  ];
  const causes = (records: readonly RecordInput[]): number[] => [
    ...actionsAfter(logOf(records), 10_000).keys(),
  ];

  test("believes the id, however late", () => {
    expect(causes([...calls, action(90_000, "boss", "rollback", { call_id: "a" })])).toEqual([0]);
  });

  test("without an id, the failure of the run that came last before", () => {
    expect(causes([...calls, action(7_000, "boss", "rollback", { run_id: "r" })])).toEqual([1]);
    expect(causes([...calls, action(4_000, "boss", "rollback", { run_id: "r" })])).toEqual([0]);
    expect(causes([...calls, action(7_000, "boss", "rollback", { run_id: "other" })])).toEqual([]);
  });

  test("counts ten seconds from the end of the failure", () => {
    expect(causes([...calls, action(15_050, "boss", "alert", { run_id: "r" })])).toEqual([1]);
    expect(causes([...calls, action(15_051, "boss", "alert", { run_id: "r" })])).toEqual([]);
  });

  test("a waiter that gave up comes between", () => {
    const gaveUp = wait({ agent: "review", waitsFor: "x", fromMs: 0, durationMs: 6_000, run: "r" });
    expect(causes([...calls, gaveUp, action(7_000, "boss", "rollback", { run_id: "r" })])).toEqual([]);
  });

  test("an id that no attempt carries tells nothing", () => {
    expect(causes([...calls, action(7_000, "boss", "rollback", { run_id: "r", call_id: "zz" })])).toEqual([
      1,
    ]);
  });

  test("trying again is no consequence, and the first word decides", () => {
    expect(causes([...calls, action(7_000, "boss", "alert_throttled", { call_id: "a" })])).toEqual([0]);
    expect(causes([...calls, action(7_000, "boss", "requeue_task", { call_id: "a" })])).toEqual([]);
  });
});

describe("isEndOfRun", () => {
  const ended = (records: readonly RecordInput[], atMs: number): boolean => {
    const log = logOf(records);
    return isEndOfRun(log, log.runs.indexOf("r"), (log.span?.from ?? 0) + atMs);
  };
  const passed = attempt(0, { run_id: "r" });

  test("nothing of the run is sent later", () => {
    expect(ended([passed, attempt(5_000, { run_id: "r", ...REFUSED })], 5_050)).toBe(true);
    expect(ended([passed, attempt(5_051, { run_id: "r" })], 5_050)).toBe(false);
  });

  test("nothing is answered later", () => {
    const answered = wait({
      agent: "a",
      waitsFor: "b",
      fromMs: 0,
      durationMs: 8_000,
      outcome: "ok",
      run: "r",
    });
    expect(ended([passed, answered], 5_050)).toBe(false);
  });

  test("a run that never did anything has no end", () => {
    expect(ended([attempt(0, { run_id: "r", ...REFUSED })], 50)).toBe(false);
  });
});

describe("keyTraffic and realUnpaid", () => {
  const real = (records: readonly RecordInput[]): number =>
    keyTraffic(logOf(records)).reduce((sum, key) => sum + realUnpaid(logOf(records), key, 60_000).length, 0);

  test("keeps keys that were refused for money or never passed", () => {
    const log = logOf([
      attempt(0, { api_key_id: "good" }),
      attempt(1, { api_key_id: "good", ...REFUSED }),
      attempt(2, { api_key_id: "poor" }),
      attempt(3, { api_key_id: "poor", ...UNPAID }),
      attempt(4, { api_key_id: "never", ...REFUSED }),
    ]);
    expect(keyTraffic(log).map(({ key }) => key)).toEqual(["poor", "never"]);
    expect(keyTraffic(log)[1]).toMatchObject({ neverPassed: [4], unpaid: [], passedMs: [] });
  });

  test("money is what holds longer than a limit could", () => {
    const between = (afterMs: number): RecordInput[] => [
      attempt(0),
      attempt(1_000, UNPAID),
      attempt(afterMs),
    ];
    expect(real(between(60_000))).toBe(0);
    expect(real(between(60_001))).toBe(1);
  });

  test("one side without a success is enough", () => {
    expect(real([attempt(0), attempt(1_000, UNPAID)])).toBe(1);
    expect(real([attempt(0, UNPAID), attempt(1_000)])).toBe(1);
  });

  test("a code that mostly stood for a limit does so at the end", () => {
    const refills = [
      attempt(0),
      attempt(1_000, UNPAID),
      attempt(2_000),
      attempt(30_000),
      attempt(31_000, UNPAID),
    ];
    expect(real(refills)).toBe(0);
  });
});

describe("overloadEpisodes", () => {
  const overloaded = { status: 529, duration_ms: 80 };

  test("adds up by hand", () => {
    const log = logOf([
      ...attempts({ agent: "a", fromMs: 0, everyMs: 1_000, count: 60 }),
      ...chain({ agent: "b", id: "c1", fromMs: 30_000, waitsMs: [2_000], failed: overloaded }),
      attempt(50_000, { agent: "b", call_id: "c2", ...overloaded }),
    ]);
    const [episode, ...more] = overloadEpisodes(log, 60_000);
    expect(more).toEqual([]);
    // From 30 to 50 s: 21 of a, two overloaded, one repeat. 23 starts in 20 s; 30 in the half minute before.
    expect(episode).toMatchObject({ failedCalls: 1, throttled: 0, startsPerMinute: 69, startsBefore: 60 });
    expect(episode?.rows).toHaveLength(24);
  });

  test("a pause ends it", () => {
    const log = logOf(attempts({ agent: "a", fromMs: 0, everyMs: 60_000, count: 3, fields: overloaded }));
    expect(overloadEpisodes(log, 60_000)).toHaveLength(1);
    expect(overloadEpisodes(log, 59_999)).toHaveLength(3);
  });
});

describe("incidentAt", () => {
  test("finds the incident by bucket and time", () => {
    const log = logOf([
      ...refused({ agent: "a", fromMs: 0, everyMs: 1_000, count: 3 }),
      ...refused({ agent: "a", fromMs: 600_000, everyMs: 1_000, count: 2 }),
      attempt(601_000, { model: "gpt-5.2", provider: "openai" }),
      attempt(300_000),
    ]);
    const found = Array.from({ length: 7 }, (_, row) => incidentAt(log, row)?.id ?? null);
    expect(found).toEqual(["i1", "i1", "i1", null, "i2", "i2", null]);
    expect(incidentsAt(log, [0, 4, 5]).map(({ id }) => id)).toEqual(["i2", "i1"]);
  });
});

test("error names put the status first and the most frequent in front", () => {
  const log = logOf([
    attempt(0, { status: 400, error_code: "bad" }),
    attempt(1, { status: 401 }),
    attempt(2, { status: 401 }),
  ]);
  expect(errorNamesOf(log, [0, 1, 2])).toEqual(["HTTP 401", "HTTP 400 bad"]);
});
