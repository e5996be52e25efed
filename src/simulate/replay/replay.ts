import { costOf } from "../cost.ts";
import { concurrencyOf } from "../../measure/concurrency.ts";
import { groupBy } from "../../measure/grouping.ts";
import { limitsOf } from "../../measure/limits.ts";
import { quantile } from "../../measure/statistics.ts";
import { NOT_TOLD, type RequestLog } from "../../model/log.ts";
import type { RateDimension } from "../../model/outcome.ts";
import { type Lane, type SimulatedCall, type SimulationResult, simulate } from "../engine.ts";
import type { Order } from "../order.ts";
import { createRandom } from "../random.ts";
import { createTokenBucket } from "../token-bucket.ts";
import { type Behaviour, behaviourOf } from "./behaviour.ts";
import type { Episode, EpisodeCall } from "./episode.ts";

/** The server's bucket of one dimension. */
export interface ServerLimit {
  readonly dimension: RateDimension;
  readonly perMinute: number;
  readonly capacity: number;
}

/** An episode with all that its replays share. */
export interface Replay {
  readonly episode: Episode;
  readonly limits: readonly ServerLimit[];
  /** By agent number. */
  readonly behaviours: ReadonlyMap<number, Behaviour>;
  /** Attempts under way at most, by agent number, for agents that queue behind a cap. */
  readonly caps: ReadonlyMap<number, number>;
  /** What the server asks for after a refusal, ms; null = as long as its bucket needs. */
  readonly askedMs: number | null;
  /** |predicted - observed| / observed refusals, with the behaviour that was seen. */
  readonly backtestError: number;
}

/** How the clients act in a replay. What is left out stays as it was seen. */
export interface Policy {
  /** Which lane an agent's calls go through, and what limits it; without it every agent has a free lane. */
  readonly limiters?: readonly LaneLimiter[];
  /** Of the ready calls in each lane; first come, first served when left out. */
  readonly order?: Order;
  /** Wait after the n-th refusal in ms, null = give up; `undefined` = as seen. */
  readonly wait?: (
    call: EpisodeCall,
    refusals: number,
    askedMs: number,
    random: () => number,
  ) => number | null | undefined;
}

export interface LaneLimiter {
  /** Agent numbers; null = all. */
  readonly agents: ReadonlySet<number> | null;
  readonly ratePerMinute: number;
  readonly burst: number;
  readonly tokensPerMinute?: number;
}

/** Any fixed number: the same log gives the same report. */
const SEED = 429;

/** null, and why, when the log cannot be replayed. */
export function replayOf(log: RequestLog, episode: Episode): Replay | string {
  const known = limitsOf(log).filter((limit) => limit.bucket === episode.incident.bucket);
  if (known.length === 0) return "no limit of this bucket is known, and the log has too little to infer one";
  if (!known.some((limit) => limit.dimension === "requests" || episode.incident.dimension.includes("tokens")))
    return "the limit that refused is not known";
  const limits = known.map(({ dimension, perMinute, burst }): ServerLimit => {
    // A bucket whose capacity nothing tells is taken to hold a sixth of a minute.
    return { dimension, perMinute, capacity: Math.max(1, burst ?? perMinute / 6) };
  });
  const agents = new Set(episode.calls.map((call) => call.agent));
  const caps = capsOf(log, episode, agents);
  const byAgent = groupBy(episode.calls, (call) => call.agent);
  const withHints = (hintsFit: boolean): Replay => {
    const replay = {
      episode,
      limits,
      caps,
      behaviours: new Map([...byAgent].map(([agent, own]) => [agent, behaviourOf(own, hintsFit)])),
      askedMs: hintsFit
        ? null
        : (quantile(
            episode.calls.flatMap((call) => call.waits.flatMap((w) => w.askedMs ?? [])),
            0.5,
          ) ?? null),
      backtestError: 0,
    };
    return { ...replay, backtestError: backtestError(replay) };
  };
  // Some servers ask for exactly as long as their bucket needs, some for a fixed time: the backtest tells which.
  const [fitting, fixed] = [withHints(true), withHints(false)];
  return fitting.backtestError <= fixed.backtestError ? fitting : fixed;
}

/** Agents whose calls queue on the client's side and never pass a small number in flight. */
function capsOf(
  log: RequestLog,
  { incident }: Episode,
  agents: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const caps = new Map<number, number>();
  for (const agent of agents) {
    const rows = incident.rows.filter((row) => log.attempts.agent[row] === agent);
    if (!rows.some((row) => (log.attempts.queuedMs[row] ?? NOT_TOLD) > 0)) continue;
    const { shares } = concurrencyOf(log, rows);
    const flat = Math.max(0, ...shares);
    if (flat >= 0.4) caps.set(agent, shares.indexOf(flat) + 1);
  }
  return caps;
}

