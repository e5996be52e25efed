import type { PaceFix, ShareFix } from "../model/fix.ts";
import type { RequestLog } from "../model/log.ts";
import { MINUTE_MS } from "../model/time.ts";
import { isOk } from "./attempts.ts";
import { type Incident, incidentsOf } from "./incidents.ts";
import { type BucketLimit, limitOf } from "./limits.ts";
import { bucketTraffic, countRows } from "./traffic.ts";

/** A burst of this share of the minute's limit is what a limit of this kind usually grants at once. */
const BURST_SHARE = 0.2;

export interface Pace {
  readonly ratePerMinute: number;
  readonly burst: number;
  /** The limit itself, or what was accepted while refusals came, where no limit is known. */
  readonly from: "limit" | "observed";
}

/** The rate and burst at which a bucket takes requests: the server's own, not a timid part of it. */
export function paceOf(log: RequestLog, incident: Incident): Pace {
  const limit = limitOf(log, incident.bucket, "requests");
  if (limit !== null) return paceAt(limit);
  const rate = Math.max(1, Math.floor(acceptedIn(log, incident).perMinute));
  return { ratePerMinute: rate, burst: Math.max(1, Math.floor(rate * BURST_SHARE)), from: "observed" };
}

function paceAt({ perMinute, burst }: BucketLimit): Pace {
  const usual = Math.floor(perMinute * BURST_SHARE);
  return { ratePerMinute: perMinute, burst: Math.max(1, Math.min(usual, burst ?? usual)), from: "limit" };
}

/**
 * What passed while the bucket refused. An incident shorter than a minute is counted with what came before it, for a minute
 * in all: the burst that emptied the bucket passed before its first refusal.
 */
function acceptedIn(
  log: RequestLog,
  { bucket, from, to }: Incident,
): { readonly count: number; readonly perMinute: number } {
  const since = Math.min(from, to - MINUTE_MS);
  const rows = bucketTraffic(log)[bucket]?.rows ?? new Uint32Array();
  const count = countRows(rows, (row) => {
    const sent = log.attempts.sentMs[row] ?? 0;
    return sent >= since && sent < to && isOk(log.attempts, row);
  });
  return { count, perMinute: (count * MINUTE_MS) / (to - since) };
}

/** Fewer accepted attempts say nothing about a rate. */
const LEAST_ACCEPTED = 5;

/**
 * A stand-in where no limit of requests is known: what the incident with most refusals let pass meanwhile. null = too little
 * passed, or tokens were what was refused.
 */
export function observedLimit(log: RequestLog, bucket: number): BucketLimit | null {
  const [worst] = incidentsOf(log)
    .filter((incident) => incident.bucket === bucket)
    .toSorted((a, b) => b.throttled - a.throttled);
  if (worst === undefined || (worst.dimension !== "requests" && worst.dimension !== "unknown")) return null;
  const accepted = acceptedIn(log, worst);
  if (accepted.count < LEAST_ACCEPTED) return null;
  const perMinute = Math.floor(accepted.perMinute);
  return { bucket, dimension: "requests", perMinute, burst: null, source: "inferred" };
}

/**
 * One token bucket at the whole limit in front of one agent, or of everybody where the sender has no name. It counts calls,
 * never live parents: a cap on parents that wait for their children deadlocks.
 */
export function paceSender(log: RequestLog, limit: BucketLimit, name: string): PaceFix {
  const { ratePerMinute, burst } = paceAt(limit);
  const sender = name === "" ? { scope: "bucket" as const } : { scope: "agent" as const, agent: name };
  return { kind: "pace", ...sender, bucket: bucketId(log, limit.bucket), ratePerMinute, burst };
}

/** One token bucket in front of everybody who uses the server's bucket. */
export function paceBucket(log: RequestLog, incident: Incident): PaceFix {
  const { ratePerMinute, burst } = paceOf(log, incident);
  const limit = tokenLimitOf(log, incident);
  const tokens = limit === null ? {} : { tokensPerMinute: limit.perMinute };
  return {
    kind: "pace",
    scope: "bucket",
    bucket: bucketId(log, incident.bucket),
    ratePerMinute,
    burst,
    ...tokens,
  };
}

/** The token limit that refused, where tokens did and their limit is known: a pace of requests cannot hold it. */
function tokenLimitOf(log: RequestLog, { bucket, dimension }: Incident): BucketLimit | null {
  const isTokens = dimension === "tokens" || dimension === "input-tokens" || dimension === "output-tokens";
  return isTokens ? limitOf(log, bucket, dimension) : null;
}

/**
 * A token bucket in front of one agent: what the server takes, less the calls that the others start meanwhile, and never
 * less than a fair share.
 */
export function paceAgent(log: RequestLog, incident: Incident, name: string): PaceFix {
  const pace = paceOf(log, incident);
  const tokenLimit = tokenLimitOf(log, incident);
  const minutes = Math.max(1, (incident.to - incident.from) / 60_000);
  const others = incident.agents.filter((agent) => agent.name !== name);
  const left = (perMinute: number, usedByOthers: number): number => {
    const fair = perMinute / incident.agents.length;
    return Math.max(1, Math.floor(Math.max(fair, perMinute - usedByOthers / minutes)));
  };
  const calls = others.reduce((sum, agent) => sum + agent.calls, 0);
  const tokens = others.reduce((sum, agent) => sum + agent.tokens, 0);
  return {
    kind: "pace",
    scope: "agent",
    agent: name,
    bucket: bucketId(log, incident.bucket),
    ratePerMinute: left(pace.ratePerMinute, calls),
    burst: pace.burst,
    ...(tokenLimit === null ? {} : { tokensPerMinute: left(tokenLimit.perMinute, tokens) }),
  };
}

export function bucketId(log: RequestLog, bucket: number): string {
  return log.buckets[bucket]?.id ?? "";
}

/** Room above what an agent needed, so that its own small bursts are not held up. */
const SHARE_ROOM = 1.2;

/**
 * The bucket divided so that small agents are not hurt: whoever needs little gets all of it, the rest is shared by those who
 * want more (max-min fairness). null where agents are not told or there is only one.
 *
 *   limit 60, wanted 4, 6, 200  ->  5, 7, 48
 */
export function shareBucket(log: RequestLog, incident: Incident): ShareFix | null {
  const agents = incident.agents.filter((agent) => agent.name !== "");
  if (agents.length < 2 || agents.length < incident.agents.length) return null;
  const pace = paceOf(log, incident);
  const minutes = Math.max(1, (incident.to - incident.from) / 60_000);
  const shares: { [name: string]: { ratePerMinute: number; burst: number } } = {};
  let left = pace.ratePerMinute;
  const byNeed = agents.toSorted((a, b) => a.calls - b.calls || (a.name < b.name ? -1 : 1));
  for (const [i, agent] of byNeed.entries()) {
    const isLast = i === byNeed.length - 1;
    const wanted = isLast ? left : Math.ceil((agent.calls / minutes) * SHARE_ROOM);
    const ratePerMinute = Math.max(1, Math.min(wanted, Math.floor(left / (byNeed.length - i))));
    left = Math.max(1, left - ratePerMinute);
    const burst = Math.max(1, Math.floor((pace.burst * ratePerMinute) / pace.ratePerMinute));
    shares[agent.name] = { ratePerMinute, burst };
  }
  return { kind: "share", bucket: bucketId(log, incident.bucket), agents: shares };
}
