import { NOT_TOLD, type RequestLog, type Wait } from "../model/log.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";
import { endMs, isOk, isRetryable, isThrottled } from "./attempts.ts";
import { callsOf, NONE } from "./calls.ts";
import { defineMeasure } from "./measure.ts";
import { lowerBound, quantile } from "./statistics.ts";

/** What a waiter waited for, when retries were in the way. */
export interface RetryChain {
  /** The call that held the waiter up longest, as a call number. */
  readonly call: number;
  /** Its attempts within the chain, in order. */
  readonly rows: readonly number[];
  /** Refused or otherwise failed attempts that were worth repeating. */
  readonly refusals: number;
  /** Sum of the waits that the server asked for; where it gave no hint, of the waits that were made. */
  readonly waitMs: DurationMs;
  /** Sum of the attempts' own durations. */
  readonly serviceMs: DurationMs;
  /** When the call ended; where the log shows no success, when it would have at the earliest. */
  readonly doneMs: EpochMs;
  /** The log shows the success. */
  readonly succeeded: boolean;
}

/** A wait that ended without an answer, and why. */
export interface GivenUpWait {
  readonly wait: Wait;
  readonly gaveUpMs: EpochMs;
  /** The waits below it that were given up too: review waits for code, deploy waits for review. Nearest first. */
  readonly below: readonly Wait[];
  /** The agent at the bottom of the chain: the one whose calls were awaited in the end. */
  readonly bottom: string;
  /** null = nothing was refused below: the waiter was slowed by something else. */
  readonly chain: RetryChain | null;
  /** How long this waiter would have had to wait; null without a chain. */
  readonly neededMs: DurationMs | null;
  /** Of `neededMs`, what the refusals cost: without them it would have been `neededMs - lostMs`. */
  readonly lostMs: DurationMs;
}

/** By start of the wait. */
export const givenUpWaits: (log: RequestLog) => readonly GivenUpWait[] = defineMeasure((log) => {
  const given = log.waits.filter((wait) => wait.outcome !== "ok");
  const chainFor = createChainFinder(log);
  return given.map((wait): GivenUpWait => {
    const below = waitsBelow(given, wait);
    const bottomWait = below.at(-1) ?? wait;
    const chain = chainFor(bottomWait);
    const gaveUpMs = wait.startMs + wait.durationMs;
    const neededMs = chain === null ? null : chain.doneMs - wait.startMs;
    const lostMs =
      chain === null
        ? 0
        : chain.doneMs - firstSent(log, chain) - (chain.serviceMs - wastedService(log, chain));
    return { wait, gaveUpMs, below, bottom: bottomWait.waitsFor, chain, neededMs, lostMs };
  });
});

function firstSent(log: RequestLog, chain: RetryChain): EpochMs {
  return log.attempts.sentMs[chain.rows[0] ?? 0] ?? 0;
}

function wastedService(log: RequestLog, chain: RetryChain): DurationMs {
  return chain.rows
    .filter((row) => !isOk(log.attempts, row))
    .reduce((sum, row) => sum + Math.max(0, log.attempts.durationMs[row] ?? NOT_TOLD), 0);
}

/** Follows "who does the awaited agent itself wait for" down, within the run and the time of the upper wait. */
function waitsBelow(given: readonly Wait[], top: Wait): Wait[] {
  const found: Wait[] = [];
  const seen = new Set([top.agent]);
  let current = top;
  for (;;) {
    const next = given.find(
      (wait) =>
        wait.agent === current.waitsFor &&
        wait.run === current.run &&
        overlaps(wait, current) &&
        !seen.has(wait.agent),
    );
    if (next === undefined) return found;
    seen.add(next.agent);
    found.push(next);
    current = next;
  }
}

function overlaps(a: Wait, b: Wait): boolean {
  return a.startMs < b.startMs + b.durationMs + 1 && b.startMs < a.startMs + a.durationMs + 1;
}

/** Calls that began longer before the wait than this cannot be what it waited for. */
const LOOK_BACK: DurationMs = 3_600_000;

function createChainFinder(log: RequestLog): (wait: Wait) => RetryChain | null {
  const { attempts } = log;
  const calls = callsOf(log);
  const byOwner = new Map<string, number[]>();
  for (let call = 0; call < calls.count; call++) {
    const row = calls.first[call] ?? 0;
    for (const key of ownerKeys(
      log.agents[attempts.agent[row] ?? 0] ?? "",
      log.runs[attempts.run[row] ?? 0] ?? "",
    )) {
      const list = byOwner.get(key);
      if (list === undefined) byOwner.set(key, [call]);
      else list.push(call);
    }
  }
  const serviceMs = typicalService(log);
  return (wait) => {
    const owned = byOwner.get(ownerKey(wait.waitsFor, wait.run)) ?? [];
    const starts = owned.map((call) => attempts.sentMs[calls.first[call] ?? 0] ?? 0);
    const from = lowerBound(starts, wait.startMs - LOOK_BACK);
    const to = lowerBound(starts, wait.startMs + wait.durationMs);
    const chains = owned.slice(from, to).flatMap((call) => {
      const chain = chainOf(log, call, serviceMs);
      return chain.refusals > 0 && chain.doneMs > wait.startMs ? [chain] : [];
    });
    return chains.toSorted((a, b) => b.doneMs - a.doneMs)[0] ?? null;
  };
}

function ownerKey(agent: string, run: string): string {
  return `${agent}\0${run}`;
}

/** A wait that tells no run is matched with the calls of any run. */
function ownerKeys(agent: string, run: string): string[] {
  return run === "" ? [ownerKey(agent, "")] : [ownerKey(agent, run), ownerKey(agent, "")];
}

function chainOf(log: RequestLog, call: number, serviceMs: DurationMs): RetryChain {
  const { attempts } = log;
  const calls = callsOf(log);
  const rows: number[] = [];
  let [refusals, waitMs, service] = [0, 0, 0];
  for (let row = calls.first[call] ?? 0; row !== NONE; row = calls.next[row] ?? NONE) {
    rows.push(row);
    service += Math.max(0, attempts.durationMs[row] ?? NOT_TOLD);
    if (!isRetryable(attempts, row)) continue;
    const next = calls.next[row] ?? NONE;
    const made = next === NONE ? 0 : (attempts.sentMs[next] ?? 0) - endMs(attempts, row);
    const asked = attempts.retryAfterMs[row] ?? NOT_TOLD;
    refusals += isThrottled(attempts, row) ? 1 : 0;
    waitMs += asked === NOT_TOLD ? Math.max(0, made) : asked;
  }
  const last = rows.at(-1) ?? 0;
  const succeeded = isOk(attempts, last);
  // A call that was cut off after a refusal needs that wait and one more served attempt.
  const still = succeeded ? 0 : Math.max(0, attempts.retryAfterMs[last] ?? NOT_TOLD) + serviceMs;
  return {
    call,
    rows,
    refusals,
    waitMs,
    serviceMs: service + (succeeded ? 0 : serviceMs),
    doneMs: endMs(attempts, last) + still,
    succeeded,
  };
}

/** How long a served attempt usually takes here: the 95th percentile, since a timeout must cover the slow ones. */
function typicalService(log: RequestLog): DurationMs {
  const { attempts } = log;
  const served: number[] = [];
  for (let row = 0; row < attempts.length; row++) {
    const ms = attempts.durationMs[row] ?? NOT_TOLD;
    if (isOk(attempts, row) && ms !== NOT_TOLD) served.push(ms);
  }
  return quantile(served, 0.95) ?? 0;
}
