import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, chain, REFUSED, refused, told } from "../../test/support/traffic.ts";

type Fields = { readonly [field: string]: unknown };

interface Herd {
  readonly agent?: string;
  readonly calls: number;
  /** From one call of the herd to the next. */
  readonly stepMs?: number;
  readonly fromMs?: number;
  readonly waitsMs: readonly number[];
  /** Added to every wait of a call. */
  readonly extraMs?: (call: number, wait: number) => number;
  readonly failed?: Fields;
}

/** Calls refused together, each waiting as told; the last attempt of each passes. */
function herd(shape: Herd): RecordInput[] {
  const { agent, calls, stepMs = 20, fromMs = 0, waitsMs, extraMs = () => 0, failed = REFUSED } = shape;
  return Array.from({ length: calls }, (_, i) =>
    chain({
      ...(agent === undefined ? {} : { agent }),
      id: `${agent ?? "untagged"}-${i}`,
      fromMs: fromMs + i * stepMs,
      waitsMs: waitsMs.map((waitMs, k) => waitMs + extraMs(i, k)),
      failed,
    }),
  ).flat();
}

/** Two rounds are refused again, the third passes. */
const TWO_SECONDS = [2_000, 2_000, 2_000];

/** Spreads waits over a second and a half, the same on every run. */
const jitter = (call: number, wait: number): number => (call * 613 + wait * 389) % 1_500;

