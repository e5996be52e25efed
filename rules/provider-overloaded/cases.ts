import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, BUCKET, chain, refused, told } from "../../test/support/traffic.ts";

type Fields = { readonly [field: string]: unknown };

const OVERLOADED = { status: 529, error_type: "overloaded_error", duration_ms: 90 };

interface Episode {
  readonly agent?: string;
  readonly overloaded: number;
  readonly everyMs?: number;
  readonly fromMs?: number;
  readonly fields?: Fields;
}

/** Calls that meet an overloaded provider and are not repeated. */
function episode({
  agent = "code",
  overloaded,
  everyMs = 2_000,
  fromMs = 1_000,
  fields,
}: Episode): RecordInput[] {
  return attempts({ agent, fromMs, everyMs, count: overloaded, fields: { ...OVERLOADED, ...fields } });
}

/** Calls that pass meanwhile. */
function passed(count: number, everyMs: number = 2_000, fields: Fields = {}): RecordInput[] {
  return attempts({ agent: "research", fromMs: 2, everyMs, count, fields });
}

/** 10 overloaded answers a minute apart, and `between` calls that pass between the first and the last. */
function rare(between: number): RecordInput[] {
  return [
    ...episode({ overloaded: 10, everyMs: 60_000 }),
    ...attempts({ agent: "research", fromMs: 1_100, everyMs: 1_660, count: between }),
  ];
}

export const cases: RuleCases = {
  loud: [
    {
      name: "half of the attempts meet 529, far under the limit",
      log: () => [...passed(13), ...episode({ overloaded: 12 })],
      told: [told(100, null)],
      expect: {
        outcome: "found",
        agents: [],
        severity: "warning",
        message: "underLimit",
        fixKinds: ["retry", "separate"],
        // From 1 s to 23 s: 12 overloaded, 11 of the others; 23 calls started in 22 s.
        numbers: {
          overloaded: 12,
          attempts: 23,
          share: 12 / 23,
          length: 22_000,
          rate: (23 * 60) / 22,
          throttled: 0,
          failed: 12,
        },
        fix: { bucket: BUCKET, jitter: "full" },
      },
    },
    {
      name: "no limit is known, but the load was the same before",
      log: () => [...passed(60), ...episode({ overloaded: 12, fromMs: 61_002 })],
      // 30 a minute before; from 61 s to 83 s 12 overloaded and 11 others.
      expect: {
        outcome: "found",
        message: "beside",
        numbers: { rate: (23 * 60) / 22, rateBefore: (31 * 60) / 61 },
      },
    },
    {
      name: "the log begins with it",
      log: () => [...passed(13), ...episode({ overloaded: 12 })],
      expect: { outcome: "found", message: "overloaded" },
    },
    {
      name: "each call passes on its second attempt: nothing failed, and repeats are no load",
      log: () =>
        Array.from({ length: 12 }, (_, i) =>
          chain({ agent: "code", id: `c${i}`, fromMs: i * 2_000, waitsMs: [1_000], failed: OVERLOADED }),
        ).flat(),
      expect: {
        outcome: "found",
        // From 0 to 22 s: 12 overloaded and 11 repeats.
        numbers: { attempts: 23, failed: 0, rate: (12 * 60) / 22 },
      },
    },
    {
      name: "an answer that broke off after its status",
      log: () => episode({ overloaded: 12, fields: { status: 200 } }),
      expect: { outcome: "found" },
    },
    {
      name: "503 from a provider that nobody knows",
      log: () =>
        episode({ overloaded: 12, fields: { provider: "acme", status: 503, error_type: undefined } }),
      expect: { outcome: "found" },
    },
    {
      name: "the own limit refuses as well, and is told apart",
      log: () => [
        ...episode({ overloaded: 12 }),
        ...refused({ agent: "research", fromMs: 5_500, everyMs: 500, count: 4 }),
      ],
      expect: { outcome: "found", numbers: { overloaded: 12, throttled: 4 } },
    },
    {
      name: "two agents at once are one overload",
      log: () => [
        ...episode({ overloaded: 8 }),
        ...episode({ agent: "review", overloaded: 8, fromMs: 1_500 }),
      ],
      expect: { outcome: "found", agents: [], numbers: { overloaded: 16 } },
    },
    {
      name: "two models are two findings",
      log: () => [
        ...episode({ overloaded: 12 }),
        ...episode({ agent: "review", overloaded: 15, fields: { model: "claude-haiku-4-5" } }),
      ],
      expect: { outcome: "found", numbers: { overloaded: 15 } },
    },
    {
      name: "two episodes of one bucket are one finding, the worse one is told",
      log: () => [...episode({ overloaded: 12 }), ...episode({ overloaded: 14, fromMs: 900_000 })],
      expect: { outcome: "found", numbers: { overloaded: 14, episodes: 2, failed: 26 } },
    },
  ],
  quiet: [
    {
      name: "the own rate limit refuses",
      log: () => refused({ agent: "code", fromMs: 0, everyMs: 500, count: 40 }),
      expect: { outcome: "clear" },
    },
    {
      name: "the provider fails with 500",
      log: () => episode({ overloaded: 40, fields: { status: 500, error_type: "api_error" } }),
      expect: { outcome: "clear" },
    },
    {
      name: "503 that says slow down is a limit on the rise",
      log: () =>
        episode({
          overloaded: 40,
          fields: {
            provider: "openai",
            model: "gpt-4o",
            status: 503,
            error_type: "server_error",
            error_code: "slow_down",
          },
        }),
      expect: { outcome: "clear" },
    },
    {
      name: "a few on any day",
      log: () => [...passed(300), ...episode({ overloaded: 3, everyMs: 100_000 })],
      expect: { outcome: "clear" },
    },
    {
      name: "an open breaker of one's own: nothing was sent",
      log: () => episode({ overloaded: 40, fields: { local: true } }),
      expect: { outcome: "clear" },
    },
  ],
  edge: [
    { name: "minOverloaded: nine", log: () => episode({ overloaded: 9 }), expect: { outcome: "clear" } },
    { name: "minOverloaded: ten", log: () => episode({ overloaded: 10 }), expect: { outcome: "found" } },
    { name: "minShare: 10 of 334", log: () => rare(324), expect: { outcome: "clear" } },
    {
      name: "minShare: 10 of 333",
      log: () => rare(323),
      expect: { outcome: "found", numbers: { attempts: 333 } },
    },
    {
      name: "pauseMs: a millisecond more than two minutes apart",
      log: () => episode({ overloaded: 10, everyMs: 120_001 }),
      expect: { outcome: "clear" },
    },
    {
      name: "pauseMs: two minutes apart",
      log: () => episode({ overloaded: 10, everyMs: 120_000 }),
      expect: { outcome: "found", numbers: { episodes: 1 } },
    },
    {
      name: "too little data: one answer",
      log: () => episode({ overloaded: 1 }),
      expect: { outcome: "clear" },
    },
  ],
};
