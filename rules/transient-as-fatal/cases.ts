import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { action, attempt, attempts, chain, REFUSED, wait } from "../../test/support/traffic.ts";

const ASKED = { ...REFUSED, retry_after_ms: 2_000, run_id: "r1" };

/** Somebody else's calls, so that the log goes on for three minutes. */
function others(agent = "research"): RecordInput[] {
  return attempts({ agent, fromMs: 0, everyMs: 6_000, count: 30, fields: { run_id: "r0" } });
}

/** One call that is refused once and not sent again. */
function dropped(
  id: string,
  fromMs: number,
  fields: { readonly [field: string]: unknown } = ASKED,
): RecordInput {
  return attempt(fromMs, { agent: "deploy", call_id: id, attempt: 1, ...fields });
}

function rollback(ms: number, fields: { readonly [field: string]: unknown }): RecordInput {
  return action(ms, "orchestrator", "rollback", fields);
}

/** A call of `count` attempts that ends refused; `waitMs` after each. */
function tried(count: number, waitMs: number, asked: object = ASKED): RecordInput[] {
  const failed = { ...asked };
  return chain({
    agent: "deploy",
    id: "d1",
    fromMs: 10_000,
    waitsMs: Array.from({ length: count - 1 }, () => waitMs),
    failed,
    last: failed,
  });
}

/** `count` calls of deploy that are refused and not sent again, and one of research that is. */
function neverAgain(count: number): RecordInput[] {
  return [
    ...others(),
    ...Array.from({ length: count }, (_, i) =>
      dropped(`d${i}`, 10_000 + i * 7_000, { ...ASKED, run_id: "r0" }),
    ),
    ...chain({
      agent: "research",
      id: "again",
      fromMs: 20_000,
      waitsMs: [2_100],
      failed: { ...ASKED, run_id: "r0" },
      last: { run_id: "r0" },
    }),
  ];
}

/** A run that did some work, is refused at `lastMs`, and sends nothing more in a log of three minutes. */
function ends(lastMs: number): RecordInput[] {
  return [...others(), attempt(1_000, { agent: "plan", call_id: "p1", run_id: "r1" }), dropped("d1", lastMs)];
}

/** The rollback names the run only, and comes `afterMs` after the refused attempt ended. */
function unnamed(afterMs: number): RecordInput[] {
  const goesOn = attempts({ agent: "plan", fromMs: 0, everyMs: 6_000, count: 30, fields: { run_id: "r1" } });
  return [...goesOn, dropped("d1", 10_000), rollback(10_050 + afterMs, { run_id: "r1" })];
}

