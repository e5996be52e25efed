import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, BUCKET, chain, REFUSED, refused, told } from "../../test/support/traffic.ts";

interface Shape {
  /** Attempts of other calls in the minute before, evenly spread. */
  readonly before: number;
  readonly calls: number;
  /** Waits of each call; every attempt but the last is refused. */
  readonly waitsMs: readonly number[];
  /** What the server asks for. */
  readonly hintMs?: number;
  readonly agent?: string;
}

/** A minute of calm, then calls that are refused and come back. */
function storm({ before, calls, waitsMs, hintMs, agent = "code" }: Shape): RecordInput[] {
  const failed = { ...REFUSED, ...(hintMs === undefined ? {} : { retry_after_ms: hintMs }) };
  const everyMs = Math.floor(60_000 / before);
  return [
    ...attempts({ agent: "research", fromMs: 0, everyMs, count: before }),
    ...Array.from({ length: calls }, (_, i) =>
      chain({ agent, id: `${agent}-${i}`, fromMs: 60_000 + i * 101, waitsMs, failed }),
    ).flat(),
  ];
}

const EVERY_SECOND = [1_000, 1_000, 1_000, 1_000];

/** 10 calls, each refused and repeated once against the hint, beside `fresh` new calls. */
function withNewWork(fresh: number): RecordInput[] {
  const failed = { ...REFUSED, retry_after_ms: 20_000 };
  const repeated = Array.from({ length: 10 }, (_, i) =>
    chain({ agent: "code", id: `c${i}`, fromMs: 60_000 + i * 1_100, waitsMs: [500], failed, last: failed }),
  );
  return [
    ...attempts({ agent: "research", fromMs: 0, everyMs: 10_000, count: 6 }),
    ...repeated.flat(),
    ...attempts({ agent: "research", fromMs: 60_003, everyMs: 107, count: fresh }),
  ];
}

/** 20 repeats, of which `early` come after half a second although the server asks for 2.5 s. */
function partlyEarly(early: number): RecordInput[] {
  const failed = { ...REFUSED, retry_after_ms: 2_500 };
  const calls = Array.from({ length: 20 }, (_, i) =>
    chain({
      agent: "code",
      id: `c${i}`,
      fromMs: 60_000 + i * 101,
      waitsMs: [i < early ? 500 : 2_600],
      failed,
      last: failed,
    }),
  );
  return [...attempts({ agent: "research", fromMs: 0, everyMs: 10_000, count: 6 }), ...calls.flat()];
}

/** Ten calls a minute, then `calls` new ones with waits that rise and fall as hidden hints do. */
function hidden(calls: number): RecordInput[] {
  return [
    ...attempts({ agent: "research", fromMs: 0, everyMs: 6_000, count: 10 }),
    ...Array.from({ length: calls }, (_, i) =>
      chain({ agent: "code", id: `c${i}`, fromMs: 60_000 + i * 101, waitsMs: [1_500, 1_000, 1_400, 900] }),
    ).flat(),
  ];
}