export const cases: RuleCases = {
  loud: [
    {
      name: "six calls are refused together and come back together, twice",
      log: () => herd({ agent: "code", calls: 6, waitsMs: TWO_SECONDS }),
      told: [told(60, null)],
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "warning",
        message: "agent",
        fixKinds: ["retry"],
        numbers: { waves: 2, calls: 6, window: 100, wait: 2_000, retries: 12, again: 12 },
        // The limit takes six seconds to serve six calls.
        fix: { agent: "code", jitter: "added", jitterMs: 6_000 },
      },
    },
    {
      name: "the wait doubles, but is the same for all",
      log: () => herd({ agent: "code", calls: 6, waitsMs: [1_000, 2_000, 4_000, 8_000] }),
      expect: { outcome: "found", agents: ["code"], numbers: { waves: 3, wait: 2_000 } },
    },
    {
      name: "the server's hint to the millisecond, and it differs from round to round",
      log: () =>
        herd({ agent: "code", calls: 6, waitsMs: [10_000, 7_000, 9_000] }).map((record) => ({
          ...record,
          retry_after_ms: [10_000, 7_000, 9_000][Number(record["attempt"]) - 1],
        })),
      expect: { outcome: "found", agents: ["code"], numbers: { waves: 2 } },
    },
    {
      name: "no call ids, but the attempts are numbered",
      log: () =>
        herd({ agent: "code", calls: 6, waitsMs: TWO_SECONDS }).map((record) => ({
          ...record,
          call_id: undefined,
        })),
      expect: { outcome: "found", agents: ["code"], numbers: { waves: 2 } },
    },
    {
      name: "two agents at once",
      log: () => [
        ...herd({ agent: "code", calls: 6, waitsMs: TWO_SECONDS }),
        ...herd({ agent: "review", calls: 5, fromMs: 7, waitsMs: [3_000, 3_000, 3_000] }),
      ],
      expect: { outcome: "found", agents: ["code", "review"] },
    },
    {
      name: "agents with one call each make waves together only",
      log: () =>
        ["a", "b", "c", "d"].flatMap((agent, i) =>
          herd({ agent, calls: 1, fromMs: i * 30, waitsMs: [2_000, 2_000, 2_000, 2_000, 2_000] }),
        ),
      expect: { outcome: "found", agents: [], message: "shared", numbers: { waves: 4, calls: 4 } },
    },
    {
      name: "untagged traffic",
      log: () => herd({ calls: 6, waitsMs: TWO_SECONDS }),
      expect: { outcome: "found", agents: [], message: "shared" },
    },
  ],
  quiet: [
    {
      name: "each wait has its own random extra",
      log: () => herd({ agent: "code", calls: 12, waitsMs: TWO_SECONDS, extraMs: jitter }),
      expect: { outcome: "clear" },
    },
    {
      name: "equal waits of calls that were refused at different times",
      log: () => herd({ agent: "code", calls: 12, stepMs: 900, waitsMs: TWO_SECONDS }),
      expect: { outcome: "clear" },
    },
    {
      name: "they come back together, and all pass",
      log: () => herd({ agent: "code", calls: 6, waitsMs: [2_000] }),
      expect: { outcome: "clear" },
    },
    {
      name: "the provider is overloaded: that is not a limit of one's own",
      log: () =>
        herd({
          agent: "code",
          calls: 6,
          waitsMs: TWO_SECONDS,
          failed: { status: 529, error_type: "overloaded_error", duration_ms: 50 },
        }),
      expect: { outcome: "clear" },
    },
    {
      name: "nothing is retried",
      log: () => refused({ agent: "code", fromMs: 0, everyMs: 20, count: 30 }),
      expect: { outcome: "clear" },
    },
    {
      name: "six refusals in over 600 attempts, all passed later",
      log: () => [
        ...herd({ agent: "code", calls: 2, waitsMs: TWO_SECONDS }),
        ...attempts({ agent: "code", fromMs: 100_000, everyMs: 1_000, count: 600 }),
      ],
      options: { minCalls: 2 },
      expect: { outcome: "found", severity: "info" },
    },
  ],
  edge: [
    {
      name: "minCalls: three",
      log: () => herd({ agent: "code", calls: 3, waitsMs: TWO_SECONDS }),
      expect: { outcome: "clear" },
    },
    {
      name: "minCalls: four",
      log: () => herd({ agent: "code", calls: 4, waitsMs: TWO_SECONDS }),
      expect: { outcome: "found", agents: ["code"], numbers: { calls: 4 } },
    },
    {
      name: "minWaves: one is refused again",
      log: () => herd({ agent: "code", calls: 6, waitsMs: [2_000, 2_000] }),
      expect: { outcome: "clear" },
    },
    {
      name: "minWaves: two are refused again",
      log: () => herd({ agent: "code", calls: 6, waitsMs: TWO_SECONDS }),
      expect: { outcome: "found", agents: ["code"], numbers: { waves: 2 } },
    },
    {
      name: "togetherMs: four within 252 ms",
      log: () => herd({ agent: "code", calls: 4, stepMs: 84, waitsMs: TWO_SECONDS }),
      expect: { outcome: "clear" },
    },
    {
      name: "togetherMs: four within 249 ms",
      log: () => herd({ agent: "code", calls: 4, stepMs: 83, waitsMs: TWO_SECONDS }),
      expect: { outcome: "found", agents: ["code"], numbers: { window: 249 } },
    },
    {
      // 5 % of ten seconds.
      name: "togetherShare: four within 501 ms",
      log: () => herd({ agent: "code", calls: 4, stepMs: 167, waitsMs: [10_000, 10_000, 10_000] }),
      expect: { outcome: "clear" },
    },
    {
      name: "togetherShare: four within 498 ms",
      log: () => herd({ agent: "code", calls: 4, stepMs: 166, waitsMs: [10_000, 10_000, 10_000] }),
      expect: { outcome: "found", agents: ["code"], numbers: { window: 498 } },
    },
    {
      name: "manyAgents: three are three findings",
      log: () =>
        ["a", "b", "c"].flatMap((agent, i) => herd({ agent, calls: 5, fromMs: i * 7, waitsMs: TWO_SECONDS })),
      expect: { outcome: "found", agents: ["a", "b", "c"], message: "agent" },
    },
    {
      name: "manyAgents: four are one shared client",
      log: () =>
        ["a", "b", "c", "d"].flatMap((agent, i) =>
          herd({ agent, calls: 5, fromMs: i * 7, waitsMs: TWO_SECONDS }),
        ),
      expect: { outcome: "found", agents: [], message: "shared", numbers: { waves: 2, calls: 20 } },
    },
    {
      name: "too little data: one call",
      log: () => herd({ agent: "code", calls: 1, waitsMs: TWO_SECONDS }),
      expect: { outcome: "clear" },
    },
  ],
};
