import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, chain, REFUSED, refused } from "../../test/support/traffic.ts";

interface Asked {
  readonly agent?: string;
  readonly calls: number;
  readonly hintMs: number;
  /** Of each call in turn, again from the first. */
  readonly waitsMs: readonly number[];
  readonly fromMs?: number;
  readonly last?: { readonly [field: string]: unknown };
}

/** Calls that are refused with a hint, each repeated once. */
function asked({ agent, calls, hintMs, waitsMs, fromMs = 0, last = {} }: Asked): RecordInput[] {
  return Array.from({ length: calls }, (_, i) =>
    chain({
      ...(agent === undefined ? {} : { agent }),
      id: `${agent ?? "untagged"}-${fromMs}-${i}`,
      fromMs: fromMs + i * 137,
      waitsMs: [waitsMs[i % waitsMs.length] ?? 0],
      failed: { ...REFUSED, retry_after_ms: hintMs },
      last,
    }),
  ).flat();
}

/** Too soon by 19 s, and refused again. */
function hasty(agent: string, calls: number): RecordInput[] {
  return asked({ agent, calls, hintMs: 20_000, waitsMs: [1_000], last: REFUSED });
}

export const cases: RuleCases = {
  loud: [
    {
      name: "the server asks for 20 s and every call is back after one",
      log: () => hasty("code", 6),
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "error",
        message: "agent",
        fixKinds: ["retry"],
        numbers: { early: 6, hinted: 6, medianEarly: 19_000, asked: 20_000, waited: 1_000, again: 6 },
        fix: { agent: "code", obeyRetryAfter: true },
      },
    },
    {
      name: "the server asks for one second and every call is back at once: no rounding explains that",
      log: () => asked({ agent: "code", calls: 6, hintMs: 1_000, waitsMs: [0] }),
      // None was refused again: the hint was longer than need be.
      expect: { outcome: "found", agents: ["code"], severity: "info", numbers: { early: 6, again: 0 } },
    },
    {
      name: "a curve of its own, far below the hint",
      log: () =>
        asked({ agent: "code", calls: 6, hintMs: 20_000, waitsMs: [400, 900, 500, 1_000], last: REFUSED }),
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "error",
        // The waits in turn: 400, 900, 500, 1,000, 400, 900.
        numbers: { waited: 500, medianEarly: 19_100, worstEarly: 19_600 },
      },
    },
    {
      name: "the hint stands in a header",
      log: () =>
        hasty("code", 6).map((record) => ({
          ...record,
          retry_after_ms: undefined,
          headers: { "retry-after": "20" },
        })),
      expect: { outcome: "found", agents: ["code"], numbers: { asked: 20_000 } },
    },
    {
      name: "no call ids, but the attempts are numbered",
      log: () =>
        Array.from({ length: 6 }, (_, i) =>
          asked({ agent: "code", calls: 1, hintMs: 20_000, waitsMs: [1_000], fromMs: i * 60_000 }),
        )
          .flat()
          .map((record) => ({ ...record, call_id: undefined })),
      expect: { outcome: "found", agents: ["code"], numbers: { early: 6 } },
    },
    {
      name: "two agents at once",
      log: () => [...hasty("code", 6), ...hasty("review", 7)],
      expect: { outcome: "found", agents: ["code", "review"] },
    },
    {
      name: "untagged traffic",
      log: () => asked({ calls: 6, hintMs: 20_000, waitsMs: [1_000] }),
      expect: { outcome: "found", agents: [], message: "shared" },
    },
  ],
  quiet: [
    {
      name: "every call waits as asked and a little more",
      log: () => asked({ agent: "code", calls: 12, hintMs: 4_000, waitsMs: [4_010, 4_700, 5_900] }),
      expect: { outcome: "clear" },
    },
    {
      name: "a hint in whole seconds was rounded up, and the client knows the exact wait",
      log: () => asked({ agent: "code", calls: 12, hintMs: 2_000, waitsMs: [1_050, 1_400, 1_900] }),
      expect: { outcome: "clear" },
    },
    {
      name: "the server gives no hint",
      log: () => hasty("code", 6).map((record) => ({ ...record, retry_after_ms: undefined })),
      expect: { outcome: "clear" },
    },
    {
      name: "nothing says which attempts belong together: other calls may have come in between",
      log: () => hasty("code", 6).map((record) => ({ ...record, call_id: undefined, attempt: undefined })),
      expect: { outcome: "unknown" },
    },
    {
      name: "refused calls are never repeated",
      log: () =>
        refused({ agent: "code", fromMs: 0, everyMs: 100, count: 20, fields: { retry_after_ms: 20_000 } }),
      expect: { outcome: "clear" },
    },
    {
      name: "a bad request came back sooner than some header said",
      log: () =>
        hasty("code", 6).map((record) => ({ ...record, status: 400, error_type: "invalid_request_error" })),
      expect: { outcome: "clear" },
    },
    {
      name: "five refusals in over 500 attempts, all passed later",
      log: () => [
        ...asked({ agent: "code", calls: 5, hintMs: 20_000, waitsMs: [1_000] }),
        ...attempts({ agent: "code", fromMs: 100_000, everyMs: 1_000, count: 500 }),
      ],
      expect: { outcome: "found", agents: ["code"], severity: "info" },
    },
  ],
  edge: [
    {
      // 5 % of 20.5 s are 1,025 ms.
      name: "toleranceShare: 1,000 ms too soon",
      log: () => asked({ agent: "code", calls: 6, hintMs: 20_500, waitsMs: [19_500] }),
      expect: { outcome: "clear" },
    },
    {
      name: "toleranceShare: 1,050 ms too soon",
      log: () => asked({ agent: "code", calls: 6, hintMs: 20_500, waitsMs: [19_450] }),
      expect: { outcome: "found", agents: ["code"], numbers: { medianEarly: 1_050 } },
    },
    {
      name: "toleranceMs: 100 ms too soon",
      log: () => asked({ agent: "code", calls: 6, hintMs: 550, waitsMs: [450] }),
      expect: { outcome: "clear" },
    },
    {
      name: "toleranceMs: 101 ms too soon",
      log: () => asked({ agent: "code", calls: 6, hintMs: 550, waitsMs: [449] }),
      expect: { outcome: "found", agents: ["code"] },
    },
    { name: "minEarly: four", log: () => hasty("code", 4), expect: { outcome: "clear" } },
    { name: "minEarly: five", log: () => hasty("code", 5), expect: { outcome: "found", agents: ["code"] } },
    {
      name: "minShareEarly: 5 of 26",
      log: () => [
        ...hasty("code", 5),
        ...asked({ agent: "code", calls: 21, hintMs: 20_000, waitsMs: [20_500], fromMs: 50_000 }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "minShareEarly: 5 of 25",
      log: () => [
        ...hasty("code", 5),
        ...asked({ agent: "code", calls: 20, hintMs: 20_000, waitsMs: [20_500], fromMs: 50_000 }),
      ],
      expect: { outcome: "found", agents: ["code"], numbers: { early: 5, hinted: 25 } },
    },
    {
      name: "manyAgents: three are three findings",
      log: () => ["a", "b", "c"].flatMap((agent) => hasty(agent, 5)),
      expect: { outcome: "found", agents: ["a", "b", "c"], message: "agent" },
    },
    {
      name: "manyAgents: four are one shared client",
      log: () => ["a", "b", "c", "d"].flatMap((agent) => hasty(agent, 5)),
      expect: { outcome: "found", agents: [], message: "shared", numbers: { early: 20 } },
    },
    {
      name: "too little data: one refusal, repeated at once",
      log: () => hasty("code", 1),
      expect: { outcome: "clear" },
    },
  ],
};
