import { type Incident, incidentsOf } from "../../src/measure/incidents.ts";
import { bucketId, paceBucket } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { type BucketTraffic, bucketTraffic } from "../../src/measure/traffic.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "maxRatio" | "minAttempts";

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
  },
  messages: {
    log: "{refused} of {attempts} attempts on {bucket} were refused ({ratio}).",
    incident: "{refused} of {attempts} attempts on {bucket} were refused in the worst incident ({ratio}).",
  },
  check(log, options) {
    const findings = bucketTraffic(log).flatMap((traffic) => {
      const found = overRatio(log, traffic, options);
      return found === null ? [] : [found];
    });
    if (findings.length > 0)
      return { outcome: "found", findings, because: "a bucket refused more than its share" };
    const worst = Math.max(
      0,
      ...bucketTraffic(log).map((traffic) => traffic.throttled / Math.max(1, traffic.rows.length)),
    );
    return {
      outcome: "clear",
      because: `at most ${(worst * 100).toFixed(1)} % of a bucket's attempts were refused`,
    };
  },
};

function overRatio(
  log: RequestLog,
  traffic: BucketTraffic,
  options: OptionValues<Option>,
): RuleFinding | null {
  const incidents = incidentsOf(log)
    .filter((incident) => incident.bucket === traffic.bucket)
    .toSorted((a, b) => b.throttled - a.throttled);
  const [worst] = incidents;
  if (worst === undefined) return null;
  const whole = traffic.rows.length;
  if (whole >= options.minAttempts && traffic.throttled / whole > options.maxRatio)
    return finding(log, worst, "log", traffic.throttled, whole, options);
  const bad = incidents.find(
    (one) => one.attempts >= options.minAttempts && one.throttled / one.attempts > options.maxRatio,
  );
  return bad === undefined ? null : finding(log, bad, "incident", bad.throttled, bad.attempts, options);
}

function finding(
  log: RequestLog,
  incident: Incident,
  message: "log" | "incident",
  refused: number,
  attempts: number,
  options: OptionValues<Option>,
): RuleFinding {
  return {
    ...(isNegligible(log, incident) ? { severity: "info" as const } : {}),
    subject: { bucket: bucketId(log, incident.bucket) },
    incident: incident.id,
    message,
    numbers: {
      ratio: { value: refused / attempts, unit: "share", limit: options.maxRatio },
      refused: { value: refused, unit: "count" },
      attempts: { value: attempts, unit: "count" },
    },
    evidence: [
      { attempt: incident.firstRefusal, note: "first refusal" },
      { attempt: incident.lastRefusal, note: "last refusal" },
    ],
    fixes: [paceBucket(log, incident)],
    harm: {
      refusals: refused,
      lostMs: 0,
      failedCalls: incident.failedCalls,
    },
  };
}
