import { dimensionAt, isThrottled, outcomeAt } from "../../src/measure/attempts.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { limitOf } from "../../src/measure/limits.ts";
import { bucketId, paceBucket } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { peakCount } from "../../src/measure/rates.ts";
import { timesOf } from "../../src/measure/traffic.ts";
import type { FixSpec } from "../../src/model/fix.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { RateDimension } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

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
    const found = incidentsOf(log)
      .map((incident): TokenIncident => ({ incident, refusals: tokenRefusals(log, incident) }))
      .filter(({ incident, refusals }) => {
        const enough = Math.max(options.minRefusals, options.minShare * incident.throttled);
        return refusals.length >= enough && requestLoad(log, incident) <= options.maxRequestLoad;
      });
    if (found.length === 0) return { outcome: "clear", because: "the refusals do not name a token limit" };
    const byBucket = groupBy(
      found.toSorted((a, b) => b.refusals.length - a.refusals.length),
      ({ incident }) => incident.bucket,
    );
    const findings = [...byBucket.values()].map((incidents) => finding(log, incidents, options));
    return { outcome: "found", findings, because: "most refusals name a token limit" };
  },
};

interface TokenIncident {
  readonly incident: Incident;
  readonly refusals: readonly RateDimension[];
}

/** The token dimension of each refusal that names one. One for growth is no limit's, though it counts tokens too. */
function tokenRefusals(log: RequestLog, { rows }: Incident): RateDimension[] {
  return Array.from(rows).flatMap((row) => {
    if (outcomeAt(log.attempts, row) !== "throttled") return [];
    const dimension = dimensionAt(log.attempts, row);
    return dimension === "tokens" || dimension === "input-tokens" || dimension === "output-tokens"
      ? [dimension]
      : [];
  });
}

/** The one that is named most; of equals the first. */
function mainOf(dimensions: readonly RateDimension[]): RateDimension {
  const counts = [...groupBy(dimensions, (dimension) => dimension)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  return counts[0]?.[0] ?? "tokens";
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
  const dimension = mainOf(refusals);
  return {
    ...(isNegligible(log, incident) ? { severity: "info" as const } : {}),
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
    harm: {
      refusals: incidents.reduce((sum, one) => sum + one.refusals.length, 0),
      lostMs: 0,
      failedCalls: incidents.reduce((sum, one) => sum + one.incident.failedCalls, 0),
    },
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
