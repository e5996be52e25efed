import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempt, attempts, REFUSED, refused, told } from "../../test/support/traffic.ts";

interface Capped {
  readonly agent: string;
  readonly cap: number;
  readonly count: number;
  readonly durationMs?: number;
  /** From an end to the start that takes its place. */
  readonly gapMs?: number;
  readonly fields?: { readonly [field: string]: unknown };
  readonly isRefused?: (i: number) => boolean;
}

const isOdd = (i: number): boolean => i % 2 === 1;

/** As many calls in flight as the cap allows, each replaced as it ends; every other one is refused. */
function capped({
  agent,
  cap,
  count,
  durationMs = 120,
  gapMs = 0,
  fields = {},
  isRefused = isOdd,
}: Capped): RecordInput[] {
  return Array.from({ length: count }, (_, i) =>
    attempt((i * (durationMs + gapMs)) / cap, {
      agent,
      call_id: `${agent}-${i}`,
      ...(isRefused(i) ? REFUSED : {}),
      ...fields,
      duration_ms: durationMs,
    }),
  );
}

/** Further calls of the agent, each of 30 ms while the cap is full. */
function beyond(count: number): RecordInput[] {
  return attempts({ agent: "code", fromMs: 601, everyMs: 300, count, fields: { duration_ms: 30 } });
}

/** A level of 4 in flight, reached in steps of 30 ms: sends 1 to 79 are inside the incident. */
const four = (): RecordInput[] => capped({ agent: "code", cap: 4, count: 80 });

