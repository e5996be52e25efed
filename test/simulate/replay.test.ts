import { describe, expect, test } from "vitest";
import { incidentsOf } from "../../src/measure/incidents.ts";
import type { FixSpec, PaceFix } from "../../src/model/fix.ts";
import type { RequestLog, ToldLimit } from "../../src/model/log.ts";
import type { EffectNumbers } from "../../src/model/report.ts";
import { behaviourOf } from "../../src/simulate/replay/behaviour.ts";
import { chainsIn } from "../../src/simulate/replay/chains.ts";
import { effectOf, effectOfAll } from "../../src/simulate/replay/effect.ts";
import { type EpisodeCall, episodeOf } from "../../src/simulate/replay/episode.ts";
import { observed, predicted } from "../../src/simulate/replay/numbers.ts";
import { play, type Replay, replayOf } from "../../src/simulate/replay/replay.ts";
import { tunePace } from "../../src/simulate/replay/tune.ts";
import type { RecordInput } from "../support/cases.ts";
import { logOf } from "../support/log.ts";

const START = Date.UTC(2026, 5, 1);
const BUCKET = "anthropic/default/claude-sonnet-4.x";
const TOLD: readonly ToldLimit[] = [
  { model: "*", dimension: "requests", perMinute: 60, burst: 5, source: "config" },
];

function record(
  ms: number,
  agent: string,
  call: string,
  attempt: number,
  status: number,
  more: { readonly [field: string]: unknown } = {},
): RecordInput {
  return {
    ts: new Date(START + ms).toISOString(),
    duration_ms: status === 200 ? 1_000 : 100,
    agent,
    call_id: call,
    attempt,
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    status,
    ...more,
  };
}

/** 20 calls at once against a bucket of 5 and one a second: 5 pass, 15 are refused and come back when a token is there. */
function burst(more: { readonly [field: string]: unknown } = {}): RecordInput[] {
  const records: RecordInput[] = [];
  for (let i = 0; i < 20; i++) {
    if (i < 5) records.push(record(0, "code", `c${i}`, 1, 200, more));
    else {
      records.push(record(0, "code", `c${i}`, 1, 429, more));
      records.push(record((i - 4) * 1_000 + 100, "code", `c${i}`, 2, 200, more));
    }
  }
  return records;
}

function replayFrom(
  records: readonly RecordInput[],
  told: readonly ToldLimit[] = TOLD,
): { readonly log: RequestLog; readonly replay: Replay } {
  const log = logOf(records, told);
  const [incident] = incidentsOf(log);
  if (incident === undefined) throw new Error("no incident");
  const replay = replayOf(log, episodeOf(log, incident));
  if (typeof replay === "string") throw new Error(replay);
  return { log, replay };
}

function after(log: RequestLog, replay: Replay, fix: FixSpec): EffectNumbers {
  const found = effectOf(log, replay, fix);
  if ("notSimulatedBecause" in found) throw new Error(found.notSimulatedBecause);
  return found.effect.after;
}

const pace = (ratePerMinute: number, size: number): PaceFix => ({
  kind: "pace",
  scope: "bucket",
  bucket: BUCKET,
  ratePerMinute,
  burst: size,
});

describe("a replay with the behaviour that was seen", () => {
  test("comes to what the log shows", () => {
    const { replay } = replayFrom(burst());
    // 15 refusals, 35 attempts; the last call is sent at 15.1 s and answered at 16.1 s.
    expect(observed(replay)).toEqual({
      throttled: 15,
      attempts: 35,
      failed: 0,
      totalMs: 16_100,
      criticalMs: null,
      waitP95Ms: 14_100,
    });
    expect(predicted(replay, play(replay, {}))).toEqual(observed(replay));
    expect(replay.backtestError).toBe(0);
  });

  test("lets those who gave up give up again", () => {
    const records = burst().filter((one) => one["attempt"] !== 2);
    const { replay } = replayFrom(records);
    expect(predicted(replay, play(replay, {}))).toMatchObject({
      throttled: 15,
      attempts: 20,
      failed: 15,
      totalMs: 1_000,
    });
  });

  test("is the same every time", () => {
    const { replay } = replayFrom(burst());
    expect(play(replay, {})).toEqual(play(replay, {}));
  });
});

describe("the effect of a fix", () => {
  test("a limiter at the server's rate: nothing refused, done by the bound", () => {
    const { log, replay } = replayFrom(burst());
    // (20 - 5) / 1 per second + 1 s of service.
    expect(after(log, replay, pace(60, 5))).toMatchObject({
      throttled: 0,
      attempts: 20,
      failed: 0,
      totalMs: 16_000,
    });
  });

  test("a limiter below it pays in throughput", () => {
    const { log, replay } = replayFrom(burst());
    // A token each two seconds after the first five: 15 x 2 s + 1 s.
    expect(after(log, replay, pace(30, 5)).totalMs).toBe(31_000);
  });

  test("a limiter in front of one agent leaves the others as they were", () => {
    const others = [0, 1, 2].map((i) => record(500 + i, "review", `r${i}`, 1, 429));
    const { log, replay } = replayFrom([...burst(), ...others]);
    const before = predicted(replay, play(replay, {})).throttled;
    const paced = after(log, replay, { ...pace(60, 1), scope: "agent", agent: "code" });
    expect(paced.throttled).toBeLessThan(before);
    expect(paced.attempts - paced.throttled + paced.failed).toBe(23);
  });

  test("classifying makes the impatient wait", () => {
    const { log, replay } = replayFrom(
      burst({ headers: { "retry-after": "1" } }).filter((one) => one["attempt"] !== 2),
    );
    const patient = after(log, replay, { kind: "classify", transient: [429], permanent: [400] });
    expect(patient.failed).toBeLessThan(15);
    expect(patient.throttled).toBeGreaterThanOrEqual(15);
  });

  test("priority is free: the urgent call is done sooner, all of them no later", () => {
    const records = burst().map((one) => ({
      ...one,
      priority: one["call_id"] === "c19" ? "critical" : "background",
    }));
    const { log, replay } = replayFrom(records);
    const plain = after(log, replay, pace(60, 5));
    const ordered = effectOfAll(log, replay, [
      pace(60, 5),
      { kind: "prioritise", bucket: BUCKET, critical: [0] },
    ])?.after;
    expect(plain.criticalMs).toBe(16_000);
    expect(ordered?.criticalMs).toBe(1_000);
    expect(ordered?.totalMs).toBe(plain.totalMs);
  });

  const REASON = {
    timeout: "a longer timeout changes who gives up, not what is sent",
    billing: "it changes nothing that a replay of these calls could show",
    break: "the replay has no circuit breaker",
  };

  test("says why it cannot be played", () => {
    const { log, replay } = replayFrom(burst());
    for (const fix of [
      { kind: "timeout", waiter: "a", waitsFor: "b", timeoutMs: 1 },
      { kind: "billing", advice: "" },
      { kind: "break", bucket: BUCKET, openAfter: 5, windowMs: 1, pauseMs: 1 },
    ] as const)
      expect(Object.entries(effectOf(log, replay, fix))).toEqual([["notSimulatedBecause", REASON[fix.kind]]]);
  });
});

