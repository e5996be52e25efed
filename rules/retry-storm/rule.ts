import { groupBy } from "../../src/measure/grouping.ts";
import { amplificationOf, type Growth, growthIn } from "../../src/measure/growth.ts";
import { type Incident, incidentsOf } from "../../src/measure/incidents.ts";
import { bucketId, paceBucket } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { unrulyShare } from "../../src/measure/retries.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "growth" | "minRepeats" | "repeatShare" | "unrulyShare" | "windowMs";

/**
 * Rate of attempts, per minute:
 *
 *              ____      peak 30 s, mostly repeats
 *     ________|    |___
 *     before  first 429
 */
export const rule: Rule<Option> = {
  id: "retry-storm",
  symptom: 2,
  title: "Retries raise the request rate after the first refusal",
  why: "Every refused call comes back at once and is refused again: the load grows exactly when it should fall, and two minutes become twenty.",
  severity: "error",
  needs: ["status"],
  options: {
    growth: {
      default: 1.5,
      unit: "ratio",
      reason: "half as much again is more than ordinary variation from minute to minute",
    },
    minRepeats: { default: 10, unit: "count", reason: "fewer repeats cannot load a bucket" },
    repeatShare: {
      default: 0.5,
      unit: "share",
      reason: "when most of the growth is new work, retries are not the cause",
    },
    unrulyShare: {
      default: 0.5,
      unit: "share",
      reason: "retries that wait as asked, or ever longer, drain a burst; they do not make a storm",
    },
    windowMs: {
      default: 30_000,
      unit: "ms",
      reason: "long enough to see several rounds of retries, short enough to see a peak",
    },
  },
  messages: {
    storm:
      "After the first refusal the rate on {bucket} rose from {rateBefore} to {ratePeak}; {repeats} of the {attempts} attempts of that peak were repeats. {amplification} attempts a call.",
  },
  check(log, options) {
    const incidents = incidentsOf(log);
    if (incidents.length === 0) return { outcome: "clear", because: "nothing was refused by a rate limit" };
    const storms = incidents
      .map((incident): Storm => ({ incident, growth: growthIn(log, incident, options.windowMs) }))
      .filter(({ growth }) => isStorm(log, growth, options));
    if (storms.length === 0)
      return { outcome: "clear", because: "repeats did not raise the rate after a refusal" };
    const byBucket = groupBy(storms, ({ incident }) => incident.bucket);
    const findings = [...byBucket.values()].map((all) => finding(log, all, options));
    return { outcome: "found", findings, because: "repeated sends raised the rate after the first refusal" };
  },
};

interface Storm {
  readonly incident: Incident;
  readonly growth: Growth;
}

/** The growth must come from repeats, and from such as do not wait: new work that is repeated politely is a fan-out. */
function isStorm(log: RequestLog, growth: Growth, options: OptionValues<Option>): boolean {
  const { rateBefore, ratePeak, repeats, rows } = growth;
  const repeatRate = (repeats * 60_000) / options.windowMs;
  return (
    repeats >= options.minRepeats &&
    ratePeak >= options.growth * rateBefore &&
    repeatRate >= options.repeatShare * (ratePeak - rateBefore) &&
    unrulyShare(log)(new Set(rows)) >= options.unrulyShare
  );
}

function finding(log: RequestLog, storms: readonly Storm[], options: OptionValues<Option>): RuleFinding {
  const [worst] = storms.toSorted((a, b) => b.incident.throttled - a.incident.throttled);
  if (worst === undefined) throw new RangeError("a storm was counted and is gone");
  const { incident, growth } = worst;
  const bucket = bucketId(log, incident.bucket);
  return {
    ...(isNegligible(log, incident) ? { severity: "info" as const } : {}),
    subject: { bucket },
    incident: incident.id,
    message: "storm",
    numbers: {
      rateBefore: { value: growth.rateBefore, unit: "per-minute" },
      ratePeak: { value: growth.ratePeak, unit: "per-minute", limit: growth.rateBefore * options.growth },
      attempts: { value: growth.rows.length, unit: "count" },
      repeats: { value: growth.repeats, unit: "count", limit: options.minRepeats },
      amplification: { value: amplificationOf(log, incident.rows), unit: "ratio" },
    },
    evidence: [
      { attempt: incident.firstRefusal, note: "first refusal" },
      { attempt: growth.rows[0] ?? incident.firstRefusal, note: "the busiest stretch begins" },
    ],
    fixes: [
      {
        kind: "retry",
        bucket,
        obeyRetryAfter: true,
        baseMs: 1_000,
        factor: 2,
        capMs: 60_000,
        jitter: "full",
        maxAttempts: 6,
      },
      { kind: "break", bucket, openAfter: 5, windowMs: 10_000, pauseMs: 30_000 },
      paceBucket(log, incident),
    ],
    harm: {
      refusals: storms.reduce((sum, one) => sum + one.incident.throttled, 0),
      lostMs: 0,
      failedCalls: storms.reduce((sum, one) => sum + one.incident.failedCalls, 0),
    },
  };
}