/** Lets the calls of the episode happen again under a policy. */
export function play(replay: Replay, policy: Policy): SimulationResult {
  const { episode, limits, behaviours } = replay;
  const startMs = episode.calls[0]?.wantedMs ?? 0;
  const lanes = lanesOf(replay, policy);
  const calls = episode.calls.map(
    (call, index): SimulatedCall => ({
      index,
      arrivalS: (call.wantedMs - startMs) / 1_000,
      priority: call.priority,
      serviceS: call.serviceMs / 1_000,
      refusalS: call.refusalMs / 1_000,
      lane: lanes.of.get(call.agent) ?? 0,
      costs: limits.map((limit) => Math.min(limit.capacity, costOf(call, limit.dimension))),
      after: call.after === null ? null : { index: call.after.index, delayS: call.after.delayMs / 1_000 },
    }),
  );
  const random = createRandom(SEED);
  return simulate(calls, {
    server: limits.map((limit) => createTokenBucket(limit.capacity, limit.perMinute / 60)),
    lanes: lanes.lanes,
    retryWait(call, refusals, askedS) {
      const told = episode.calls[call.index];
      if (told === undefined) return null;
      const askedMs = replay.askedMs ?? askedS * 1_000;
      const changed = policy.wait?.(told, refusals, askedMs, random);
      const wait =
        changed === undefined
          ? seenWait(told, behaviours.get(told.agent), refusals, askedMs, random)
          : changed;
      return wait === null ? null : wait / 1_000;
    },
  });
}

/** What this client did after its n-th refusal; beyond what was seen of it, what its like did. null = it gave up. */
function seenWait(
  call: EpisodeCall,
  behaviour: Behaviour | undefined,
  refusals: number,
  askedMs: number,
  random: () => number,
): number | null {
  if (behaviour === undefined) return null;
  if (refusals >= (call.gaveUp ? call.refusals : behaviour.givesUpAfter)) return null;
  const own = call.waits[refusals - 1];
  if (own !== undefined)
    return behaviour.obeys ? askedMs + Math.max(0, own.waitedMs - (own.askedMs ?? 0)) : own.waitedMs;
  const pool = behaviour.waits[Math.min(refusals, behaviour.waits.length) - 1] ?? [];
  // Nobody was ever seen to repeat: give up, as they did.
  if (pool.length === 0) return null;
  const drawn = pool[Math.floor(random() * pool.length)] ?? 0;
  return behaviour.obeys ? askedMs + drawn : drawn;
}

function lanesOf(
  replay: Replay,
  policy: Policy,
): { readonly lanes: readonly Lane[]; readonly of: ReadonlyMap<number, number> } {
  const order = policy.order ?? { kind: "fifo" };
  const of = new Map<number, number>();
  const lanes: Lane[] = [];
  // Lanes are looked at one by one at every instant: agents that nothing holds back share one.
  const shared = new Map<LaneLimiter | "free", number>();
  for (const agent of replay.behaviours.keys()) {
    const limiter = policy.limiters?.find((one) => one.agents === null || one.agents.has(agent));
    // Behind a limiter a cap of the old client no longer matters much; it stays where the agent is alone in its lane.
    const cap = limiter?.agents === null ? undefined : replay.caps.get(agent);
    const key = limiter ?? (cap === undefined ? "free" : null);
    const known = key === null ? undefined : shared.get(key);
    of.set(agent, known ?? lanes.length);
    if (known !== undefined) continue;
    if (key !== null) shared.set(key, lanes.length);
    lanes.push({
      limiters: limiter === undefined ? [] : limitersOf(limiter, replay),
      cap: cap ?? Number.POSITIVE_INFINITY,
      order: cap === undefined ? order : { kind: "queue" },
    });
  }
  return { lanes, of };
}

function limitersOf(limiter: LaneLimiter, replay: Replay): Lane["limiters"] {
  const requests = { bucket: createTokenBucket(limiter.burst, limiter.ratePerMinute / 60), costOf: () => 1 };
  const { tokensPerMinute } = limiter;
  if (tokensPerMinute === undefined) return [requests];
  const at = replay.limits.findIndex((limit) => limit.dimension !== "requests");
  const capacity = replay.limits[at]?.capacity ?? tokensPerMinute / 6;
  const tokens = createTokenBucket(capacity, tokensPerMinute / 60);
  return [requests, { bucket: tokens, costOf: (call) => Math.min(capacity, call.costs[at] ?? 0) }];
}

/** Lets everything happen again as it was seen: what comes out should be what the log shows. */
function backtestError(replay: Replay): number {
  const { throttled } = replay.episode;
  return Math.abs(play(replay, {}).throttled - throttled) / Math.max(1, throttled);
}
