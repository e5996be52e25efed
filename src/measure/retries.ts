import { NOT_TOLD, type RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import { bucketAt, endMs, isRetryable } from "./attempts.ts";
import { callsOf, NONE } from "./calls.ts";
import { groupBy } from "./grouping.ts";
import { defineMeasure } from "./measure.ts";
import { quantile } from "./statistics.ts";

/** A failed attempt and the one that repeated it. */
export interface Retry {
  readonly from: number;
  readonly to: number;
  /** From the end of the failed attempt to the next send: what the client decided to wait. Can be negative in odd logs. */
  readonly gapMs: DurationMs;
  /** What the server asked for; null = no hint. */
  readonly hintMs: DurationMs | null;
  /** Guessed from timing, not told by ids. */
  readonly inferred: boolean;
}

/** Every repetition of a failed attempt, in order of the repeated send. */
export const retriesOf: (log: RequestLog) => readonly Retry[] = defineMeasure((log) => {
  const { attempts } = log;
  const calls = callsOf(log);
  const found: Retry[] = [];
  for (let row = 0; row < attempts.length; row++) {
    const from = calls.previous[row] ?? NONE;
    if (from === NONE) continue;
    const hint = attempts.retryAfterMs[from] ?? NOT_TOLD;
    found.push({
      from,
      to: row,
      gapMs: (attempts.sentMs[row] ?? 0) - endMs(attempts, from),
      hintMs: hint === NOT_TOLD ? null : hint,
      inferred: attempts.call[row] === 0,
    });
  }
  return found;
});

/** Retries after a failure that can pass later. */
export const transientRetries: (log: RequestLog) => readonly Retry[] = defineMeasure((log) =>
  retriesOf(log).filter((retry) => isRetryable(log.attempts, retry.from)),
);

/** A hint in whole seconds was rounded up by as much as this: a client that knows the exact wait comes a little sooner. */
const ROUNDING: DurationMs = 1_000;
/** Waits that differ by less than this part of their median are one setting, whatever the server said. */
const SAME_WAIT = 0.1;
const LEAST_RETRIES = 5;
/** A wait that no server asks for. */
const AT_ONCE: DurationMs = 50;

/**
 * How much sooner than the server asked a retry came, ms; negative = later. Hints in whole seconds are granted their
 * rounding, except to a client that waits the same whatever the hint, or not at all: it does not listen. A log whose times are whole seconds is
 * granted one as well. An attempt that was sent before its predecessor ended could not know the hint and is left out.
 */
export const earliness: (log: RequestLog) => ReadonlyMap<Retry, DurationMs> = defineMeasure((log) => {
  const early = new Map<Retry, DurationMs>();
  const hinted = transientRetries(log).filter((retry) => (retry.hintMs ?? 0) > 0 && retry.gapMs >= 0);
  const clockMs = log.attempts.sentMs.every((ms) => ms % 1_000 === 0) ? 1_000 : 0;
  for (const own of groupBy(hinted, (retry) => ownerOf(log, retry)).values()) {
    const gaps = own.map((retry) => retry.gapMs);
    const spread = (quantile(gaps, 0.9) ?? 0) - (quantile(gaps, 0.1) ?? 0);
    const usual = quantile(gaps, 0.5) ?? 0;
    // One hint and one wait can be a client that knows the exact time behind the rounded hint.
    const knowsNothing = new Set(own.map((retry) => retry.hintMs)).size > 1 || usual < AT_ONCE;
    const isFixed = own.length >= LEAST_RETRIES && knowsNothing && spread <= SAME_WAIT * usual;
    for (const retry of own) {
      const hint = retry.hintMs ?? 0;
      const rounding = !isFixed && hint % 1_000 === 0 ? ROUNDING : 0;
      early.set(retry, hint - rounding - clockMs - retry.gapMs);
    }
  }
  return early;
});

/** Whose retry it is: the bucket and the agent, as one number. */
export function ownerOf(log: RequestLog, retry: Retry): number {
  return bucketAt(log, retry.to) * log.agents.length + (log.attempts.agent[retry.to] ?? 0);
}

/**
 * None of this agent's failures that can pass was ever repeated, while somebody else's were. False where the log tells
 * neither calls nor attempt numbers: a guess cannot show that something never happened.
 */
export function neverRetries(log: RequestLog, agent: number): boolean {
  if (agent === 0 || (!log.facts.calls.present && !log.facts.attempts.present)) return false;
  const agents = new Set(transientRetries(log).map((retry) => log.attempts.agent[retry.to]));
  return agents.size > 0 && !agents.has(agent);
}
