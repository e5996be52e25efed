import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempt, chain, REFUSED, wait } from "../../test/support/traffic.ts";

const ASKS_A_MINUTE = { ...REFUSED, retry_after_ms: 60_000 };

/** Refused at 0 and at 60.05 s, answered at 131 s: 130.1 s went to refusals, 0.9 s to the answer. */
function lateCall(agent = "code", fromMs = 0, run = "r1"): RecordInput[] {
  return chain({
    agent,
    id: `${agent}-${fromMs}-${run}`,
    fromMs,
    waitsMs: [60_000, 70_000],
    failed: { ...ASKS_A_MINUTE, run_id: run },
    last: { duration_ms: 900, run_id: run },
  });
}

/** `agent` stops waiting for `waitsFor` when its timeout has run. */
function gaveUp(agent: string, waitsFor: string, timeoutMs: number, run = "r1", fromMs = 0): RecordInput {
  return wait({ agent, waitsFor, fromMs, durationMs: timeoutMs, timeoutMs, run });
}

/** One call that is refused once, waits, and is answered after `serviceMs`. */
function once(waitMs: number, serviceMs: number, fromMs = 0): RecordInput[] {
  return chain({
    agent: "code",
    id: `c-${fromMs}`,
    fromMs,
    waitsMs: [waitMs],
    failed: { ...REFUSED, retry_after_ms: waitMs, run_id: "r1" },
    last: { duration_ms: serviceMs, run_id: "r1" },
  });
}

