import type { Outcome } from "../../../src/model/outcome.ts";
import type { EndedCall, Journal, SentAttempt } from "./journal.ts";

const REFUSED: ReadonlySet<Outcome> = new Set(["throttled", "acceleration", "daily"]);
const MINUTE_MS = 60_000;

/** Refused by a limit of the server, for whatever it counts. */
export function isRefused({ outcome }: SentAttempt): boolean {
  return REFUSED.has(outcome);
}

export function refusedOf(attempts: readonly SentAttempt[]): SentAttempt[] {
  return attempts.filter(isRefused);
}

export function by(agent: string): (one: { readonly agent: { readonly name: string } }) => boolean {
  return (one) => one.agent.name === agent;
}

export function share<T>(list: readonly T[], is: (one: T) => boolean): number {
  return list.length === 0 ? 0 : list.filter(is).length / list.length;
}

export function firsts(attempts: readonly SentAttempt[]): SentAttempt[] {
  return attempts.filter(({ attempt }) => attempt === 1);
}

/** Attempts sent in [fromMs, toMs). */
export function within(attempts: readonly SentAttempt[], fromMs: number, toMs: number): SentAttempt[] {
  return attempts.filter(({ sentMs }) => sentMs >= fromMs && sentMs < toMs);
}

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly attempts: readonly SentAttempt[];
  readonly refused: number;
}

/** Stretches of refusals on one server without a gap of more than a minute or the longest hint. */
export function incidentsOf(truth: Journal, server: string): Stretch[] {
  const attempts = truth.attempts
    .filter((one) => one.agent.server === server)
    .toSorted((a, b) => a.sentMs - b.sentMs);
  const refused = refusedOf(attempts);
  const longest = refused.reduce((most, { hintMs }) => Math.max(most, hintMs ?? 0), 0);
  const gapMs = Math.max(MINUTE_MS, longest);
  const spans: { fromMs: number; toMs: number; refused: number }[] = [];
  for (const { sentMs, endMs } of refused) {
    const last = spans.at(-1);
    if (last === undefined || sentMs - last.toMs > gapMs)
      spans.push({ fromMs: sentMs, toMs: endMs, refused: 1 });
    else {
      last.toMs = Math.max(last.toMs, endMs);
      last.refused++;
    }
  }
  return spans.map((span) => ({ ...span, attempts: within(attempts, span.fromMs, span.toMs + 1) }));
}

/** All attempts in incidents of one server. */
export function inIncidents(truth: Journal, server: string): SentAttempt[] {
  return incidentsOf(truth, server).flatMap(({ attempts }) => attempts);
}

/** Attempts of each call, in order. */
export function chainsOf(truth: Journal): ReadonlyMap<string, readonly SentAttempt[]> {
  const chains = new Map<string, SentAttempt[]>();
  for (const attempt of truth.attempts) {
    const chain = chains.get(attempt.callId);
    if (chain === undefined) chains.set(attempt.callId, [attempt]);
    else chain.push(attempt);
  }
  return chains;
}

export function failedOf(truth: Journal): EndedCall[] {
  return truth.calls.filter(({ outcome }) => outcome !== "ok");
}

/** Most attempts sent in any window of this length. */
export function peakOf(attempts: readonly SentAttempt[], windowMs: number): number {
  const times = attempts.map(({ sentMs }) => sentMs).toSorted((a, b) => a - b);
  let [most, left] = [0, 0];
  for (const [right, ms] of times.entries()) {
    while ((times[left] ?? ms) <= ms - windowMs) left++;
    most = Math.max(most, right - left + 1);
  }
  return most;
}

/** From the first arrival to the end of the last call, ms. */
export function totalMs({ calls }: Journal): number {
  if (calls.length === 0) return 0;
  const from = calls.reduce((least, { fromMs }) => Math.min(least, fromMs), Number.POSITIVE_INFINITY);
  return calls.reduce((most, { endMs }) => Math.max(most, endMs), 0) - from;
}

/** What a diagnosis of a world is compared with. */
export interface TruthNumbers {
  readonly attempts: number;
  readonly calls: number;
  readonly refusals: number;
  readonly failedCalls: number;
  readonly totalMs: number;
  readonly waitsTimedOut: number;
}

export function numbersOf(truth: Journal): TruthNumbers {
  return {
    attempts: truth.attempts.length,
    calls: truth.calls.length,
    refusals: refusedOf(truth.attempts).length,
    failedCalls: failedOf(truth).length,
    totalMs: totalMs(truth),
    waitsTimedOut: truth.waits.filter(({ outcome }) => outcome === "timeout").length,
  };
}
