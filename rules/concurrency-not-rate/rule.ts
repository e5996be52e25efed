import {
  concurrencyOf,
  handoverShare,
  neverQueued,
  type Plateau,
  plateauOf,
} from "../../src/measure/concurrency.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { harmOf } from "../../src/measure/harm.ts";
import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { limitOf } from "../../src/measure/limits.ts";
import { bucketId, paceAgent } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { peakCount } from "../../src/measure/rates.ts";
import { timesOf } from "../../src/measure/traffic.ts";
import type { RequestLog } from "../../src/model/log.ts";
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
    const incidents = incidentsOf(log).toSorted((a, b) => b.throttled - a.throttled);
    if (incidents.length === 0) return { outcome: "clear", because: "nothing was refused by a rate limit" };
    const seen = incidents.flatMap((incident) => {
      const limit = limitOf(log, incident.bucket, "requests");
      return limit === null
        ? []
        : incident.agents.map((agent) => lookAt(log, incident, agent, limit.perMinute, options));
    });
    const [busiest] = seen;
    if (busiest === undefined)
      return { outcome: "unknown", because: "no request limit is known to hold the start rate against" };
    const capped = seen.flatMap((one) => (typeof one === "string" ? [] : [one]));
    const [worst] = capped;
    if (worst === undefined)
      return { outcome: "clear", because: typeof busiest === "string" ? busiest : "no agent is capped" };
    const byAgent = groupBy(capped, ({ incident, agent }) => `${incident.bucket}\0${agent.name}`);
    const findings = [...byAgent.values()].map((all) => finding(log, all, options));
    const because = `${worst.agent.name} is flat for ${percent(worst.plateau.flat)} of its busy time; the threshold is ${percent(options.minFlat)}`;
    return { outcome: "found", findings, because };
  },
};

/** An agent in an incident that ran at a cap and still above the limit. */
interface CappedSends {
  readonly incident: Incident;
  readonly agent: IncidentAgent;
  readonly rows: Uint32Array;
  readonly plateau: Plateau;
  /** In the busiest window, per minute. */
  readonly startRate: number;
  readonly limit: number;
}

/** What a refused agent sent in an incident, or why it was at no cap, or at one that keeps the limit. */
function lookAt(
  log: RequestLog,
  incident: Incident,
  agent: IncidentAgent,
  limit: number,
  options: OptionValues<Option>,
): CappedSends | string {
  const { name, throttled, attempts } = agent;
  if (name === "") return "the busiest refused traffic names no agent";
  if (throttled === 0) return `${name}, the busiest agent of the worst incident, was not refused`;
  if (attempts < options.minAttempts)
    return `${name} sent ${attempts} attempts in the worst incident; the threshold is ${options.minAttempts}`;
  const rows = incident.rows.filter((row) => log.attempts.agent[row] === agent.agent);
  const peak = peakCount(timesOf(log, rows), options.windowMs);
  const startRate = (peak.value * 60_000) / options.windowMs;
  if (startRate <= limit)
    return `${name} started ${Math.round(startRate)} a minute at most; the limit is ${limit}`;
  const busiest = { from: peak.fromMs, to: peak.fromMs + options.windowMs };
  const plateau = plateauOf(concurrencyOf(log, rows), concurrencyOf(log, rows, busiest), options);
  if (plateau === null) return `${name} is not flat at a small number in flight`;
  if (neverQueued(log, rows)) return `${name} tells its queue times, and nothing waited for a slot`;
  const slots = { cap: plateau.cap, withinMs: options.handoverMs, span: busiest };
  const handover = handoverShare(log, rows, slots);
  if (handover < options.minHandover)
    return `${percent(handover)} of the sends of ${name} took a slot that just ended; the threshold is ${percent(options.minHandover)}`;
  return { incident, agent, rows, plateau, startRate, limit };
}

/** @param all of one agent on one bucket, the incident with most refusals first */
function finding(log: RequestLog, all: readonly CappedSends[], options: OptionValues<Option>): RuleFinding {
  const [worst] = all;
  if (worst === undefined) throw new RangeError("a capped agent was counted and is gone");
  const { incident, agent, plateau, startRate, limit } = worst;
  const [first = incident.firstRefusal] = worst.rows;
  return {
    ...(all.every((one) => isNegligible(log, one.incident)) ? { severity: "info" as const } : {}),
    subject: { agent: agent.name, bucket: bucketId(log, incident.bucket) },
    incident: incident.id,
    message: "cap",
    numbers: {
      cap: { value: plateau.cap, unit: "count" },
      flat: { value: plateau.flat, unit: "share", limit: options.minFlat },
      startRate: { value: startRate, unit: "per-minute", limit },
    },
    evidence: [{ attempt: first, note: `first attempt of ${agent.name} in the incident` }],
    fixes: [paceAgent(log, incident, agent.name)],
    harm: harmOf(
      log,
      all.flatMap(({ rows }) => [...rows]),
    ),
  };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
