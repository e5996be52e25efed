import { type Concurrency, concurrencyOf, handoverShare } from "../../src/measure/concurrency.ts";
import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { limitOf } from "../../src/measure/limits.ts";
import { harmOf } from "../../src/measure/harm.ts";
import { bucketId, paceAgent } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { peakCount } from "../../src/measure/rates.ts";
import { timesOf } from "../../src/measure/traffic.ts";
import { NOT_TOLD, type RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option =
  | "minCap"
  | "maxCap"
  | "minFlat"
  | "maxAbove"
  | "minHandover"
  | "handoverMs"
  | "minAttempts"
  | "windowMs";

/**
 * In flight, with a cap of 4 and work waiting:
 *
 *   4  ______  ______     flat at the cap, yet 4 calls of 120 ms each are 33 a second
 *   0 |      ||      |
 */
export const rule: Rule<Option> = {
  id: "concurrency-not-rate",
  title: "A concurrency cap stands where a rate limit is needed",
  why: "A cap bounds how many run at once, not how many start: the faster the provider answers, the more requests it lets through.",
  severity: "warning",
  needs: ["status", "durations", "agents"],
  options: {
    minCap: { default: 2, unit: "count", reason: "one at a time is a sequential client, not a cap" },
    maxCap: { default: 64, unit: "count", reason: "caps are small numbers; a higher plateau is chance" },
    minFlat: {
      default: 0.4,
      unit: "share",
      reason: "free traffic spends little of its time at one level in flight",
    },
    maxAbove: { default: 0.02, unit: "share", reason: "a cap is not passed, apart from clock skew" },
    minHandover: {
      default: 0.5,
      unit: "share",
      reason: "under a cap work waits for a free slot; free traffic starts when it likes",
    },
    handoverMs: {
      default: 50,
      unit: "ms",
      reason: "a free slot is taken at once; the rest is the clock of the log",
    },
    minAttempts: { default: 20, unit: "count", reason: "fewer attempts draw no plateau" },
    windowMs: {
      default: 10_000,
      unit: "ms",
      reason: "long enough to be a rate, short enough to see the plateau at work",
    },
  },
  messages: {
    cap: "{agent} is held at {cap} in flight ({flat} of its busy time) and still starts {startRate} on {bucket}; the limit is {startRate.limit}.",
  },
  check(log, options) {
    const incidents = incidentsOf(log);
    if (incidents.length === 0) return { outcome: "clear", because: "nothing was refused by a rate limit" };
    const found = new Map<string, RuleFinding>();
    for (const incident of incidents.toSorted((a, b) => b.throttled - a.throttled)) {
      const limit = limitOf(log, incident.bucket, "requests");
      if (limit === null) continue;
      for (const agent of incident.agents) {
        const key = `${incident.bucket}\0${agent.name}`;
        if (found.has(key)) continue;
        const seen = cappedSends(log, incident, agent, limit.perMinute, options);
        if (seen !== null) found.set(key, finding(log, incident, agent, seen, options));
      }
    }
    if (found.size > 0)
      return {
        outcome: "found",
        findings: [...found.values()],
        because: "an agent runs flat at a cap above the rate",
      };
    if (!incidents.some((incident) => limitOf(log, incident.bucket, "requests") !== null))
      return { outcome: "unknown", because: "no request limit is known to hold the start rate against" };
    return { outcome: "clear", because: "no refused agent stays flat at a small number in flight" };
  },
};

interface CappedSends {
  readonly rows: Uint32Array;
  readonly plateau: Plateau;
  /** In the busiest window, per minute. */
  readonly startRate: number;
  readonly limit: number;
}

/** What a refused agent sent in an incident, if it ran at a cap and still above the limit. */
function cappedSends(
  log: RequestLog,
  incident: Incident,
  agent: IncidentAgent,
  limit: number,
  options: OptionValues<Option>,
): CappedSends | null {
  if (agent.name === "" || agent.throttled === 0 || agent.attempts < options.minAttempts) return null;
  const rows = incident.rows.filter((row) => log.attempts.agent[row] === agent.agent);
  const peak = peakCount(timesOf(log, rows), options.windowMs);
  const startRate = (peak.value * 60_000) / options.windowMs;
  const busiest = { from: peak.fromMs, to: peak.fromMs + options.windowMs };
  const plateau = plateauOf(concurrencyOf(log, rows), concurrencyOf(log, rows, busiest), options);
  if (plateau === null || startRate <= limit || neverQueued(log, rows)) return null;
  const slots = { cap: plateau.cap, withinMs: options.handoverMs, span: busiest };
  if (handoverShare(log, rows, slots) < options.minHandover) return null;
  return { rows, plateau, startRate, limit };
}

interface Plateau {
  readonly cap: number;
  readonly flat: number;
}

/**
 * The level at which most time is spent, in the incident or else in its busiest window: later, when the work runs out or
 * waits to be retried, fewer are in flight, cap or no cap. Nearly nothing of the incident may lie above it.
 */
function plateauOf(whole: Concurrency, busiest: Concurrency, options: OptionValues<Option>): Plateau | null {
  const levels = [whole, busiest].map(({ shares }): Plateau => {
    const flat = Math.max(0, ...shares);
    return { cap: shares.indexOf(flat) + 1, flat };
  });
  const isCap = ({ cap, flat }: Plateau): boolean => {
    const above = whole.shares.slice(cap).reduce((sum, share) => sum + share, 0);
    const isSmall = cap >= options.minCap && cap <= options.maxCap;
    return isSmall && flat >= options.minFlat && above <= options.maxAbove;
  };
  return levels.find(isCap) ?? null;
}

/** The log tells queue times and they are all zero: nothing ever waited for a slot. */
function neverQueued(log: RequestLog, rows: Uint32Array): boolean {
  const told = rows.filter((row) => (log.attempts.queuedMs[row] ?? NOT_TOLD) !== NOT_TOLD);
  return told.length > 0 && told.every((row) => log.attempts.queuedMs[row] === 0);
}

function finding(
  log: RequestLog,
  incident: Incident,
  agent: IncidentAgent,
  seen: CappedSends,
  options: OptionValues<Option>,
): RuleFinding {
  const [first = incident.firstRefusal] = seen.rows;
  return {
    ...(isNegligible(log, incident) ? { severity: "info" as const } : {}),
    subject: { agent: agent.name, bucket: bucketId(log, incident.bucket) },
    incident: incident.id,
    message: "cap",
    numbers: {
      cap: { value: seen.plateau.cap, unit: "count" },
      flat: { value: seen.plateau.flat, unit: "share", limit: options.minFlat },
      startRate: { value: seen.startRate, unit: "per-minute", limit: seen.limit },
    },
    evidence: [{ attempt: first, note: `first attempt of ${agent.name} in the incident` }],
    fixes: [paceAgent(log, incident, agent.name)],
    harm: harmOf(log, seen.rows),
  };
}
