import { groupBy } from "../../src/measure/grouping.ts";
import { amplificationOf, type Growth, growthIn } from "../../src/measure/growth.ts";
import { harmOf } from "../../src/measure/harm.ts";
import { type Incident, incidentsOf } from "../../src/measure/incidents.ts";
import { type Manners, mannersOf } from "../../src/measure/manners.ts";
import { bucketId, paceBucket } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { politeRetry } from "../../src/measure/remedies.ts";
import { share } from "../../src/measure/traffic.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "growth" | "minRepeats" | "repeatShare" | "unrulyShare" | "maxNewWork" | "windowMs";

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
    maxNewWork: {
      default: 2.5,
      unit: "ratio",
      reason:
        "where calls are started much faster than before, unruly repeats may have obeyed a hint not in the log",
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
    const peaks = incidents.map((incident) => peakOf(log, incident, options));
    const storms = peaks.filter((peak) => whyNot(peak, options) === null);
    const [worst] = worstFirst(storms.length === 0 ? peaks : storms);
    const risen = peaks.find((peak) => isRise(peak, options));
    if (storms.length === 0 && risen !== undefined && !tellsRepeats(log)) {
      const because = `the rate rose ${round(risen.growth.grown)} times, but ${log.facts.calls.because}`;
      return { outcome: "unknown", because };
    }
    if (worst === undefined || storms.length === 0)
      return { outcome: "clear", because: worst === undefined ? "" : (whyNot(worst, options) ?? "") };
    const byBucket = groupBy(storms, ({ incident }) => incident.bucket);
    const findings = [...byBucket.values()].map((all) => finding(log, worstFirst(all), options));
    const because = `repeats raised the rate ${round(worst.growth.grown)} times; the threshold is ${options.growth}`;
    return { outcome: "found", findings, because };
  },
};

interface Peak {
  readonly incident: Incident;
  readonly growth: Growth;
  readonly manners: Manners;
}

function peakOf(log: RequestLog, incident: Incident, { windowMs }: OptionValues<Option>): Peak {
  const growth = growthIn(log, incident, windowMs);
  return { incident, growth, manners: mannersOf(log, growth.rows) };
}

/**
 * The first thing that a storm has and this has not, with its figure; null = it is one. The growth must come from repeats, and
 * from such as do not wait: new work that is repeated politely is a fan-out.
 */
function whyNot({ growth, manners }: Peak, options: OptionValues<Option>): string | null {
  const { repeats, grown, repeatShare, newWork } = growth;
  const unruly = share(manners.unruly, manners.judged);
  const stubborn = share(manners.stubborn, manners.judged);
  if (repeats < options.minRepeats)
    return `the peak of the worst incident has ${repeats} repeats; the threshold is ${options.minRepeats}`;
  if (grown < options.growth)
    return `the rate was ${round(grown)} times that before the first refusal; the threshold is ${options.growth}`;
  if (repeatShare < options.repeatShare)
    return `repeats were ${percent(repeatShare)} of the growth; the threshold is ${percent(options.repeatShare)}`;
  if (unruly < options.unrulyShare)
    return `${percent(unruly)} of the repeats came too soon; the threshold is ${percent(options.unrulyShare)}`;
  if (stubborn < options.unrulyShare && newWork > options.maxNewWork)
    return `calls were started ${round(newWork)} times as fast as before; above ${options.maxNewWork} new work explains it`;
  return null;
}

/** Without call ids and attempt numbers repeats look like new work. */
function tellsRepeats({ facts }: RequestLog): boolean {
  return facts.calls.present || facts.attempts.present;
}

function isRise({ growth }: Peak, options: OptionValues<Option>): boolean {
  return growth.rows.length >= options.minRepeats && growth.grown >= options.growth;
}

function worstFirst(peaks: readonly Peak[]): Peak[] {
  return peaks.toSorted((a, b) => b.incident.throttled - a.incident.throttled);
}

function round(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(1) : "many";
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

function finding(log: RequestLog, storms: readonly Peak[], options: OptionValues<Option>): RuleFinding {
  const [worst] = storms;
  if (worst === undefined) throw new RangeError("a storm was counted and is gone");
  const { incident, growth } = worst;
  const bucket = bucketId(log, incident.bucket);
  return {
    ...(storms.every((storm) => isNegligible(log, storm.incident)) ? { severity: "info" as const } : {}),
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
      politeRetry(log, incident.bucket, "", growth.rows.length - growth.repeats),
      { kind: "break", bucket, openAfter: 5, windowMs: 10_000, pauseMs: 30_000 },
      paceBucket(log, incident),
    ],
    harm: harmOf(
      log,
      storms.flatMap(({ incident: one }) => [...one.rows]),
    ),
  };
}