test("a fix behind which calls wait for ever has no effect but a reason", () => {
  const { log, replay } = replayFrom(burst());
  expect(Object.entries(effectOf(log, replay, pace(0, 5)))).toEqual([
    ["notSimulatedBecause", "in the replay, calls wait for a token that never comes"],
  ]);
  expect(effectOfAll(log, replay, [pace(0, 5)])).toBeNull();
});

describe("tunePace", () => {
  test("finds no refusals and the bound where the proposal is too slow", () => {
    const { log, replay } = replayFrom(burst());
    const tuned = tunePace(log, replay, pace(20, 1));
    expect(after(log, replay, tuned)).toMatchObject({ throttled: 0, totalMs: 16_000 });
  });

  test("never makes things worse than the proposal", () => {
    const { log, replay } = replayFrom(burst());
    for (const proposal of [
      pace(60, 5),
      pace(90, 20),
      pace(10, 2),
      { ...pace(60, 5), scope: "agent", agent: "code" } as const,
    ]) {
      const [before, better] = [
        after(log, replay, proposal),
        after(log, replay, tunePace(log, replay, proposal)),
      ];
      expect(better.throttled).toBeLessThanOrEqual(before.throttled);
      if (better.throttled === before.throttled)
        expect(better.totalMs).toBeLessThanOrEqual(before.totalMs + 1_000);
    }
  });
});

test("a log without any limit cannot be replayed, and says so", () => {
  const log = logOf(burst().slice(0, 8));
  const [incident] = incidentsOf(log);
  if (incident === undefined) throw new Error("no incident");
  expect(replayOf(log, episodeOf(log, incident))).toMatch(/no limit of this bucket is known/);
});

describe("chainsIn", () => {
  test("links a worker's calls, each to the one whose end set it off", () => {
    const calls = Array.from({ length: 10 }, (_, i) => ({
      agent: 1,
      wantedMs: i * 1_010,
      endMs: i * 1_010 + 1_000,
    }));
    expect(chainsIn(calls)).toEqual([
      null,
      ...Array.from({ length: 9 }, (_, i) => ({ index: i, delayMs: 10 })),
    ]);
  });

  test("leaves calls alone that come by themselves", () => {
    const calls = Array.from({ length: 30 }, (_, i) => ({
      agent: 1,
      wantedMs: i * 3_000,
      endMs: i * 3_000 + 1_000,
    }));
    expect(chainsIn(calls).every((link) => link === null)).toBe(true);
  });

  test("does not take dense traffic for a chain", () => {
    // 100 a second: some call has always just ended.
    const calls = Array.from({ length: 400 }, (_, i) => ({
      agent: 1,
      wantedMs: i * 10,
      endMs: i * 10 + 777,
    }));
    expect(chainsIn(calls).every((link) => link === null)).toBe(true);
  });
});

describe("behaviourOf", () => {
  const call = (waits: EpisodeCall["waits"], more: Partial<EpisodeCall> = {}): EpisodeCall => ({
    call: 0,
    agent: 1,
    wantedMs: 0,
    endMs: 0,
    serviceMs: 0,
    refusalMs: 0,
    waits,
    refusals: waits.length,
    gaveUp: false,
    inputTokens: 0,
    outputTokens: 0,
    priority: 1,
    after: null,
    ...more,
  });

  test("tells those who follow the hint from those who wait as they like", () => {
    const asked = [700, 2_000, 5_000, 900];
    const obedient = asked.map((askedMs, i) => call([{ askedMs, waitedMs: askedMs + 100 * i }]));
    expect(behaviourOf(obedient, true)).toMatchObject({ obeys: true, waits: [[0, 100, 200, 300]] });
    expect(behaviourOf(obedient, false).obeys).toBe(false);
    const deaf = asked.map((askedMs) => call([{ askedMs, waitedMs: 1_000 }]));
    expect(behaviourOf(deaf, true)).toMatchObject({ obeys: false, waits: [[1_000, 1_000, 1_000, 1_000]] });
  });

  test("gives up after as many refusals as it was seen to", () => {
    const given = [3, 3, 4].map((refusals) => call([], { refusals, gaveUp: true }));
    expect(behaviourOf(given, true).givesUpAfter).toBe(3);
    expect(behaviourOf([call([])], true).givesUpAfter).toBe(Number.POSITIVE_INFINITY);
  });
});