export const cases: RuleCases = {
  loud: [
    {
      name: "the retry succeeds eleven seconds after the waiter left",
      log: () => [...lateCall(), gaveUp("review", "code", 120_000)],
      expect: {
        outcome: "found",
        agents: ["review"],
        severity: "error",
        message: "short",
        fixKinds: ["timeout"],
        numbers: { timeout: 120_000, needed: 131_000, lost: 130_100, refusals: 2, asked: 120_000, times: 1 },
        // 131 s and a fifth on top are 157.2 s.
        fix: { waiter: "review", waitsFor: "code", timeoutMs: 160_000 },
      },
    },
    {
      name: "every link above gives up as well",
      log: () => [
        ...lateCall(),
        gaveUp("review", "code", 120_000),
        gaveUp("deploy", "review", 125_000),
        gaveUp("report", "deploy", 130_000),
      ],
      expect: { outcome: "found", agents: ["deploy", "report", "review"], numbers: { needed: 131_000 } },
    },
    {
      name: "the stage between has a timeout that would do",
      log: () => [
        ...lateCall(),
        wait({
          agent: "review",
          waitsFor: "code",
          fromMs: 0,
          durationMs: 131_000,
          timeoutMs: 300_000,
          outcome: "ok",
          run: "r1",
        }),
        gaveUp("deploy", "review", 60_000),
      ],
      expect: { outcome: "found", agents: ["deploy"], numbers: { timeout: 60_000, needed: 131_000 } },
    },
    {
      name: "the waiter cuts the call off before its wait is over",
      log: () => [
        attempt(0, { agent: "code", call_id: "c1", attempt: 1, run_id: "r1", ...ASKS_A_MINUTE }),
        attempt(0, { agent: "code", call_id: "c2", attempt: 1, run_id: "r1", duration_ms: 3_000 }),
        gaveUp("review", "code", 45_000),
      ],
      // 50 ms, the minute that the server asked for, and 3 s as the served call took.
      expect: { outcome: "found", agents: ["review"], numbers: { needed: 63_050, refusals: 1 } },
    },
    {
      name: "four calls one after the other, each refused once",
      log: () => [
        ...[0, 1, 2, 3].flatMap((i) => once(30_000, 5_000, i * 35_050)),
        gaveUp("review", "code", 120_000),
      ],
      // 4 x 35.05 s, of which 4 x 30.05 s were lost: without the refusals it would have been 20 s.
      expect: {
        outcome: "found",
        agents: ["review"],
        numbers: { needed: 140_200, lost: 120_200, refusals: 4 },
      },
    },
    {
      name: "the refused calls are over, and the one under way was not refused",
      log: () => [
        ...once(50_000, 5_000),
        ...once(50_000, 5_000, 55_050),
        attempt(110_100, { agent: "code", call_id: "third", run_id: "r1", duration_ms: 15_000 }),
        gaveUp("review", "code", 120_000),
      ],
      // 125.1 s, of which 2 x 50.05 s were lost.
      expect: {
        outcome: "found",
        agents: ["review"],
        numbers: { needed: 125_100, lost: 100_100, refusals: 2 },
      },
    },
    {
      name: "the same waiter in several runs is one finding",
      log: () =>
        ["r1", "r2", "r3"].flatMap((run, i) => [
          ...lateCall("code", i * 300_000, run),
          gaveUp("review", "code", 120_000, run, i * 300_000),
        ]),
      expect: { outcome: "found", agents: ["review"], numbers: { times: 3, needed: 131_000 } },
    },
    {
      name: "two stages below are two findings",
      log: () => [
        ...lateCall("code"),
        ...lateCall("test"),
        gaveUp("review", "code", 120_000),
        gaveUp("review", "test", 110_000),
      ],
      expect: { outcome: "found", agents: ["review", "review"] },
    },
    {
      name: "a client that reports its own timeout as an error",
      log: () => [
        ...lateCall(),
        wait({
          agent: "review",
          waitsFor: "code",
          fromMs: 0,
          durationMs: 118_000,
          timeoutMs: 120_000,
          outcome: "error",
          run: "r1",
        }),
      ],
      expect: { outcome: "found", agents: ["review"], message: "short" },
    },
    {
      name: "a waiter that failed with the one below would have given up next",
      log: () => [
        ...lateCall(),
        gaveUp("review", "code", 100_000),
        wait({
          agent: "deploy",
          waitsFor: "review",
          fromMs: 0,
          durationMs: 100_000,
          timeoutMs: 125_000,
          outcome: "error",
          run: "r1",
        }),
      ],
      expect: { outcome: "found", agents: ["deploy", "review"] },
    },
    {
      name: "neither waits nor calls tell their run",
      log: () =>
        [...lateCall(), gaveUp("review", "code", 120_000)].map(
          (record): RecordInput => ({ ...record, run_id: undefined }),
        ),
      expect: { outcome: "found", agents: ["review"], numbers: { needed: 131_000 } },
    },
    {
      name: "refused by an overloaded provider",
      log: () => [
        ...chain({
          agent: "code",
          id: "c",
          fromMs: 0,
          waitsMs: [50_000, 50_000],
          failed: { status: 529, error_type: "overloaded_error", duration_ms: 50 },
        }),
        gaveUp("review", "code", 90_000, ""),
      ],
      expect: { outcome: "found", agents: ["review"], numbers: { needed: 100_300, refusals: 2 } },
    },
  ],
  quiet: [
    {
      name: "a slow success without a refusal, beside refusals of another stage",
      log: () => [
        attempt(0, { agent: "code", call_id: "c1", run_id: "r1", duration_ms: 130_000 }),
        ...lateCall("test"),
        gaveUp("review", "code", 120_000),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "refused, and still in time",
      log: () => [
        ...lateCall(),
        wait({
          agent: "review",
          waitsFor: "code",
          fromMs: 0,
          durationMs: 131_000,
          timeoutMs: 300_000,
          outcome: "ok",
          run: "r1",
        }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "too slow without the refusal as well",
      log: () => [...once(2_000, 125_000), gaveUp("review", "code", 120_000)],
      expect: { outcome: "clear" },
    },
    {
      name: "another call of the stage takes too long by itself",
      log: () => [
        ...once(120_000, 4_000),
        attempt(0, { agent: "code", call_id: "slow", run_id: "r1", duration_ms: 123_000 }),
        gaveUp("review", "code", 120_000),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the refusals belong to another run",
      log: () => [
        ...lateCall("code", 0, "r2"),
        attempt(0, { agent: "code", call_id: "c1", run_id: "r1", duration_ms: 125_000 }),
        gaveUp("review", "code", 120_000),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "cancelled from above, long before its own timeout",
      log: () => [
        ...lateCall(),
        wait({
          agent: "review",
          waitsFor: "code",
          fromMs: 0,
          durationMs: 60_000,
          timeoutMs: 100_000,
          outcome: "cancelled",
          run: "r1",
        }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the call was given up long before the waiter was",
      log: () => [
        attempt(0, { agent: "code", call_id: "c1", run_id: "r1", ...REFUSED, retry_after_ms: 2_000 }),
        gaveUp("review", "code", 120_000),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "no refusal and no wait",
      log: () => [attempt(0, { agent: "code" })],
      expect: { outcome: "clear" },
    },
    {
      name: "refusals, and nothing that tells who waited",
      log: () => lateCall(),
      expect: { outcome: "unknown" },
    },
    {
      name: "attempts do not name the agent that was waited for",
      log: () => [...lateCall("worker-3"), gaveUp("review", "code", 120_000)],
      expect: { outcome: "unknown" },
    },
  ],
  edge: [
    {
      name: "the timeout is as long as the chain",
      log: () => [...lateCall(), gaveUp("review", "code", 131_000)],
      expect: { outcome: "clear" },
    },
    {
      name: "the timeout is a millisecond shorter than the chain",
      log: () => [...lateCall(), gaveUp("review", "code", 130_999)],
      expect: { outcome: "found", agents: ["review"] },
    },
    {
      name: "without the refusal it would have been just in time",
      log: () => [...once(2_000, 120_000), gaveUp("review", "code", 120_000)],
      expect: { outcome: "found", agents: ["review"] },
    },
    {
      name: "without the refusal it would have been just too late",
      log: () => [...once(2_000, 120_001), gaveUp("review", "code", 120_000)],
      expect: { outcome: "clear" },
    },
    {
      name: "headroom: a fifth on top ends on a full step",
      log: () => [...once(99_950, 0), gaveUp("review", "code", 90_000)],
      // 50 ms + 99.95 s = 100 s, and a fifth.
      expect: { outcome: "found", numbers: { needed: 100_000 }, fix: { timeoutMs: 120_000 } },
    },
    {
      name: "headroom: none on top",
      log: () => [...once(99_950, 0), gaveUp("review", "code", 90_000)],
      options: { headroom: 1 },
      expect: { outcome: "found", numbers: { needed: 100_000 }, fix: { timeoutMs: 100_000 } },
    },
    {
      name: "roundToMs: a millisecond more needs the next step",
      log: () => [...once(99_951, 0), gaveUp("review", "code", 90_000)],
      expect: { outcome: "found", numbers: { needed: 100_001 }, fix: { timeoutMs: 125_000 } },
    },
    {
      name: "roundToMs: to the second",
      log: () => [...once(99_951, 0), gaveUp("review", "code", 90_000)],
      options: { roundToMs: 1_000 },
      // 120,001.2 ms.
      expect: { outcome: "found", numbers: { needed: 100_001 }, fix: { timeoutMs: 121_000 } },
    },
    {
      name: "refused only after the waiter had left",
      log: () => [
        attempt(0, { agent: "code", call_id: "c1", attempt: 1, run_id: "r1", duration_ms: 119_000 }),
        ...once(20_000, 1_000, 120_000),
        gaveUp("review", "code", 120_000),
      ],
      expect: { outcome: "clear" },
    },
  ],
};