export const cases: RuleCases = {
  loud: [
    {
      name: "one attempt, two seconds asked for, and a rollback at once",
      log: () => [...others(), dropped("d1", 10_000), rollback(10_250, { run_id: "r1", call_id: "d1" })],
      expect: {
        outcome: "found",
        agents: ["deploy"],
        severity: "error",
        message: "action",
        fixKinds: ["classify", "retry"],
        numbers: { calls: 1, attempts: 1, actions: 1, asked: 2_000, tried: 50 },
        fix: { agent: "deploy", transient: [408, 429, 500, 502, 503, 504, 529] },
      },
    },
    {
      name: "the rollback is the last line of the log",
      log: () => [dropped("d1", 10_000), rollback(10_250, { run_id: "r1", call_id: "d1" })],
      expect: { outcome: "found", agents: ["deploy"], message: "action" },
    },
    {
      name: "the action names the run only",
      log: () => unnamed(300),
      expect: { outcome: "found", agents: ["deploy"], message: "action" },
    },
    {
      name: "an overloaded provider and a server error are temporary too",
      log: () => [
        ...others(),
        dropped("d1", 10_000, { status: 529, error_type: "overloaded_error", run_id: "r1" }),
        dropped("d2", 20_000, { status: 500, error_type: "api_error", run_id: "r1" }),
        action(10_300, "orchestrator", "alert", { call_id: "d1" }),
        action(20_300, "orchestrator", "fail", { call_id: "d2" }),
      ],
      expect: { outcome: "found", agents: ["deploy"], numbers: { calls: 2, actions: 2, asked: 0 } },
    },
    {
      name: "three quick attempts against half a minute asked for",
      log: () => [
        ...others(),
        ...tried(3, 500, { ...ASKED, retry_after_ms: 30_000 }),
        rollback(11_500, { call_id: "d1" }),
      ],
      expect: { outcome: "found", agents: ["deploy"], numbers: { attempts: 3, tried: 1_150, asked: 30_000 } },
    },
    {
      name: "the run ends there and the log goes on",
      log: () => ends(10_000),
      expect: { outcome: "found", agents: ["deploy"], message: "ended", numbers: { calls: 1 } },
    },
    {
      name: "the stage above hears of it and fails with it",
      log: () => [
        ...ends(10_000),
        wait({
          agent: "release",
          waitsFor: "deploy",
          fromMs: 9_000,
          durationMs: 1_050,
          timeoutMs: 60_000,
          outcome: "error",
          run: "r1",
        }),
        rollback(10_300, { run_id: "r1" }),
      ],
      expect: { outcome: "found", agents: ["deploy"], message: "action" },
    },
    {
      name: "an agent that never repeats while another does",
      log: () => neverAgain(6),
      expect: { outcome: "found", agents: ["deploy"], message: "never", numbers: { calls: 6 } },
    },
    {
      name: "two agents at once are two findings",
      log: () => [
        ...others(),
        dropped("d1", 10_000),
        attempt(11_000, { agent: "notify", call_id: "n1", attempt: 1, ...ASKED }),
        rollback(10_250, { call_id: "d1" }),
        rollback(11_250, { call_id: "n1" }),
      ],
      expect: { outcome: "found", agents: ["deploy", "notify"] },
    },
  ],
  quiet: [
    {
      name: "billing: giving up is right",
      log: () => [
        ...others(),
        dropped("d1", 10_000, { status: 402, error_type: "billing_error", run_id: "r1" }),
        rollback(10_250, { call_id: "d1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "a bad request: giving up is right",
      log: () => [
        ...others(),
        dropped("d1", 10_000, { status: 400, error_type: "invalid_request_error", run_id: "r1" }),
        rollback(10_250, { call_id: "d1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "refused for the day: giving up is right",
      log: () => [
        ...others(),
        dropped("d1", 10_000, {
          status: 429,
          error_message: "Limit of 200 requests per day reached",
          run_id: "r1",
        }),
        rollback(10_250, { call_id: "d1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the last of five attempts, and then an alert",
      log: () => [...others(), ...tried(5, 2_100), rollback(30_000, { call_id: "d1" })],
      expect: { outcome: "clear" },
    },
    {
      name: "repeated and passed, and a rollback for another reason",
      log: () => [
        ...others(),
        ...chain({
          agent: "deploy",
          id: "d1",
          fromMs: 10_000,
          waitsMs: [2_100],
          failed: ASKED,
          last: { run_id: "r1" },
        }),
        rollback(13_000, { run_id: "r1", call_id: "d1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the orchestrator puts the call back into its queue",
      log: () => [
        ...others(),
        dropped("d1", 10_000, { ...ASKED, run_id: "r0" }),
        action(10_250, "orchestrator", "requeue", { call_id: "d1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "a final error of the same run comes between",
      log: () => [
        ...attempts({ agent: "plan", fromMs: 0, everyMs: 6_000, count: 30, fields: { run_id: "r1" } }),
        dropped("d1", 10_000),
        attempt(12_000, {
          agent: "plan",
          call_id: "bad",
          run_id: "r1",
          status: 401,
          error_type: "authentication_error",
        }),
        rollback(12_500, { run_id: "r1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the waiter above cut the call off",
      log: () => [
        ...others(),
        dropped("d1", 10_000, { ...ASKED, retry_after_ms: 60_000 }),
        wait({
          agent: "release",
          waitsFor: "deploy",
          fromMs: 9_000,
          durationMs: 30_000,
          timeoutMs: 30_000,
          run: "r1",
        }),
        rollback(39_100, { run_id: "r1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the log ends before the call could come back",
      log: () => [
        ...others(),
        attempt(1_000, { agent: "plan", call_id: "p1", run_id: "r1" }),
        dropped("d1", 170_000),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "nobody in the log repeats anything",
      log: () => neverAgain(6).filter((record) => record["call_id"] !== "again"),
      expect: { outcome: "clear" },
    },
    {
      name: "a run of a single request says nothing about the run",
      log: () => [...others(), dropped("d1", 10_000)],
      expect: { outcome: "clear" },
    },
    {
      name: "neither runs nor actions are told",
      log: () => [
        ...attempts({ agent: "research", fromMs: 0, everyMs: 6_000, count: 30 }),
        dropped("d1", 10_000, { ...REFUSED, retry_after_ms: 2_000 }),
      ],
      expect: { outcome: "unknown" },
    },
    {
      name: "nothing failed",
      log: () => [...others(), rollback(10_250, { run_id: "r0" })],
      expect: { outcome: "clear" },
    },
  ],
  edge: [
    {
      name: "enoughAttempts: four quick attempts against half a minute asked for",
      log: () => [
        ...others(),
        ...tried(4, 500, { ...ASKED, retry_after_ms: 30_000 }),
        rollback(13_000, { call_id: "d1" }),
      ],
      expect: { outcome: "found", numbers: { attempts: 4 } },
    },
    {
      name: "enoughAttempts: five of them",
      log: () => [
        ...others(),
        ...tried(5, 500, { ...ASKED, retry_after_ms: 30_000 }),
        rollback(13_000, { call_id: "d1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "waitedAttempts: twice, as long as asked",
      log: () => [...others(), ...tried(2, 2_000), rollback(13_000, { call_id: "d1" })],
      expect: { outcome: "found", numbers: { attempts: 2 } },
    },
    {
      name: "waitedAttempts: three times, as long as asked",
      log: () => [...others(), ...tried(3, 2_000), rollback(15_000, { call_id: "d1" })],
      expect: { outcome: "clear" },
    },
    {
      name: "longestWaitMs: ten minutes asked for",
      log: () => [
        ...others(),
        dropped("d1", 10_000, { ...ASKED, retry_after_ms: 600_000 }),
        rollback(10_250, { call_id: "d1" }),
      ],
      expect: { outcome: "found" },
    },
    {
      name: "longestWaitMs: a second more",
      log: () => [
        ...others(),
        dropped("d1", 10_000, { ...ASKED, retry_after_ms: 601_000 }),
        rollback(10_250, { call_id: "d1" }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "actionWithinMs: ten seconds later",
      log: () => unnamed(10_000),
      expect: { outcome: "found", message: "action" },
    },
    { name: "actionWithinMs: a millisecond more", log: () => unnamed(10_001), expect: { outcome: "clear" } },
    {
      // The log ends with the last answer of research: 174.2 s.
      name: "quietRunMs: the log goes on for just a minute",
      log: () => ends(114_151),
      expect: { outcome: "found", message: "ended" },
    },
    { name: "quietRunMs: for a little less", log: () => ends(114_152), expect: { outcome: "clear" } },
    { name: "minNeverRetried: four calls", log: () => neverAgain(4), expect: { outcome: "clear" } },
    {
      name: "minNeverRetried: five calls",
      log: () => neverAgain(5),
      expect: { outcome: "found", message: "never" },
    },
  ],
};
