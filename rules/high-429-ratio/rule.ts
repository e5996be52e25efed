import { harmOf } from "../../src/measure/harm.ts";
import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { bucketId, paceBucket } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { type BucketTraffic, bucketTraffic, countRows } from "../../src/measure/traffic.ts";
import type { FixSpec } from "../../src/model/fix.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { OUTCOME } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding, Verdict } from "../../src/model/rule.ts";

type Option = "maxRatio" | "minAttempts" | "minAgentShare";

/** More refusals than the price of using a limit well. */
export const rule: Rule<Option> = {
  id: "high-429-ratio",
  title: "Too many of the attempts are refused",
  why: "Every refused attempt is latency and load without work; above a few percent the client is steering by refusals.",
  severity: "warning",
  needs: ["status"],
  options: {
    maxRatio: {
      default: 0.05,
      unit: "share",
      reason: "the guides alarm at 5 %: below it refusals are noise, above it a pattern",
    },
    minAttempts: { default: 50, unit: "count", reason: "a share of fewer attempts is chance" },
    minAgentShare: {
      default: 0.5,
      unit: "share",
      reason: "an agent with most of the refusals is worth naming, one with fewer is one of several",
    },
  },
  messages: {
    log: "{refused} of {attempts} attempts on {bucket} were refused ({ratio}), {who}.",
    incident:
      "{refused} of {attempts} attempts on {bucket} were refused in its worst incident ({ratio}), {who}.",
  },
  check(log, options) {
    const judged = bucketTraffic(log).filter(({ rows }) => rows.length >= options.minAttempts);
    if (judged.length === 0)
      return { outcome: "not-applicable", because: `no bucket has ${options.minAttempts} attempts` };
    const worst = judged.map((traffic) => worstPart(log, traffic, options));
    const findings = worst.flatMap((part) =>
      part.ratio > options.maxRatio ? [finding(log, part, options)] : [],
    );
    const most = worst.reduce((max, part) => Math.max(max, part.ratio), 0);
    return verdictOf(findings, most, options.maxRatio);
  },
};

/** The whole of a bucket's traffic, or the incident that refused the largest share of it. */
interface Part {
  readonly of: "log" | "incident";
  readonly rows: Uint32Array;
  readonly ratio: number;
  readonly traffic: BucketTraffic;
  /** The incident with most refusals; null = nothing was refused. */
  readonly incident: Incident | null;
}

/** A log that refuses too much says so; otherwise a long calm must not hide the hour that did. */
function worstPart(log: RequestLog, traffic: BucketTraffic, options: OptionValues<Option>): Part {
  const incidents = incidentsOf(log).filter(({ bucket }) => bucket === traffic.bucket);
  const [largest = null] = incidents.toSorted((a, b) => b.throttled - a.throttled);
  const ratio = traffic.throttled / traffic.rows.length;
  const whole: Part = { of: "log", rows: traffic.rows, ratio, traffic, incident: largest };
  if (ratio > options.maxRatio) return whole;
  const [worst] = incidents
    .filter((incident) => incident.attempts >= options.minAttempts)
    .map(
      (incident): Part => ({
        of: "incident",
        rows: incident.rows,
        ratio: incident.throttled / incident.attempts,
        traffic,
        incident,
      }),
    )
    .toSorted((a, b) => b.ratio - a.ratio);
  return worst ?? whole;
}

function verdictOf(findings: readonly RuleFinding[], most: number, maxRatio: number): Verdict {
  const limit = `the threshold is ${percent(maxRatio)}`;
  if (findings.length > 0)
    return { outcome: "found", findings, because: `${percent(most)} of the attempts were refused; ${limit}` };
  if (most === 0) return { outcome: "clear", because: "nothing was refused by a rate limit" };
  return { outcome: "clear", because: `at most ${percent(most)} of the attempts were refused; ${limit}` };
}

function finding(log: RequestLog, part: Part, options: OptionValues<Option>): RuleFinding {
  const { incident, rows, traffic } = part;
  if (incident === null) throw new RangeError("refusals were counted and no incident holds them");
  const harm = harmOf(log, rows);
  const agent = mostRefused(incident, options.minAgentShare);
  const isFew = part.of === "incident" && isNegligible(log, incident);
  return {
    ...(isFew ? { severity: "info" as const } : {}),
    subject: { ...(agent === null ? {} : { agent: agent.name }), bucket: bucketId(log, traffic.bucket) },
    incident: incident.id,
    message: part.of,
    numbers: {
      ratio: { value: part.ratio, unit: "share", limit: options.maxRatio },
      refused: { value: harm.refusals, unit: "count" },
      attempts: { value: rows.length, unit: "count" },
      ...(agent === null ? {} : { agentRefused: { value: agent.throttled, unit: "count" as const } }),
    },
    words: { who: sendersOf(incident, agent) },
    evidence: [
      { attempt: incident.firstRefusal, note: "first refusal of the worst incident" },
      { attempt: incident.lastRefusal, note: "last refusal of it" },
    ],
    fixes: [fixFor(log, incident)],
    harm,
  };
}

function mostRefused({ agents, throttled }: Incident, minShare: number): IncidentAgent | null {
  const [most] = agents.toSorted((a, b) => b.throttled - a.throttled);
  return most !== undefined && most.name !== "" && most.throttled > minShare * throttled ? most : null;
}

function sendersOf({ agents }: Incident, most: IncidentAgent | null): string {
  if (most !== null) return `most of them sent by ${most.name}`;
  const isTold = agents.some(({ name, throttled }) => name !== "" && throttled > 0);
  return isTold ? "sent by several agents" : "and nothing tells who sent them";
}

/** No pace within a minute helps against an allowance per day. */
function fixFor(log: RequestLog, incident: Incident): FixSpec {
  const daily = countRows(incident.rows, (row) => log.attempts.outcome[row] === OUTCOME.daily);
  if (2 * daily <= incident.throttled) return paceBucket(log, incident);
  return {
    kind: "raise-limit",
    advice:
      "Stop sending until the allowance of the day resets, then spread the work over more days or ask for a larger one.",
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
