import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, chain, REFUSED, refused, told } from "../../test/support/traffic.ts";

/** `code` has `own` of the attempts, `research` and `review` share the rest; all but `review` are refused. */
function flood(own: number, others: number): RecordInput[] {
  const half = Math.floor(others / 2);
  return [
    ...refused({ agent: "code", fromMs: 0, everyMs: 400, count: own }),
    ...refused({ agent: "research", fromMs: 1_001, everyMs: 150, count: others - half }),
    ...attempts({ agent: "review", fromMs: 1_102, everyMs: 150, count: half }),
  ];
}

const OVER_INPUT = {
  ...REFUSED,
  error_message: "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
};

/** Few calls that carry nearly all tokens, refused by `limit`. */
function heavyCalls(limit: { readonly [field: string]: unknown }, writes: number): RecordInput[] {
  return [
    ...attempts({
      agent: "reader",
      fromMs: 0,
      everyMs: 4_000,
      count: 6,
      fields: { ...limit, input_tokens: 8_000 },
    }),
    ...attempts({ agent: "writer", fromMs: 100, everyMs: 800, count: writes, fields: { input_tokens: 250 } }),
  ];
}

/** 5 calls of `code` with 5 attempts each, beside `others` calls of `research` with one. */
function retried(others: number): RecordInput[] {
  const own = [0, 1, 2, 3, 4].flatMap((i) =>
    chain({
      agent: "code",
      id: `c${i}`,
      fromMs: i * 100,
      waitsMs: [2_000, 2_000, 2_000, 2_000],
      last: REFUSED,
    }),
  );
  return [...own, ...attempts({ agent: "research", fromMs: 1_007, everyMs: 500, count: others })];
}

/** Five refusals that passed on the second try, in `rest` + 15 attempts. */
function fewRefusals(rest: number): RecordInput[] {
  const calls = [0, 1, 2, 3, 4].flatMap((i) =>
    chain({ agent: "code", id: `c${i}`, fromMs: 100_000 + i * 1_000, waitsMs: [500] }),
  );
  return [
    ...calls,
    ...attempts({ agent: "review", fromMs: 102_100, everyMs: 1_000, count: 2 }),
    ...attempts({ agent: "research", fromMs: 200_000, everyMs: 1_000, count: rest }),
  ];
}

