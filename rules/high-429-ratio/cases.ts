import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, BUCKET, chain, refused, told } from "../../test/support/traffic.ts";

interface Mix {
  readonly agent?: string;
  readonly fromMs?: number;
  readonly served: number;
  readonly refused: number;
  readonly fields?: { readonly [field: string]: unknown };
}

/** Served attempts every second, and between them refused ones of calls that are not tried again. */
function mix({ agent = "code", fromMs = 0, served, refused: bad, fields = {} }: Mix): RecordInput[] {
  return [
    ...attempts({ agent, fromMs, everyMs: 1_000, count: served, fields }),
    ...refused({ agent, fromMs: fromMs + 10_500, everyMs: 1_000, count: bad, fields }),
  ];
}

/** An hour of calm: 1,200 served attempts, every three seconds. */
const CALM = attempts({ agent: "code", fromMs: 600_000, everyMs: 3_000, count: 1_200 });

/** `count` calls, each refused once and served after a wait as long as asked, while 46 others are served. */
function passedLater(count: number): RecordInput[] {
  return [
    ...Array.from({ length: count }, (_, i) =>
      chain({ agent: "code", id: `c${i}`, fromMs: i * 15_000, waitsMs: [2_000] }),
    ).flat(),
    ...attempts({ agent: "code", fromMs: 300, everyMs: 900, count: 46 }),
  ];
}

export const cases: RuleCases = {
  loud: [
    {
      name: "a quarter of the log",
      log: () => mix({ served: 60, refused: 20 }),
      told: [told(60, 10)],
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "warning",
        message: "log",
        fixKinds: ["pace"],
        numbers: { ratio: 0.25, refused: 20, attempts: 80, agentRefused: 20 },
        fix: { scope: "bucket", bucket: BUCKET, ratePerMinute: 60, burst: 10 },
      },
    },
    {
      name: "a bad minute in an hour that is calm otherwise",
      log: () => [...mix({ served: 50, refused: 30 }), ...CALM],
      // Refusals at 10.5 .. 39.5 s, between them the 29 served attempts of 11 .. 39 s.
      expect: {
        outcome: "found",
        severity: "warning",
        message: "incident",
        numbers: { refused: 30, attempts: 59 },
      },
    },
    {
      name: "two agents at once, refused alike, and nobody is named",
      log: () => [
        ...mix({ served: 40, refused: 10 }),
        ...mix({ agent: "review", fromMs: 250, served: 40, refused: 10 }),
      ],
      expect: { outcome: "found", agents: [], numbers: { ratio: 0.2, refused: 20 } },
    },
    {
      name: "two buckets are two findings",
      log: () => [
        ...mix({ served: 60, refused: 20 }),
        ...mix({ agent: "review", served: 60, refused: 20, fields: { model: "claude-haiku-4-5" } }),
      ],
      expect: { outcome: "found", agents: ["code", "review"] },
    },
    {
      name: "many small incidents add up, although each passed later",
      log: () =>
        Array.from({ length: 10 }, (_, hour) => [
          ...chain({ agent: "code", id: `c${hour}`, fromMs: hour * 3_600_000, waitsMs: [1_000] }),
          ...attempts({ agent: "code", fromMs: hour * 3_600_000 + 60_000, everyMs: 60_000, count: 8 }),
        ]).flat(),
      expect: {
        outcome: "found",
        severity: "warning",
        message: "log",
        numbers: { refused: 10, attempts: 100 },
      },
    },
    {
      name: "an allowance per day, which no pace helps",
      log: () =>
        mix({
          served: 60,
          refused: 20,
        }).map((record) =>
          record["status"] === 429
            ? {
                ...record,
                provider: "openai",
                model: "gpt-4o-mini",
                error_message:
                  "Rate limit reached for gpt-4o-mini on requests per day (RPD): Limit 200, Used 200.",
              }
            : { ...record, provider: "openai", model: "gpt-4o-mini" },
        ),
      expect: { outcome: "found", fixKinds: ["raise-limit"] },
    },
    {
      name: "tokens refuse, and are paced",
      log: () =>
        mix({ served: 60, refused: 20 }).map((record) => ({
          ...record,
          error_message: "This request would exceed the rate limit of 30,000 input tokens per minute.",
        })),
      told: [told(60, 10), told(30_000, null, "input-tokens")],
      expect: { outcome: "found", fix: { tokensPerMinute: 30_000 } },
    },
  ],
  quiet: [
    {
      name: "nothing is refused",
      log: () => mix({ served: 80, refused: 0 }),
      expect: { outcome: "clear" },
    },
    {
      name: "the provider is overloaded",
      log: () =>
        mix({ served: 60, refused: 20, fields: {} }).map((record) =>
          record["status"] === 429 ? { ...record, status: 529, error_type: "overloaded_error" } : record,
        ),
      expect: { outcome: "clear" },
    },
    {
      name: "the credit is used up",
      log: () =>
        mix({ served: 60, refused: 20 }).map((record) =>
          record["status"] === 429
            ? {
                ...record,
                provider: "openai",
                error_type: "insufficient_quota",
                error_code: "insufficient_quota",
              }
            : record,
        ),
      expect: { outcome: "clear" },
    },
    {
      name: "the client's own limiter refuses",
      log: () => [
        ...mix({ served: 60, refused: 0 }),
        ...refused({ agent: "code", fromMs: 0, everyMs: 500, count: 40, fields: { local: true } }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "a bad minute that is under 1 % of the log, and all passed later",
      log: () => [...passedLater(3), ...CALM],
      // From the first to the last refusal, 30 s: of the calls 5 attempts, of the others the 34 at 0.3 .. 30 s.
      options: { minAttempts: 39 },
      expect: {
        outcome: "found",
        severity: "info",
        message: "incident",
        numbers: { refused: 3, attempts: 39 },
      },
    },
  ],
  edge: [
    {
      name: "maxRatio: five of a hundred",
      log: () => mix({ served: 95, refused: 5 }),
      expect: { outcome: "clear" },
    },
    {
      name: "maxRatio: six of a hundred",
      log: () => mix({ served: 94, refused: 6 }),
      expect: { outcome: "found", message: "log", numbers: { ratio: 0.06 } },
    },
    {
      name: "minAttempts: 49 attempts",
      log: () => mix({ served: 29, refused: 20 }),
      expect: { outcome: "not-applicable" },
    },
    {
      name: "minAttempts: 50 attempts",
      log: () => mix({ served: 30, refused: 20 }),
      expect: { outcome: "found", numbers: { ratio: 0.4 } },
    },
    {
      name: "minAttempts: an incident of 49 in a log that is calm otherwise",
      // 25 refused and 24 served between them.
      log: () => [...mix({ served: 45, refused: 25 }), ...CALM],
      expect: { outcome: "clear" },
    },
    {
      name: "minAgentShare: half of the refusals",
      log: () => [
        ...mix({ served: 40, refused: 10 }),
        ...mix({ agent: "review", fromMs: 250, served: 40, refused: 10 }),
      ],
      expect: { outcome: "found", agents: [] },
    },
    {
      name: "minAgentShare: one more than half",
      log: () => [
        ...mix({ served: 40, refused: 11 }),
        ...mix({ agent: "review", fromMs: 250, served: 40, refused: 10 }),
      ],
      expect: { outcome: "found", agents: ["code"], numbers: { agentRefused: 11 } },
    },
  ],
};
