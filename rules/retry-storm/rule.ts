import { callsOf } from "../../src/measure/calls.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { type Incident, incidentsOf } from "../../src/measure/incidents.ts";
import { bucketId, paceBucket } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { peakCount } from "../../src/measure/rates.ts";
import { unrulyShare } from "../../src/measure/retries.ts";
import { timesOf } from "../../src/measure/traffic.ts";
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
    const storms = incidents.flatMap((incident) => {
      const storm = stormIn(log, incident, options);
      return storm === null ? [] : [{ incident, storm }];
    });
    if (storms.length === 0)
      return { outcome: "clear", because: "repeats did not raise the rate after a refusal" };
    const byBucket = groupBy(storms, ({ incident }) => incident.bucket);
    const findings = [...byBucket.values()].map((all) => finding(log, all, options));
    return { outcome: "found", findings, because: "repeated sends raised the rate after the first refusal" };
  },
};

interface Storm {
  readonly rateBefore: number;
  readonly ratePeak: number;
  readonly attempts: number;
  readonly repeats: number;
  readonly firstRow: number;
}

function stormIn(log: RequestLog, incident: Incident, options: OptionValues<Option>): Storm | null {
  const calls = callsOf(log);
  const times = timesOf(log, incident.rows);
  const peak = peakCount(times, options.windowMs);
  const inPeak = incident.rows.filter((row) => {
    const sent = log.attempts.sentMs[row] ?? 0;
    return sent >= peak.fromMs && sent < peak.fromMs + options.windowMs;
  });
  const repeats = inPeak.filter((row) => calls.repeated[row] === 1).length;
  const perWindow = 60_000 / options.windowMs;
  // A log that begins inside the incident has no "before": the calls that were started meanwhile are what would have been sent.
  const rateBefore =
    incident.rateBefore ?? (incident.calls * 60_000) / Math.max(60_000, incident.to - incident.from);
  const ratePeak = peak.value * perWindow;
  if (repeats < options.minRepeats || ratePeak < options.growth * rateBefore) return null;
  // The growth must come from repeats, and from such as do not wait: a burst of new work that is repeated politely is a fan-out.
  if (repeats * perWindow < options.repeatShare * (ratePeak - rateBefore)) return null;
  if (unrulyShare(log)(new Set(inPeak)) < options.unrulyShare) return null;
  return {
    rateBefore,
    ratePeak,
    attempts: peak.value,
    repeats,
    firstRow: inPeak[0] ?? incident.firstRefusal,
  };
}

function finding(
  log: RequestLog,
  storms: readonly { readonly incident: Incident; readonly storm: Storm }[],
  options: OptionValues<Option>,
): RuleFinding {
  const [worst] = storms.toSorted((a, b) => b.incident.throttled - a.incident.throttled);
  if (worst === undefined) throw new RangeError("a storm was counted and is gone");
  const { incident, storm } = worst;
  const bucket = bucketId(log, incident.bucket);
  return {
    ...(isNegligible(log, incident) ? { severity: "info" as const } : {}),
    subject: { bucket },
    incident: incident.id,
    message: "storm",
    numbers: {
      rateBefore: { value: storm.rateBefore, unit: "per-minute" },
      ratePeak: { value: storm.ratePeak, unit: "per-minute", limit: storm.rateBefore * options.growth },
      attempts: { value: storm.attempts, unit: "count" },
      repeats: { value: storm.repeats, unit: "count", limit: options.minRepeats },
      amplification: { value: incident.attempts / Math.max(1, incident.calls), unit: "ratio" },
    },
    evidence: [
      { attempt: incident.firstRefusal, note: "first refusal" },
      { attempt: storm.firstRow, note: "the busiest stretch begins" },
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
      failedCalls: storms.reduce(
        (sum, one) => sum + one.incident.agents.reduce((n, agent) => n + agent.failedCalls, 0),
        0,
      ),
    },
  };
}
