import { dimensionAt, isThrottled } from "../../src/measure/attempts.ts";
import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { limitOf } from "../../src/measure/limits.ts";
import { bucketId, paceOf } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import { peakCount } from "../../src/measure/rates.ts";
import { countRows, timesOf } from "../../src/measure/traffic.ts";
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
      "{tokenRefusals} of {refusals} refusals on {bucket} name its {dimension} limit; the log tells no tokens, so nobody can be named.",
  },
  check(log, options) {
    const found = incidentsOf(log).flatMap((incident) => {
      const refusals = countRows(
        incident.rows,
        (row) => isThrottled(log.attempts, row) && dimensionAt(log.attempts, row).includes("tokens"),
      );
      const enough = refusals >= options.minRefusals && refusals >= options.minShare * incident.throttled;
      return enough && requestLoad(log, incident) <= options.maxRequestLoad ? [{ incident, refusals }] : [];
    });
    const worst = new Map<number, { incident: Incident; refusals: number }>();
    for (const one of found) {
      const known = worst.get(one.incident.bucket);
      if (known === undefined || known.refusals < one.refusals) worst.set(one.incident.bucket, one);
    }
    if (worst.size > 0) {
      const findings = [...worst.values()].map(({ incident, refusals }) =>
        finding(log, incident, refusals, options),
      );
      return { outcome: "found", findings, because: "most refusals name a token limit" };
    }
    return { outcome: "clear", because: "the refusals do not name a token limit" };
  },
};

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
  incident: Incident,
  refusals: number,
  options: OptionValues<Option>,
): RuleFinding {
  const heaviest = incident.agents
    .toSorted((a, b) => b.tokens - a.tokens)
    .find((agent) => agent.tokens > 0 && agent.name !== "");
  return {
    ...(isNegligible(log, incident) ? { severity: "info" as const } : {}),
    subject: {
      ...(heaviest === undefined ? {} : { agent: heaviest.name }),
      bucket: bucketId(log, incident.bucket),
    },
    incident: incident.id,
    message: heaviest === undefined ? "bucket" : "agent",
    numbers: {
      tokenRefusals: { value: refusals, unit: "count", limit: options.minRefusals },
      refusals: { value: incident.throttled, unit: "count" },
      ...(heaviest === undefined
        ? {}
        : {
            shareOfTokens: { value: heaviest.shareOfTokens ?? 0, unit: "share" as const },
            shareOfCalls: { value: heaviest.shareOfCalls, unit: "share" as const },
          }),
    },
    words: { dimension: incident.dimension },
    evidence: [{ attempt: incident.firstRefusal, note: "first refusal" }],
    fixes: fixesFor(log, incident, heaviest),
    harm: {
      refusals,
      lostMs: 0,
      failedCalls: incident.failedCalls,
    },
  };
}

function fixesFor(log: RequestLog, incident: Incident, heaviest: IncidentAgent | undefined): FixSpec[] {
  const bucket = bucketId(log, incident.bucket);
  const limit = limitOf(log, incident.bucket, tokenDimension(incident));
  const { ratePerMinute, burst } = paceOf(log, incident);
  const pace: FixSpec = {
    kind: "pace",
    scope: "bucket",
    bucket,
    ratePerMinute,
    burst,
    ...(limit === null ? {} : { tokensPerMinute: limit.perMinute }),
  };
  const separate: FixSpec[] =
    heaviest === undefined
      ? []
      : [
          {
            kind: "separate",
            agent: heaviest.name,
            from: bucket,
            to: "another model class or a workspace with its own token limit",
          },
        ];
  return [pace, ...separate];
}

function tokenDimension(incident: Incident): RateDimension {
  const { dimension } = incident;
  return dimension === "input-tokens" || dimension === "output-tokens" ? dimension : "tokens";
}