export const cases: RuleCases = {
  loud: [
    {
      name: "refused calls come back every second without a hint",
      log: () => storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND }),
      told: [told(60, null)],
      expect: {
        outcome: "found",
        agents: [],
        severity: "error",
        message: "storm",
        fixKinds: ["retry", "break", "pace"],
        // The last refusal is each call's fourth attempt: 40 attempts in the 30 s from the first refusal on, 30 of them
        // repeats; 80 a minute after 30 a minute; 4 attempts for each of 10 calls.
        numbers: { rateBefore: 30, ratePeak: 80, attempts: 40, repeats: 30, amplification: 4 },
        fix: { obeyRetryAfter: true, bucket: BUCKET, jitter: "added", jitterMs: 10_000 },
      },
    },
    {
      name: "the server asks for 20 s and the calls come back after one",
      log: () => storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND, hintMs: 20_000 }),
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { repeats: 30 } },
    },
    {
      name: "a stray refusal half a minute earlier does not hide it",
      log: () => [
        ...storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND }),
        ...refused({ agent: "review", fromMs: 30_001, everyMs: 1, count: 1 }),
      ],
      // Before the stray at 30.001 s: sends at 0, 2, .. 30 s. The busiest 30 s end with the last refusal at 64.1 s, so the
      // sends at 36, 38, .. 58 s are in them too: 52 attempts.
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { rateBefore: (16 * 60_000) / 30_001, ratePeak: 104 } },
    },
    {
      name: "the log begins inside the incident",
      log: () => storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND }).slice(30),
      // Nothing before: the ten calls of that minute are what would have been sent.
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { rateBefore: 10, ratePeak: 80 } },
    },
    {
      name: "the log begins after the first attempts",
      log: () =>
        storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND })
          .slice(30)
          .filter((record) => record["attempt"] !== 1),
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { repeats: 30, amplification: 3 } },
    },
    {
      name: "two agents at once are one storm on their bucket",
      log: () => [
        ...storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND }),
        ...storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND, agent: "review" })
          .slice(30)
          .map((record) => ({ ...record, ts: String(record.ts).replace("00Z", "07Z") })),
      ],
      told: [told(60, null)],
      expect: { outcome: "found", agents: [], numbers: { amplification: 4 } },
    },
    {
      name: "two buckets are two findings",
      log: () => [
        ...storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND }),
        ...storm({ before: 30, calls: 12, waitsMs: EVERY_SECOND, agent: "review" }).map((record) => ({
          ...record,
          model: "claude-haiku-4-5",
          call_id: `other-${String(record["call_id"])}`,
        })),
      ],
      // 12 calls with 4 refused attempts, and the first success, before the last refusal.
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { attempts: 49, repeats: 37 } },
    },
  ],
  quiet: [
    {
      name: "a burst of new work that is repeated as the server asks",
      log: () => storm({ before: 30, calls: 40, waitsMs: [4_000, 4_000], hintMs: 4_000 }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "repeats without a hint that wait twice as long each time",
      log: () => storm({ before: 10, calls: 20, waitsMs: [1_000, 2_000, 4_000, 8_000] }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "the growth is first attempts",
      log: () => [
        ...storm({ before: 30, calls: 4, waitsMs: EVERY_SECOND }),
        ...attempts({ agent: "code", fromMs: 60_007, everyMs: 100, count: 100 }),
      ],
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "own traffic flat: each repeat stands where a call would have been",
      log: () => [
        ...attempts({ agent: "research", fromMs: 0, everyMs: 1_000, count: 60 }),
        ...Array.from({ length: 20 }, (_, i) =>
          chain({ agent: "research", id: `r${i}`, fromMs: 60_000 + i * 4_000, waitsMs: [950, 950, 950] }),
        ).flat(),
      ],
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "a burst of new work that obeys hints of a second or two, which the log does not tell",
      // 20 calls in 2 s after 10 a minute, with waits of no pattern: some shorter than the one before.
      log: () => hidden(20),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "no record tells its call or its number, so repeats look like new work",
      log: () =>
        storm({ before: 30, calls: 20, waitsMs: EVERY_SECOND }).map((record) => ({
          ...record,
          call_id: undefined,
          attempt: undefined,
        })),
      told: [told(60, null)],
      expect: { outcome: "unknown" },
    },
    {
      name: "nothing was refused",
      log: () => attempts({ agent: "code", fromMs: 0, everyMs: 100, count: 200 }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "six refusals in over 600 attempts, all passed later",
      log: () => [
        ...storm({ before: 6, calls: 3, waitsMs: [1_000, 1_000], hintMs: 20_000 }),
        ...attempts({ agent: "research", fromMs: 200_000, everyMs: 2_000, count: 600 }),
      ],
      options: { minRepeats: 3 },
      told: [told(60, null)],
      expect: { outcome: "found", severity: "info" },
    },
  ],
  edge: [
    {
      name: "growth: 80 a minute after 54",
      log: () => storm({ before: 54, calls: 10, waitsMs: EVERY_SECOND }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "growth: 80 a minute after 53",
      log: () => storm({ before: 53, calls: 10, waitsMs: EVERY_SECOND }),
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { rateBefore: 53, ratePeak: 80 } },
    },
    {
      name: "minRepeats: nine",
      log: () => storm({ before: 6, calls: 3, waitsMs: EVERY_SECOND }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "minRepeats: ten",
      log: () => storm({ before: 6, calls: 5, waitsMs: [1_000, 1_000, 1_000] }),
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { repeats: 10, attempts: 15 } },
    },
    {
      // 2 x 10 repeats a minute are under half of a growth of 2 x 24 - 6 = 42.
      name: "repeatShare: 20 of a growth of 42 a minute",
      log: () => withNewWork(4),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "repeatShare: 20 of a growth of 40 a minute",
      log: () => withNewWork(3),
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { rateBefore: 6, ratePeak: 46, repeats: 10 } },
    },
    {
      name: "unrulyShare: 9 of 20 repeats come too soon",
      log: () => partlyEarly(9),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "unrulyShare: 10 of 20 repeats come too soon",
      log: () => partlyEarly(10),
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { repeats: 20 } },
    },
    {
      // 12 first attempts in 30 s are 24 a minute after 10.
      name: "maxNewWork: calls started 2.4 times as fast as before",
      log: () => hidden(12),
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { rateBefore: 10 } },
    },
    {
      name: "maxNewWork: calls started 2.6 times as fast as before",
      log: () => hidden(13),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "windowMs: over ten minutes the peak drowns",
      log: () => storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND }),
      options: { windowMs: 600_000 },
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "windowMs: over five seconds it stands out more",
      log: () => storm({ before: 30, calls: 10, waitsMs: EVERY_SECOND }),
      options: { windowMs: 5_000 },
      told: [told(60, null)],
      expect: { outcome: "found", numbers: { ratePeak: 480 } },
    },
    {
      name: "too little data: three refusals",
      log: () => refused({ agent: "code", fromMs: 0, everyMs: 1_000, count: 3 }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
  ],
};