export const cases: RuleCases = {
  loud: [
    {
      name: "one agent sends four fifths and the others are refused with it",
      log: () => flood(16, 4),
      told: [told(60, null)],
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "error",
        message: "attempts",
        fixKinds: ["pace"],
        // 20 attempts; a third is fair. 4 calls of the others leave 56 of 60 a minute, and 20 % of 60 is 12.
        numbers: {
          shareOfAttempts: 0.8,
          shareOfCalls: 0.8,
          fairShare: 1 / 3,
          refusals: 18,
          othersRefused: 2,
        },
        fix: { scope: "agent", agent: "code", ratePerMinute: 56, burst: 12 },
      },
    },
    {
      name: "a fifth of the attempts carries nine tenths of the tokens, and tokens are what is refused",
      log: () => heavyCalls(OVER_INPUT, 24),
      expect: {
        outcome: "found",
        agents: ["reader"],
        message: "tokens",
        // From the first refusal at 0 to the last at 20 s; the last small call is sent at 18.5 s.
        numbers: { shareOfTokens: 48_000 / 54_000, shareOfAttempts: 6 / 30, othersRefused: 0 },
      },
    },
    {
      name: "two incidents of one bucket are one finding",
      log: () => [
        ...flood(16, 4),
        ...refused({ agent: "code", fromMs: 300_000, everyMs: 400, count: 16 }),
        ...refused({ agent: "research", fromMs: 301_001, everyMs: 150, count: 4 }),
      ],
      // The worse of the two: 20 refusals beside 18.
      expect: { outcome: "found", agents: ["code"], numbers: { refusals: 20, othersRefused: 4 } },
    },
    {
      name: "two agents at once, each greedy on a bucket of its own",
      log: () => {
        const fields = { model: "claude-haiku-4-5" };
        return [
          ...flood(16, 4),
          ...refused({ agent: "deploy", fromMs: 0, everyMs: 300, count: 20, fields }),
          ...attempts({ agent: "notify", fromMs: 50, everyMs: 2_000, count: 2, fields }),
        ];
      },
      expect: { outcome: "found", agents: ["code", "deploy"] },
    },
    {
      name: "the others use the bucket just before and after, not meanwhile",
      log: () => [
        ...attempts({ agent: "review", fromMs: 0, everyMs: 1_000, count: 2 }),
        ...refused({ agent: "code", fromMs: 30_000, everyMs: 400, count: 30 }),
        ...attempts({ agent: "plan", fromMs: 90_000, everyMs: 1_000, count: 2 }),
      ],
      expect: {
        outcome: "found",
        agents: ["code"],
        numbers: { shareOfAttempts: 1, fairShare: 1 / 3, othersRefused: 0 },
      },
    },
    {
      name: "a few attempts are untagged, and they cannot change who it was",
      log: () => [
        ...refused({ agent: "code", fromMs: 0, everyMs: 400, count: 90 }),
        ...attempts({ fromMs: 150, everyMs: 4_000, count: 8 }),
      ],
      expect: { outcome: "found", agents: ["code"] },
    },
  ],
  quiet: [
    {
      name: "one agent alone on the bucket",
      log: () => refused({ agent: "code", fromMs: 0, everyMs: 400, count: 30 }),
      expect: { outcome: "clear" },
    },
    {
      name: "the other agent used the bucket two minutes before",
      log: () => [
        ...attempts({ agent: "review", fromMs: 0, everyMs: 1_000, count: 2 }),
        ...refused({ agent: "code", fromMs: 120_000, everyMs: 400, count: 30 }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "half is one agent's, and a third could be its as well",
      log: () => [
        ...refused({ agent: "code", fromMs: 0, everyMs: 400, count: 50 }),
        ...refused({ fromMs: 150, everyMs: 600, count: 33 }),
        ...attempts({ agent: "review", fromMs: 250, everyMs: 1_000, count: 17 }),
      ],
      expect: { outcome: "unknown" },
    },
    {
      name: "one agent sends nearly everything and nothing is refused",
      log: () => [
        ...attempts({ agent: "code", fromMs: 0, everyMs: 400, count: 95 }),
        ...attempts({ agent: "review", fromMs: 150, everyMs: 4_000, count: 5 }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "two agents at once, half each",
      log: () => [
        ...refused({ agent: "code", fromMs: 0, everyMs: 400, count: 20 }),
        ...refused({ agent: "review", fromMs: 150, everyMs: 400, count: 20 }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "most of the tokens, but requests are what is refused",
      log: () => heavyCalls(REFUSED, 20),
      expect: { outcome: "clear" },
    },
    {
      name: "most of the calls, but tokens are what is refused and the others have half of them",
      log: () =>
        heavyCalls(OVER_INPUT, 24).map((record) => ({
          ...record,
          input_tokens: record["agent"] === "reader" ? 1_000 : 250,
        })),
      expect: { outcome: "clear" },
    },
    {
      name: "the client's own limiter refuses, nothing was sent",
      log: () => [
        ...attempts({
          agent: "code",
          fromMs: 0,
          everyMs: 400,
          count: 30,
          fields: { status: undefined, local: true },
        }),
        ...attempts({ agent: "review", fromMs: 150, everyMs: 4_000, count: 3 }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the traffic that floods has no agent: nobody can be named",
      log: () => [
        ...refused({ fromMs: 0, everyMs: 400, count: 40 }),
        ...attempts({ agent: "review", fromMs: 150, everyMs: 4_000, count: 3 }),
      ],
      expect: { outcome: "unknown" },
    },
    {
      name: "five refusals in over 500 attempts, all passed later",
      log: () => fewRefusals(600),
      expect: { outcome: "found", severity: "info" },
    },
  ],
  edge: [
    { name: "minShare: 79 of 100", log: () => flood(79, 21), expect: { outcome: "clear" } },
    { name: "minShare: 80 of 100", log: () => flood(80, 20), expect: { outcome: "found", agents: ["code"] } },
    {
      name: "minShare: half is enough where half is asked",
      log: () => flood(50, 50),
      options: { minShare: 0.5, minShareOfCalls: 0.5 },
      expect: { outcome: "found", agents: ["code"] },
    },
    {
      name: "minShareOfCalls: 5 of 11 first attempts, the rest is retries",
      log: () => retried(6),
      expect: { outcome: "clear" },
    },
    {
      name: "minShareOfCalls: 5 of 10 first attempts",
      log: () => retried(5),
      expect: {
        outcome: "found",
        agents: ["code"],
        numbers: { shareOfAttempts: 25 / 30, shareOfCalls: 0.5 },
      },
    },
    {
      name: "minRefusals: four",
      log: () => [
        ...refused({ agent: "code", fromMs: 0, everyMs: 4_000, count: 4 }),
        ...attempts({ agent: "review", fromMs: 6_000, everyMs: 1_000, count: 1 }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "minRefusals: five",
      log: () => [
        ...refused({ agent: "code", fromMs: 0, everyMs: 4_000, count: 5 }),
        ...attempts({ agent: "review", fromMs: 6_000, everyMs: 1_000, count: 1 }),
      ],
      expect: { outcome: "found", agents: ["code"] },
    },
    {
      name: "too little data: one refusal",
      log: () => refused({ agent: "code", fromMs: 0, everyMs: 1, count: 1 }),
      expect: { outcome: "clear" },
    },
    {
      name: "no record names an agent",
      log: () => refused({ fromMs: 0, everyMs: 400, count: 40 }),
      expect: { outcome: "unknown" },
    },
  ],
};
