import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, chain, REFUSED, refused, told } from "../../test/support/traffic.ts";

interface Fan {
  readonly agent?: string;
  readonly fromMs?: number;
  readonly everyMs?: number;
  readonly passed: number;
  readonly refused: number;
  readonly fields?: { readonly [field: string]: unknown };
}

/** Calls at equal distances, of which the first pass and the others are refused. */
function fan({ agent, fromMs = 0, everyMs = 100, passed, refused: rest, fields = {} }: Fan): RecordInput[] {
  const sender = agent === undefined ? {} : { agent };
  return [
    ...attempts({ ...sender, fromMs, everyMs, count: passed, fields }),
    ...refused({ ...sender, fromMs: fromMs + passed * everyMs, everyMs, count: rest, fields }),
  ];
}

const HEADERS = {
  headers: { "anthropic-ratelimit-requests-limit": "60", "anthropic-ratelimit-requests-remaining": "9" },
};

export const cases: RuleCases = {
  loud: [
    {
      name: "thirty calls in three seconds against a burst of ten",
      log: () => fan({ agent: "code", passed: 12, refused: 18 }),
      told: [told(60, 10)],
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "error",
        message: "refused",
        fixKinds: ["pace"],
        // In 2 s 20 calls against 12, in 5 s 30 against 15: that is furthest above.
        numbers: { calls: 30, takes: 15, window: 5_000, refused: 18, burst: 10, rate: 60 },
        fix: { scope: "agent", agent: "code", ratePerMinute: 60, burst: 10 },
      },
    },
    {
      name: "the limit stands in the headers",
      log: () => fan({ agent: "code", passed: 12, refused: 18, fields: HEADERS }),
      // A response that leaves 9 took the tenth.
      expect: { outcome: "found", agents: ["code"], message: "refused", numbers: { burst: 10, rate: 60 } },
    },
    {
      name: "nothing is refused yet, but most of what the bucket holds is taken within seconds",
      log: () => fan({ agent: "code", passed: 45, refused: 0 }),
      told: [told(60, 55)],
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "warning",
        message: "risk",
        // In 5 s all 45, against a capacity of 55 and a refill of 5.
        numbers: { calls: 45, load: 0.75, takes: 60, window: 5_000 },
      },
    },
    {
      name: "the first burst found the bucket full, the second of the same size did not",
      log: () => [
        ...fan({ agent: "code", passed: 20, refused: 0 }),
        ...fan({ agent: "code", fromMs: 30_000, passed: 5, refused: 15 }),
      ],
      told: [told(60, null)],
      expect: {
        outcome: "found",
        agents: ["code"],
        message: "refill",
        // In 2 s all 20 of the second burst against a refill of 2.
        numbers: { calls: 20, takes: 2, window: 2_000, refused: 15 },
      },
    },
    {
      name: "runs of a few calls passed, the large run did not",
      log: () => [
        ...fan({ agent: "code", passed: 5, refused: 0, fields: { run_id: "small" } }),
        ...fan({ agent: "code", fromMs: 600_000, passed: 12, refused: 18, fields: { run_id: "large" } }),
      ],
      told: [told(60, 10)],
      expect: { outcome: "found", agents: ["code"], numbers: { calls: 30 } },
    },
    {
      name: "two agents at once",
      log: () => [
        ...fan({ agent: "code", passed: 6, refused: 14 }),
        ...fan({ agent: "review", fromMs: 50, passed: 6, refused: 14 }),
      ],
      told: [told(60, 10)],
      expect: { outcome: "found", agents: ["code", "review"] },
    },
    {
      name: "no limit is known, and ten calls passed in the minute of the refusals",
      log: () => [
        ...fan({ agent: "code", passed: 2, refused: 7 }),
        ...fan({ agent: "review", fromMs: 5_000, everyMs: 2_000, passed: 8, refused: 1 }),
      ],
      // From the first refusal at 0.2 s to the last at 21 s: less than a minute, so all ten that passed are a minute's.
      expect: {
        outcome: "found",
        agents: ["code"],
        message: "observed",
        numbers: { calls: 9, refused: 7, rate: 10 },
        fix: { ratePerMinute: 10, burst: 2 },
      },
    },
    {
      name: "nobody is named: the limiter goes before the bucket",
      log: () => fan({ passed: 12, refused: 18 }),
      told: [told(60, 10)],
      expect: { outcome: "found", agents: [], fix: { scope: "bucket" } },
    },
  ],
  quiet: [
    {
      name: "a steady load at 1.8 times the limit",
      log: () =>
        Array.from({ length: 60 }, (_, i) =>
          fan({ agent: "code", fromMs: i * 1_112, everyMs: 556, passed: 1, refused: 1 }),
        ).flat(),
      told: [told(60, 10)],
      expect: { outcome: "clear" },
    },
    {
      name: "a burst that fits the bucket",
      log: () => fan({ agent: "code", passed: 30, refused: 0 }),
      told: [told(60, 40)],
      expect: { outcome: "clear" },
    },
    {
      name: "few calls with many attempts each",
      log: () =>
        Array.from({ length: 5 }, (_, i) =>
          chain({
            agent: "code",
            id: `c${i}`,
            fromMs: i * 100,
            waitsMs: [200, 200, 200, 200],
            last: REFUSED,
          }),
        ).flat(),
      told: [told(60, 10)],
      expect: { outcome: "clear" },
    },
    {
      name: "the burst passed, and the refusals are another agent's",
      log: () => [
        ...fan({ agent: "code", passed: 20, refused: 0 }),
        ...refused({ agent: "review", fromMs: 50, everyMs: 2_000, count: 9 }),
      ],
      told: [told(60, 10)],
      expect: { outcome: "clear" },
    },
    {
      name: "most of a minute's limit at once, and nothing tells what the bucket holds",
      log: () => fan({ agent: "code", passed: 45, refused: 0 }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "the client's own limiter holds the burst back: some of it waited there",
      log: () =>
        fan({ agent: "code", passed: 45, refused: 0 }).map((record, i) => ({ ...record, queued_ms: i * 2 })),
      told: [told(60, 55)],
      expect: { outcome: "clear" },
    },
    {
      name: "one call a second, and twice as many in some, on a bucket that holds little",
      log: () => [
        ...attempts({ agent: "code", fromMs: 0, everyMs: 1_000, count: 300 }),
        ...attempts({ agent: "code", fromMs: 500, everyMs: 7_000, count: 42 }),
      ],
      told: [told(120, 4)],
      expect: { outcome: "clear" },
    },
    {
      name: "no limit is known and nothing was refused",
      log: () => fan({ agent: "code", passed: 40, refused: 0 }),
      expect: { outcome: "clear" },
    },
    {
      name: "four refusals in over 400 attempts, all passed later",
      log: () => [
        ...fan({ agent: "code", passed: 16, refused: 0 }),
        ...[0, 1, 2, 3].flatMap((i) =>
          chain({ agent: "code", id: `c${i}`, fromMs: 1_600 + i * 100, waitsMs: [20_000] }),
        ),
        ...attempts({ agent: "code", fromMs: 100_000, everyMs: 2_000, count: 400 }),
      ],
      told: [told(60, 10)],
      expect: { outcome: "found", severity: "info" },
    },
  ],
  edge: [
    {
      name: "minCalls: seven",
      log: () => fan({ agent: "code", passed: 2, refused: 5 }),
      told: [told(60, 2)],
      expect: { outcome: "clear" },
    },
    {
      name: "minCalls: eight",
      log: () => fan({ agent: "code", passed: 2, refused: 6 }),
      told: [told(60, 2)],
      expect: { outcome: "found", agents: ["code"], numbers: { calls: 8 } },
    },
    {
      name: "minRefused: two",
      log: () => fan({ agent: "code", passed: 18, refused: 2 }),
      told: [told(60, 10)],
      expect: { outcome: "clear" },
    },
    {
      name: "minRefused: three",
      log: () => fan({ agent: "code", passed: 17, refused: 3 }),
      told: [told(60, 10)],
      expect: { outcome: "found", agents: ["code"], numbers: { refused: 3 } },
    },
    {
      // 20 calls in 2 s against a refill of 2.
      name: "overRate: ten times where more is asked",
      log: () => fan({ agent: "code", passed: 5, refused: 15 }),
      told: [told(60, null)],
      options: { overRate: 10.1 },
      expect: { outcome: "clear" },
    },
    {
      name: "overRate: ten times where ten is asked",
      log: () => fan({ agent: "code", passed: 5, refused: 15 }),
      told: [told(60, null)],
      options: { overRate: 10 },
      expect: { outcome: "found", agents: ["code"], numbers: { calls: 20, window: 2_000 } },
    },
    {
      name: "riskShare: 41 of 60",
      log: () => fan({ agent: "code", passed: 41, refused: 0 }),
      told: [told(60, 55)],
      expect: { outcome: "clear" },
    },
    {
      name: "riskShare: 42 of 60",
      log: () => fan({ agent: "code", passed: 42, refused: 0 }),
      told: [told(60, 55)],
      expect: { outcome: "found", message: "risk", numbers: { load: 0.7 } },
    },
    {
      name: "too little data to know a limit",
      log: () => fan({ agent: "code", passed: 2, refused: 9 }),
      expect: { outcome: "unknown" },
    },
    {
      name: "no record tells how it ended",
      log: () =>
        attempts({ agent: "code", fromMs: 0, everyMs: 100, count: 9, fields: { status: undefined } }),
      expect: { outcome: "unknown" },
    },
  ],
};
