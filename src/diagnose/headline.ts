import { type Incident, incidentsOf } from "../measure/incidents.ts";
import { limitOf, limitsOf } from "../measure/limits.ts";
import { bucketTraffic, share } from "../measure/traffic.ts";
import { givenUpWaits } from "../measure/waits.ts";
import type { RequestLog } from "../model/log.ts";
import type { RateDimension } from "../model/outcome.ts";
import { agentLabel } from "../words/names.ts";
import { formatNumber } from "../words/numbers.ts";
import { cascadeOf } from "./cascade.ts";
import { isoTime } from "./evidence.ts";
import type { RankedFinding } from "./run-rules.ts";

/** The answer in one or two sentences: what happened, which limit binds, when it was worst. */
export function headlineOf(log: RequestLog, findings: readonly RankedFinding[]): string {
  const worst = incidentsOf(log).toSorted((a, b) => b.throttled - a.throttled || a.from - b.from)[0];
  const loud = findings.filter((found) => found.severity !== "info");
  if (worst === undefined)
    return loud[0] === undefined ? calm(log) : `${loud[0].rule.title}. ${calmTraffic(log)}`;
  const happened = `${refusals(log)}${binding(log, worst)}, worst at ${clock(worst)}`;
  if (loud[0] === undefined) return `${happened}: normal operation, nothing to change.`;
  return `${happened}. ${causeIn(log, worst) ?? `${loud[0].rule.title}.`}${gaveUp(log)}`;
}

/** The agent that loaded the bucket, when one did: at least half of the worst incident. */
function causeIn(log: RequestLog, incident: Incident): string | null {
  const cause = cascadeOf(log, incident).find((step) => step.role === "cause");
  const agent = incident.agents.find((one) => one.name === cause?.agent);
  if (cause === undefined || agent === undefined || agent.name === "" || agent.shareOfAttempts < 0.5)
    return null;
  return `${agentLabel(agent.name)} ${cause.what}.`;
}

function refusals(log: RequestLog): string {
  const traffic = bucketTraffic(log);
  const throttled = traffic.reduce((sum, bucket) => sum + bucket.throttled, 0);
  const attempts = traffic.reduce((sum, bucket) => sum + bucket.rows.length, 0);
  return `${formatNumber(throttled, "count")} of ${formatNumber(attempts, "count")} attempts refused (${formatNumber(share(throttled, attempts), "share")})`;
}

function binding(log: RequestLog, incident: Incident): string {
  const bucket = log.buckets[incident.bucket]?.id ?? "";
  if (incident.dimension === "unknown" || incident.dimension === "concurrency") {
    const known = limitsOf(log).find((limit) => limit.bucket === incident.bucket);
    return known === undefined
      ? ` on ${bucket}`
      : ` on ${bucket} (${rate(known.perMinute, known.dimension)})`;
  }
  const limit = limitOf(log, incident.bucket, incident.dimension);
  return ` by the ${incident.dimension} limit of ${bucket}${limit === null ? "" : ` (${rate(limit.perMinute, limit.dimension)})`}`;
}

function rate(perMinute: number, dimension: RateDimension): string {
  return dimension === "requests"
    ? formatNumber(perMinute, "per-minute")
    : formatNumber(perMinute, "tokens-per-minute");
}

function clock(incident: Incident): string {
  return `${isoTime(incident.from).slice(11, 19)} UTC`;
}

function gaveUp(log: RequestLog): string {
  const given = givenUpWaits(log)
    .filter((one) => one.chain !== null)
    .toSorted((x, y) => x.gaveUpMs - y.gaveUpMs || (x.wait.agent < y.wait.agent ? -1 : 1));
  const waiters = [...new Set(given.map((one) => one.wait.agent))];
  const acted = [...new Set(log.actions.map((action) => action.action))];
  const gave = waiters.length === 0 ? "" : ` ${waiters.join(", ")} gave up waiting.`;
  const then = acted.length === 0 ? "" : ` The orchestrator answered with ${acted.join(", ")}.`;
  return gave + then;
}

/** A healthy log is told how much room it has. */
function calm(log: RequestLog): string {
  return `no rate limit was hit. ${calmTraffic(log)}`;
}

function calmTraffic(log: RequestLog): string {
  const used = bucketTraffic(log).flatMap((traffic) => {
    const limit = limitOf(log, traffic.bucket, "requests");
    return limit === null ? [] : [{ share: traffic.peakPerMinute / limit.perMinute, limit, traffic }];
  });
  const tightest = used.toSorted((a, b) => b.share - a.share)[0];
  if (tightest === undefined) return "The log states no limit, so its headroom is not known.";
  const { traffic, limit } = tightest;
  return `The busiest minute used ${formatNumber(tightest.share, "share")} of the requests limit (${traffic.peakPerMinute} of ${limit.perMinute}).`;
}
