import { isThrottled } from "../../src/measure/attempts.ts";
import {
  type Burst,
  burstsOver,
  largestPassedRun,
  type LeastBurst,
  type NearBurst,
  nearestBurst,
} from "../../src/measure/bursts.ts";
import { callsOf } from "../../src/measure/calls.ts";
import { harmOf } from "../../src/measure/harm.ts";
import { incidentsOf } from "../../src/measure/incidents.ts";
import { type BucketLimit, limitOf } from "../../src/measure/limits.ts";
import { bucketId, paceSender } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { type AgentTraffic, agentTraffic, bucketTraffic } from "../../src/measure/traffic.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "minCalls" | "minRefused" | "overRate" | "riskShare";

/** One agent starts more calls in a short time than the bucket holds and refills: N > burst + rate x window. */
export const rule: Rule<Option> = {
  id: "fan-out-over-limit",
  symptom: 3,
  title: "A fan-out starts more calls at once than the limit takes",
  why: "Small tests pass and the real run fails: tasks times calls per task arrive at once against a bucket that refills by the second.",
  severity: "error",
  needs: ["status"],
  options: {
    minCalls: { default: 8, unit: "count", reason: "fewer calls together are no fan-out" },
    minRefused: { default: 3, unit: "count", reason: "of the first attempts: one or two can be bad luck" },
    overRate: {
      default: 2,
      unit: "ratio",
      reason: "a steady load a little over the limit is a lack of headroom, not a fan-out",
    },
    riskShare: {
      default: 0.7,
      unit: "share",
      reason: "the guides ask for a shared limiter from 70 % of what the limit takes",
    },
  },
  messages: {
    refused:
      "{agent} started {calls} calls within {window} on {bucket}, which takes {takes} in that time ({rate} and a burst of {burst}); {refused} of them were refused at once.{small}",
    refill:
      "{agent} started {calls} calls within {window} on {bucket}, which refills {takes} in that time ({rate}); {refused} of them were refused at once.{small}",
    risk: "{agent} started {calls} calls within {window} on {bucket}, {load} of the {takes} it takes in that time ({rate} and a burst of {burst}). Nothing was refused yet.",
  },
  check(log, options) {
    const verdicts = agentTraffic(log)
      .filter((traffic) => traffic.calls >= options.minCalls)
      .map((traffic) => judge(log, traffic, options));
    const findings = verdicts.flatMap((verdict) => (typeof verdict === "object" ? [verdict] : []));
    if (findings.length > 0)
      return { outcome: "found", findings, because: "a burst of calls was larger than the bucket" };
    if (verdicts.includes("no-limit") && incidentsOf(log).length > 0)
      return { outcome: "unknown", because: "no request limit is known to hold the bursts against" };
    return { outcome: "clear", because: "no agent started more calls together than its bucket takes" };
  },
};

function judge(
  log: RequestLog,
  traffic: AgentTraffic,
  options: OptionValues<Option>,
): RuleFinding | "fits" | "no-limit" {
  const limit = limitOf(log, traffic.bucket, "requests");
  if (limit === null) return "no-limit";
  const { repeated } = callsOf(log);
  const starts = traffic.rows.filter((row) => repeated[row] === 0);
  const burst = worstBurst(log, starts, limit, options);
  if (burst !== null) return refusedFinding(log, traffic, limit, burst, starts);
  const isQuiet = (bucketTraffic(log)[traffic.bucket]?.throttled ?? 0) === 0;
  const near = isQuiet ? nearestBurst(log, starts, limit, leastOf(options)) : null;
  if (near === null || near.load < options.riskShare) return "fits";
  return riskFinding(log, traffic, limit, near, options);
}

function leastOf({ minCalls, overRate }: OptionValues<Option>): LeastBurst {
  return { calls: minCalls, overRate };
}

/** The refused burst that was furthest above what the bucket takes; of equals the shortest. */
function worstBurst(
  log: RequestLog,
  starts: Uint32Array,
  limit: BucketLimit,
  options: OptionValues<Option>,
): Burst | null {
  const bursts = burstsOver(log, starts, limit, leastOf(options))
    .filter((burst) => burst.refused >= options.minRefused)
    .toSorted((a, b) => b.rows.length - b.takes - (a.rows.length - a.takes) || a.windowMs - b.windowMs);
  return bursts[0] ?? null;
}

function refusedFinding(
  log: RequestLog,
  traffic: AgentTraffic,
  limit: BucketLimit,
  burst: Burst,
  starts: Uint32Array,
): RuleFinding {
  const [first = 0] = burst.rows;
  const firstRefused = burst.rows.find((row) => isThrottled(log.attempts, row)) ?? first;
  const incident = incidentsOf(log).find((one) => one.rows.includes(firstRefused));
  const passed = largestPassedRun(log, starts);
  return {
    ...(incident !== undefined && isNegligible(log, incident) ? { severity: "info" as const } : {}),
    subject: subjectOf(log, traffic),
    ...(incident === undefined ? {} : { incident: incident.id }),
    message: limit.burst === null ? "refill" : "refused",
    numbers: {
      calls: { value: burst.rows.length, unit: "count", limit: burst.takes },
      takes: { value: burst.takes, unit: "count" },
      window: { value: burst.windowMs, unit: "ms" },
      rate: { value: limit.perMinute, unit: "per-minute" },
      ...(limit.burst === null ? {} : { burst: { value: limit.burst, unit: "count" as const } }),
      refused: { value: burst.refused, unit: "count" },
    },
    words: { small: passed === 0 ? "" : ` Runs of up to ${passed} calls passed.` },
    evidence: [
      { attempt: first, note: "the burst begins" },
      { attempt: firstRefused, note: "first call of the burst to be refused" },
    ],
    fixes: [paceSender(log, limit, traffic.name)],
    harm: harmOf(log, traffic.rows),
  };
}

function riskFinding(
  log: RequestLog,
  traffic: AgentTraffic,
  limit: BucketLimit,
  near: NearBurst,
  options: OptionValues<Option>,
): RuleFinding {
  const [first = 0] = near.rows;
  const takes = (limit.burst ?? 0) + (limit.perMinute * near.windowMs) / 60_000;
  return {
    severity: "warning",
    subject: subjectOf(log, traffic),
    message: "risk",
    numbers: {
      calls: { value: near.rows.length, unit: "count", limit: Math.ceil(options.riskShare * takes) },
      window: { value: near.windowMs, unit: "ms" },
      load: { value: near.load, unit: "share", limit: options.riskShare },
      takes: { value: Math.floor(takes), unit: "count" },
      rate: { value: limit.perMinute, unit: "per-minute" },
      burst: { value: limit.burst ?? 0, unit: "count" },
    },
    evidence: [{ attempt: first, note: "the largest burst begins" }],
    fixes: [paceSender(log, limit, traffic.name)],
    harm: { refusals: 0, lostMs: 0, failedCalls: 0 },
  };
}

function subjectOf(log: RequestLog, traffic: AgentTraffic): RuleFinding["subject"] {
  return { ...(traffic.name === "" ? {} : { agent: traffic.name }), bucket: bucketId(log, traffic.bucket) };
}
