import type { FixSpec, PaceFix, RetryFix } from "../../model/fix.ts";
import type { RequestLog } from "../../model/log.ts";
import type { ReportEffect } from "../../model/report.ts";
import { EndlessSimulation } from "../engine.ts";
import { observed, predicted } from "./numbers.ts";
import { type LaneLimiter, type Policy, play, type Replay } from "./replay.ts";

/** What a fix would have come to, or why that cannot be said. */
export type Effect = { readonly effect: ReportEffect } | { readonly notSimulatedBecause: string };

/** A change of the clients' policy, or why there is none that a replay could play. */
type Change = { readonly policy: Policy } | { readonly because: string };

/** Replays the episode under one fix alone. */
export function effectOf(log: RequestLog, replay: Replay, fix: FixSpec): Effect {
  const change = changeOf(log, fix);
  if ("because" in change) return { notSimulatedBecause: change.because };
  const effect = orEndless(() => effectUnder(replay, change.policy));
  return typeof effect === "string" ? { notSimulatedBecause: effect } : { effect };
}

/** Replays the episode under all fixes that can be played; null when none can, or together they never end. */
export function effectOfAll(log: RequestLog, replay: Replay, fixes: readonly FixSpec[]): ReportEffect | null {
  const policies = fixes.flatMap((fix) => {
    const change = changeOf(log, fix);
    return "because" in change ? [] : [change.policy];
  });
  if (policies.length === 0) return null;
  const effect = orEndless(() => effectUnder(replay, policies.reduce(together)));
  return typeof effect === "string" ? null : effect;
}

/** A replay can find that calls would wait for ever, e.g. behind a limit of nothing: that is an answer, not a failure. */
export function orEndless<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof EndlessSimulation) return `in the replay, ${error.message}`;
    throw error;
  }
}

function effectUnder(replay: Replay, policy: Policy): ReportEffect {
  return {
    before: observed(replay),
    after: predicted(replay, play(replay, policy)),
    backtestError: replay.backtestError,
  };
}

/** The first fix that limits an agent, or says how it waits, decides: it belongs to the worse finding. */
function together(a: Policy, b: Policy): Policy {
  const wait = a.wait ?? b.wait;
  // Aging comes after the priorities that it ages.
  const order = b.order ?? a.order;
  const all = [...(a.limiters ?? []), ...(b.limiters ?? [])];
  // One limiter in front of everybody makes those in front of single agents needless.
  const shared = all.find((limiter) => limiter.agents === null);
  return {
    limiters: shared === undefined ? all : [shared],
    ...(order === undefined ? {} : { order }),
    ...(wait === undefined ? {} : { wait }),
  };
}

function changeOf(log: RequestLog, fix: FixSpec): Change {
  switch (fix.kind) {
    case "pace":
      return { policy: { limiters: [limiterOf(log, fix)] } };
    case "share":
      return { policy: { limiters: sharesOf(log, fix.agents) } };
    case "retry":
      return {
        policy: {
          wait: (call, refusals, askedMs, random) =>
            concerns(log, fix, call.agent) ? retryWait(fix, refusals, askedMs, random) : undefined,
        },
      };
    case "classify":
      // Whoever gave up on a temporary refusal now waits as asked, up to six times.
      return {
        policy: {
          wait: (call, refusals, askedMs, random) =>
            call.gaveUp && concerns(log, fix, call.agent)
              ? retryWait(PATIENT, refusals, askedMs, random)
              : undefined,
        },
      };
    case "prioritise":
      return { policy: { order: { kind: "priority" } } };
    case "age":
      return { policy: { order: { kind: "threshold-aging", afterS: fix.afterMs / 1_000 } } };
    case "timeout":
      return { because: "a longer timeout changes who gives up, not what is sent" };
    case "break":
      return { because: "the replay has no circuit breaker" };
    case "separate":
      return { because: "the limit of the other bucket is not known" };
    case "spread":
    case "shrink":
    case "batch":
    case "one-retry-layer":
    case "tag":
    case "billing":
    case "raise-limit":
      return { because: "it changes nothing that a replay of these calls could show" };
  }
}

const PATIENT: RetryFix = {
  kind: "retry",
  bucket: "",
  obeyRetryAfter: true,
  baseMs: 1_000,
  factor: 2,
  capMs: 60_000,
  jitter: "added",
  jitterMs: 5_000,
  maxAttempts: 6,
};

function limiterOf(log: RequestLog, fix: PaceFix): LaneLimiter {
  const { ratePerMinute, burst, tokensPerMinute } = fix;
  const agents =
    fix.scope === "bucket" || fix.agent === undefined ? null : new Set([log.agents.indexOf(fix.agent)]);
  return { agents, ratePerMinute, burst, ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }) };
}

function sharesOf(
  log: RequestLog,
  shares: { readonly [agent: string]: { readonly ratePerMinute: number; readonly burst: number } },
): LaneLimiter[] {
  return Object.entries(shares).map(([agent, share]) => ({
    agents: new Set([log.agents.indexOf(agent)]),
    ...share,
  }));
}

function concerns(log: RequestLog, fix: { readonly agent?: string }, agent: number): boolean {
  return fix.agent === undefined || log.agents[agent] === fix.agent;
}

/** The hint where there is one, else the backoff; the jitter never makes a wait shorter than the hint. */
function retryWait(fix: RetryFix, refusals: number, askedMs: number, random: () => number): number | null {
  if (refusals >= fix.maxAttempts) return null;
  const backoff = Math.min(fix.capMs, fix.baseMs * fix.factor ** (refusals - 1));
  const u = random();
  if (fix.jitter === "added") return Math.max(askedMs, askedMs > 0 ? 0 : backoff) + u * (fix.jitterMs ?? 0);
  if (askedMs > 0) return askedMs + u * backoff;
  return fix.jitter === "full" ? u * backoff : backoff / 2 + (u * backoff) / 2;
}
