import { isThrottled } from "../../src/measure/attempts.ts";
import { mostNamed, tellsLimit, tokenRefusals } from "../../src/measure/dimensions.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { harmOf } from "../../src/measure/harm.ts";
import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { limitOf } from "../../src/measure/limits.ts";
import { bucketId, paceBucket } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { peakCount } from "../../src/measure/rates.ts";
import { timesOf } from "../../src/measure/traffic.ts";
import type { FixSpec } from "../../src/model/fix.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { RateDimension } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding, Verdict } from "../../src/model/rule.ts";

type Option = "minShare" | "maxRequestLoad" | "minRefusals";

/** The refusals are about tokens, so counting requests finds nobody. */
export const rule: Rule<Option> = {
  id: "token-limit",
  title: "The token limit refuses, not the request limit",
  why: "A limiter that counts requests cannot hold a token limit: a tenth of the calls can carry nine tenths of the tokens.",
  severity: "error",
  needs: ["status"],
  options: {
    minShare: { default: 0.5, unit: "share", reason: "most of the refusals must name tokens" },
    maxRequestLoad: { default: 0.9, unit: "share", reason: "at the request limit too, both must be held" },
    minRefusals: { default: 5, unit: "count", reason: "a stray refusal shows no pattern" },
  },
  messages: {
    agent:
      "{tokenRefusals} of {refusals} refusals on {bucket} name its {dimension} limit; {agent} used {shareOfTokens} of the tokens with {shareOfCalls} of the calls.",
    bucket:
      "{tokenRefusals} of {refusals} refusals on {bucket} name its {dimension} limit; the tokens are not told, or not whose they are.",
  },
  check(log, options) {
    const incidents = incidentsOf(log)
      .map((incident): TokenIncident => ({ incident, refusals: tokenRefusals(log, incident.rows) }))
      .toSorted((a, b) => b.refusals.length - a.refusals.length);
    const found = incidents.filter(({ incident, refusals }) => {
      const enough = Math.max(options.minRefusals, options.minShare * incident.throttled);
      return refusals.length >= enough && requestLoad(log, incident) <= options.maxRequestLoad;
    });
    const [worst] = found.length > 0 ? found : incidents;
    if (worst === undefined) return { outcome: "clear", because: "nothing was refused by a rate limit" };
    const because = `${worst.refusals.length} of ${worst.incident.throttled} refusals of an incident name a token limit`;
    if (found.length === 0) return notFound(log, worst, because, options);
    const byBucket = groupBy(found, ({ incident }) => incident.bucket);
    const findings = [...byBucket.values()].map((all) => finding(log, all, options));
    return { outcome: "found", findings, because };
  },
};

function notFound(
  log: RequestLog,
  { incident, refusals }: TokenIncident,
  because: string,
  { minRefusals, minShare, maxRequestLoad }: OptionValues<Option>,
): Verdict {
  if (!incidentsOf(log).some(({ rows }) => rows.some((row) => tellsLimit(log, row))))
    return { outcome: "unknown", because: "no refusal tells which limit it hit" };
  if (refusals.length < minRefusals)
    return { outcome: "clear", because: `${because}; the threshold is ${minRefusals}` };
  if (refusals.length < minShare * incident.throttled)
    return { outcome: "clear", because: `${because}; the threshold is ${Math.round(minShare * 100)} %` };
  const load = `requests were at ${Math.round(requestLoad(log, incident) * 100)} % of their own limit`;
  return {
    outcome: "clear",
    because: `${because}, but ${load}; the threshold is ${Math.round(maxRequestLoad * 100)} %`,
  };
}

interface TokenIncident {
  readonly incident: Incident;
  readonly refusals: readonly RateDimension[];
}

/** Peak minute of requests against the request limit; 0 where no limit is known. */
function requestLoad(log: RequestLog, incident: Incident): number {
  const limit = limitOf(log, incident.bucket, "requests");
  const accepted = incident.rows.filter((row) => !isThrottled(log.attempts, row));
  return limit === null || limit.source === "inferred"
    ? 0
    : peakCount(timesOf(log, accepted), 60_000).value / limit.perMinute;
}

function finding(
  log: RequestLog,
  incidents: readonly TokenIncident[],
  options: OptionValues<Option>,
): RuleFinding {
  const [worst] = incidents;
  if (worst === undefined) throw new RangeError("a token incident was counted and is gone");
  const { incident, refusals } = worst;
  const heaviest = heaviestOf(incident);
  const dimension = mostNamed(refusals) ?? "tokens";
  return {
    ...(incidents.every((one) => isNegligible(log, one.incident)) ? { severity: "info" as const } : {}),
    subject: {
      ...(heaviest === null ? {} : { agent: heaviest.name }),
      bucket: bucketId(log, incident.bucket),
    },
    incident: incident.id,
    message: heaviest === null ? "bucket" : "agent",
    numbers: {
      tokenRefusals: { value: refusals.length, unit: "count", limit: options.minRefusals },
      refusals: { value: incident.throttled, unit: "count" },
      ...(heaviest === null ? {} : sharesOf(heaviest)),
    },
    words: { dimension },
    evidence: [{ attempt: incident.firstRefusal, note: "first refusal" }],
    fixes: fixesFor(log, incident, dimension, heaviest),
    harm: harmOf(
      log,
      incidents.flatMap(({ incident: one }) => [...one.rows]),
    ),
  };
}

/** Who used the most tokens; null when that is nobody with a name, or no tokens are told. */
function heaviestOf(incident: Incident): IncidentAgent | null {
  const [heaviest] = incident.agents.toSorted((a, b) => b.tokens - a.tokens);
  return heaviest === undefined || heaviest.name === "" || heaviest.tokens === 0 ? null : heaviest;
}

function sharesOf({ shareOfTokens, shareOfCalls }: IncidentAgent): RuleFinding["numbers"] {
  return {
    shareOfTokens: { value: shareOfTokens ?? 0, unit: "share" },
    shareOfCalls: { value: shareOfCalls, unit: "share" },
  };
}

function fixesFor(
  log: RequestLog,
  incident: Incident,
  dimension: RateDimension,
  heaviest: IncidentAgent | null,
): FixSpec[] {
  const bucket = bucketId(log, incident.bucket);
  const limit = limitOf(log, incident.bucket, dimension);
  const tokens = limit === null ? {} : { tokensPerMinute: limit.perMinute };
  const pace: FixSpec = { ...paceBucket(log, incident), ...tokens };
  if (heaviest === null) return [pace];
  const to = "another model class or a workspace with its own token limit";
  return [pace, { kind: "separate", agent: heaviest.name, from: bucket, to }];
}
