import { isThrottled } from "../../src/measure/attempts.ts";
import {
  type Burst,
  burstsOver,
  largestPassedRun,
  type LeastBurst,
  type NearBurst,
  nearestBurst,
  worstBurst,
} from "../../src/measure/bursts.ts";
import { callsOf } from "../../src/measure/calls.ts";
import { harmOf } from "../../src/measure/harm.ts";
import { incidentsOf } from "../../src/measure/incidents.ts";
import { type BucketLimit, limitOf } from "../../src/measure/limits.ts";
import { bucketId, observedLimit, paceSender } from "../../src/measure/pacing.ts";
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
    observed:
      "{agent} started {calls} calls within {window} on {bucket}; {refused} of them were refused at once. Its limit is not known: around its refusals it accepted {rate}.{small}",
    risk: "{agent} started {calls} calls within {window} on {bucket}, {load} of the {takes} it takes in that time ({rate} and a burst of {burst}). Nothing was refused yet.",
  },
  check(log, options) {
    const verdicts = agentTraffic(log)
      .filter((traffic) => traffic.calls >= options.minCalls)
      .map((traffic) => judge(log, traffic, options));
    const findings = verdicts.flatMap((verdict) => (typeof verdict === "object" ? [verdict] : []));
    if (findings.length > 0) {
      const most = findings.reduce((max, { numbers }) => Math.max(max, numbers["calls"]?.value ?? 0), 0);
      const because = `${most} calls of one agent together are more, or nearly more, than its bucket takes`;
      return { outcome: "found", findings, because };
    }
    if (verdicts.includes("no-limit") && incidentsOf(log).length > 0)
      return { outcome: "unknown", because: "no request limit is known to hold the bursts against" };
    const most = agentTraffic(log).reduce((max, { peakPerMinute }) => Math.max(max, peakPerMinute), 0);
    const because = `no agent started more calls together than its bucket takes; none sent more than ${most} attempts a minute`;
    return { outcome: "clear", because };
  },
};

/** What one agent started on one bucket, and the limit to hold it against. */
interface Starts {
  readonly traffic: AgentTraffic;
  readonly rows: Uint32Array;
  readonly limit: BucketLimit;
  /** false = the limit is only what was accepted meanwhile. */
  readonly known: boolean;
}

function judge(
  log: RequestLog,
  traffic: AgentTraffic,
  options: OptionValues<Option>,
): RuleFinding | "fits" | "no-limit" {
  const known = limitOf(log, traffic.bucket, "requests");
  const limit = known ?? observedLimit(log, traffic.bucket);
  if (limit === null) return "no-limit";
  const { repeated } = callsOf(log);
  const rows = traffic.rows.filter((row) => repeated[row] === 0);
  const starts: Starts = { traffic, rows, limit, known: known !== null };
  const least: LeastBurst = { calls: options.minCalls, overRate: options.overRate };
  const burst = worstBurst(burstsOver(log, rows, limit, least), options.minRefused);
  if (burst !== null) return refusedFinding(log, starts, burst);
  const isCalm = (bucketTraffic(log)[traffic.bucket]?.throttled ?? 0) === 0;
  const near = isCalm ? nearestBurst(log, rows, limit, least) : null;
  return near === null || near.load < options.riskShare
    ? "fits"
    : riskFinding(log, starts, near, options.riskShare);
}

function refusedFinding(log: RequestLog, starts: Starts, burst: Burst): RuleFinding {
  const { traffic, limit, known } = starts;
  const [first = 0] = burst.rows;
  const firstRefused = burst.rows.find((row) => isThrottled(log.attempts, row)) ?? first;
  const incidents = incidentsOf(log).filter((one) => one.bucket === traffic.bucket);
  const incident = incidents.find((one) => one.rows.includes(firstRefused));
  const passed = largestPassedRun(log, starts.rows);
  return {
    ...(incidents.every((one) => isNegligible(log, one)) ? { severity: "info" as const } : {}),
    ...(incident === undefined ? {} : { incident: incident.id }),
    ...common(log, starts),
    message: !known ? "observed" : limit.burst === null ? "refill" : "refused",
    numbers: {
      calls: { value: burst.rows.length, unit: "count", limit: burst.takes },
      takes: { value: burst.takes, unit: "count" },
      window: { value: burst.windowMs, unit: "ms" },
      refused: { value: burst.refused, unit: "count" },
      ...limitNumbers(limit),
    },
    words: { small: passed === 0 ? "" : ` Runs of up to ${passed} calls passed.` },
    evidence: [
      { attempt: first, note: "the burst begins" },
      { attempt: firstRefused, note: "first call of the burst to be refused" },
    ],
    harm: harmOf(log, traffic.rows),
  };
}

function riskFinding(log: RequestLog, starts: Starts, near: NearBurst, riskShare: number): RuleFinding {
  const { limit } = starts;
  const [first = 0] = near.rows;
  const takes = (limit.burst ?? 0) + (limit.perMinute * near.windowMs) / 60_000;
  return {
    severity: "warning",
    ...common(log, starts),
    message: "risk",
    numbers: {
      calls: { value: near.rows.length, unit: "count", limit: Math.ceil(riskShare * takes) },
      window: { value: near.windowMs, unit: "ms" },
      load: { value: near.load, unit: "share", limit: riskShare },
      takes: { value: Math.floor(takes), unit: "count" },
      ...limitNumbers(limit),
    },
    evidence: [{ attempt: first, note: "the largest burst begins" }],
    harm: { refusals: 0, lostMs: 0, failedCalls: 0 },
  };
}

function common(log: RequestLog, { traffic, limit }: Starts): Pick<RuleFinding, "subject" | "fixes"> {
  const agent = traffic.name === "" ? {} : { agent: traffic.name };
  return {
    subject: { ...agent, bucket: bucketId(log, traffic.bucket) },
    fixes: [paceSender(log, limit, traffic.name)],
  };
}

function limitNumbers({ perMinute, burst }: BucketLimit): RuleFinding["numbers"] {
  const rate = { value: perMinute, unit: "per-minute" as const };
  return burst === null ? { rate } : { rate, burst: { value: burst, unit: "count" } };
}