export const cases: RuleCases = {
  loud: [
    {
      name: "four in flight at 120 ms",
      log: four,
      told: [told(60, null)],
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "warning",
        message: "cap",
        fixKinds: ["pace"],
        // 79 sends take 82 steps, of which the first and the last three are below the cap. 79 in 10 s are 474 a minute.
        numbers: { cap: 4, flat: 76 / 82, startRate: 474 },
        fix: { scope: "agent", agent: "code" },
      },
    },
    {
      name: "one at a time for a minute, once the work has run out",
      // In the incident 4 in flight for 2.28 s and one for 60 x 0.05 s; in its first 10 s one for 12 x 0.05 s at most.
      log: () => [...four(), ...refused({ agent: "code", fromMs: 3_000, everyMs: 600, count: 60 })],
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code"], numbers: { cap: 4 } },
    },
    {
      name: "eight in flight, and queue times show that calls waited for a slot",
      log: () => capped({ agent: "code", cap: 8, count: 160, fields: { queued_ms: 900 } }),
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code"], numbers: { cap: 8 } },
    },
    {
      name: "two agents at once, each with its own cap",
      log: () => [...four(), ...capped({ agent: "review", cap: 6, count: 90 })],
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code", "review"] },
    },
    {
      name: "one agent on two buckets is two findings",
      log: () => [
        ...four(),
        ...capped({ agent: "code", cap: 3, count: 90, fields: { model: "claude-haiku-4-5" } }).map(
          (record) => ({ ...record, call_id: `haiku-${String(record["call_id"])}` }),
        ),
      ],
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code", "code"] },
    },
  ],
  quiet: [
    {
      name: "one at a time",
      log: () => capped({ agent: "code", cap: 1, count: 80, durationMs: 30 }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "free traffic: as many in flight as come together",
      log: () =>
        Array.from({ length: 80 }, (_, i) =>
          attempt(i * 30, {
            agent: "code",
            call_id: `c${i}`,
            ...(isOdd(i) ? REFUSED : {}),
            duration_ms: 20 + ((i * 97) % 400),
          }),
        ),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "two and two come together, and nothing waits for a slot: 80 ms between the pairs",
      log: () =>
        Array.from({ length: 80 }, (_, i) =>
          attempt(Math.floor(i / 2) * 200 + (i % 2) * 5, {
            agent: "code",
            call_id: `c${i}`,
            ...(isOdd(i) ? REFUSED : {}),
            duration_ms: 115,
          }),
        ),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "the cap keeps the rate below the limit: each call takes ten seconds",
      log: () => capped({ agent: "code", cap: 4, count: 40, durationMs: 10_000 }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "nothing was refused",
      log: () => capped({ agent: "code", cap: 4, count: 80, isRefused: () => false }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "the refusals are another agent's",
      log: () => [
        ...capped({ agent: "code", cap: 4, count: 80, isRefused: () => false }),
        ...refused({ agent: "review", fromMs: 5, everyMs: 400, count: 6 }),
      ],
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "queue times are told and nothing ever waited for a slot",
      log: () => capped({ agent: "code", cap: 4, count: 80, fields: { queued_ms: 0 } }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "nobody is named, so nobody's cap is seen",
      log: () => [
        ...four().map((record) => ({ ...record, agent: undefined })),
        ...attempts({ agent: "review", fromMs: 5, everyMs: 900, count: 2 }),
      ],
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "two refusals in over 400 attempts, both passed later",
      log: () => [
        ...capped({ agent: "code", cap: 4, count: 24, isRefused: (i) => i === 0 || i === 23 }),
        ...attempts({
          agent: "code",
          fromMs: 60_000,
          everyMs: 2_000,
          count: 1,
          fields: { call_id: "code-0" },
        }),
        ...attempts({
          agent: "code",
          fromMs: 61_000,
          everyMs: 2_000,
          count: 1,
          fields: { call_id: "code-23" },
        }),
        ...attempts({ agent: "code", fromMs: 100_000, everyMs: 2_000, count: 400 }),
      ],
      told: [told(60, null)],
      expect: { outcome: "found", severity: "info" },
    },
  ],
  edge: [
    {
      name: "minCap: four where five is asked",
      log: four,
      told: [told(60, null)],
      options: { minCap: 5 },
      expect: { outcome: "clear" },
    },
    {
      name: "minCap: two in flight",
      log: () => capped({ agent: "code", cap: 2, count: 80 }),
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code"], numbers: { cap: 2 } },
    },
    {
      name: "maxCap: 65 in flight",
      log: () => capped({ agent: "code", cap: 65, count: 390, durationMs: 6_500 }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "maxCap: 64 in flight",
      log: () => capped({ agent: "code", cap: 64, count: 384, durationMs: 6_400 }),
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code"], numbers: { cap: 64 } },
    },
    {
      name: "minFlat: 92.7 % where 93 % is asked",
      log: four,
      told: [told(60, null)],
      options: { minFlat: 0.93 },
      expect: { outcome: "clear" },
    },
    {
      name: "minFlat: 92.7 % where 92 % is asked",
      log: four,
      told: [told(60, null)],
      options: { minFlat: 0.92 },
      expect: { outcome: "found", agents: ["code"] },
    },
    {
      name: "maxAbove: two steps of 82 above the cap",
      log: () => [...four(), ...beyond(2)],
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "maxAbove: one step of 82 above the cap",
      log: () => [...four(), ...beyond(1)],
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code"], numbers: { cap: 4, flat: 75 / 82 } },
    },
    {
      // The fourth send fills the cap first; of the 76 that fill it, 75 take the place of one that has just ended.
      name: "minHandover: 98.7 % where 99 % is asked",
      log: four,
      told: [told(60, null)],
      options: { minHandover: 0.99 },
      expect: { outcome: "clear" },
    },
    {
      name: "minHandover: 98.7 % where 98 % is asked",
      log: four,
      told: [told(60, null)],
      options: { minHandover: 0.98 },
      expect: { outcome: "found", agents: ["code"] },
    },
    {
      name: "handoverMs: 50 ms from an end to the next start",
      log: () => capped({ agent: "code", cap: 4, count: 80, durationMs: 550, gapMs: 50 }),
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code"], numbers: { cap: 4 } },
    },
    {
      name: "handoverMs: 50 ms where 49 are allowed",
      log: () => capped({ agent: "code", cap: 4, count: 80, durationMs: 550, gapMs: 50 }),
      told: [told(60, null)],
      options: { handoverMs: 49 },
      expect: { outcome: "clear" },
    },
    {
      name: "minAttempts: nineteen",
      log: () => capped({ agent: "code", cap: 4, count: 19, isRefused: () => true }),
      told: [told(60, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "minAttempts: twenty",
      log: () => capped({ agent: "code", cap: 4, count: 20, isRefused: () => true }),
      told: [told(60, null)],
      expect: { outcome: "found", agents: ["code"], numbers: { startRate: 120 } },
    },
    {
      name: "windowMs: 79 in a minute",
      log: four,
      told: [told(60, null)],
      options: { windowMs: 60_000 },
      expect: { outcome: "found", numbers: { startRate: 79 } },
    },
    {
      name: "windowMs: 79 in two minutes",
      log: four,
      told: [told(60, null)],
      options: { windowMs: 120_000 },
      expect: { outcome: "clear" },
    },
    {
      name: "too little data to know a limit",
      log: () => capped({ agent: "code", cap: 4, count: 8 }),
      expect: { outcome: "unknown" },
    },
    {
      name: "no record tells a duration",
      log: () => four().map((record) => ({ ...record, duration_ms: undefined })),
      told: [told(60, null)],
      expect: { outcome: "unknown" },
    },
  ],
};
