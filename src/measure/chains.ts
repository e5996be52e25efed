import { type AttemptColumns, NOT_TOLD, type RequestLog, type Wait } from "../model/log.ts";
import { OUTCOME } from "../model/outcome.ts";
import type { DurationMs, EpochMs, Span } from "../model/time.ts";
import { endMs, isOk, isRetryable } from "./attempts.ts";
import { callsOf, NONE } from "./calls.ts";
import { groupBy } from "./grouping.ts";
import { lowerBound, quantile } from "./statistics.ts";

/** One awaited call: its attempts, and what the refusals among them cost. */
export interface CallChain {
  /** Its attempts, in order. */
  readonly rows: readonly number[];
  readonly sentMs: EpochMs;
  /** When the call ended; where the log shows no success, when it would have at the earliest. */
  readonly doneMs: EpochMs;
  /** The log shows the success. */
  readonly succeeded: boolean;
  /** Attempts refused by a limit or an overloaded provider, for now. */
  readonly refusals: number;
  /** Sum of the waits that the server asked for; where it gave no hint, of the waits that were made. */
  readonly askedMs: DurationMs;
  /** Sum of the served attempts' own durations. */
  readonly serviceMs: DurationMs;
  /** From each refusal to the attempt that followed. */
  readonly lost: readonly Span[];
}

/** The calls that a waiter waited for. */
export interface AwaitedCalls {
  /** Those that were under way near the end of the wait. */
  readonly open: readonly CallChain[];
  /** What refusals cost a call since the wait began: its own, and those of calls that ended before it began. */
  delayOf(chain: CallChain): Delay;
  /** What its own refusals cost. */
  ownLostMs(chain: CallChain): DurationMs;
}

export interface Delay {
  readonly lostMs: DurationMs;
  /** The refused calls, the delayed one itself last. */
  readonly calls: readonly CallChain[];
}

/** @param span a call is open when it was under way at some time of it */
export type ChainFinder = (agent: string, wait: Wait, span: Span) => AwaitedCalls;

/** Calls that began longer before the wait than this cannot be what it waited for. */
const LOOK_BACK: DurationMs = 3_600_000;

export function createChainFinder(log: RequestLog): ChainFinder {
  const chainsOf = createChainBook(log);
  return (agent, wait, { from, to }) => {
    const { starts, chains } = chainsOf(agent, wait.run);
    const first = lowerBound(starts, wait.startMs - LOOK_BACK);
    const before = chains.slice(first, lowerBound(starts, to)).filter((one) => one.doneMs > wait.startMs);
    const since = (chain: CallChain, spans: readonly Span[]): DurationMs =>
      length(clipped(spans, wait.startMs, chain.doneMs));
    return {
      open: before.filter((chain) => chain.doneMs > from),
      delayOf(chain) {
        const earlier = before.filter(
          (other) => other.sentMs >= wait.startMs && other.doneMs <= chain.sentMs && other !== chain,
        );
        const calls = [...earlier, chain].filter((one) => one.refusals > 0);
        return {
          calls,
          lostMs: since(
            chain,
            calls.flatMap((one) => one.lost),
          ),
        };
      },
      ownLostMs: (chain) => since(chain, chain.lost),
    };
  };
}

interface Book {
  /** `sentMs` of each chain, ascending. */
  readonly starts: readonly EpochMs[];
  readonly chains: readonly CallChain[];
}

/** Chains by agent and run, made when first asked for: most agents of a log are never waited for. */
function createChainBook(log: RequestLog): (agent: string, run: string) => Book {
  const agents = new Map<string, (run: string) => Book>();
  return (agentName, runName) => {
    let bookOf = agents.get(agentName);
    if (bookOf === undefined) {
      bookOf = createBookOfAgent(log, log.agents.indexOf(agentName));
      agents.set(agentName, bookOf);
    }
    return bookOf(runName);
  };
}

/** A wait that tells no run is matched with any call of the agent, and a call that tells none with any wait. */
function createBookOfAgent(log: RequestLog, agent: number): (run: string) => Book {
  const { attempts } = log;
  const { first } = callsOf(log);
  const all: number[] = [];
  for (const [call, row] of first.entries()) if (agent > 0 && attempts.agent[row] === agent) all.push(call);
  const service = typicalService(log, all);
  const byRun = groupBy(all, (call) => log.runs[attempts.run[first[call] ?? 0] ?? 0] ?? "");
  const books = new Map<string, Book>();
  return (run) => {
    let book = books.get(run);
    if (book === undefined) {
      const own = run === "" ? all : [...(byRun.get(run) ?? []), ...(byRun.get("") ?? [])];
      const chains = own.toSorted((a, b) => a - b).map((call) => chainOf(log, call, service));
      book = { chains, starts: chains.map((chain) => chain.sentMs) };
      books.set(run, book);
    }
    return book;
  };
}

const REFUSALS: readonly number[] = [OUTCOME.throttled, OUTCOME.acceleration, OUTCOME.overloaded];

/** Refused for now: by a limit that refills within minutes, or by a provider without capacity. */
export function isRefusedForNow(attempts: AttemptColumns, row: number): boolean {
  return REFUSALS.includes(attempts.outcome[row] ?? 0);
}

function chainOf(log: RequestLog, call: number, typicalMs: DurationMs): CallChain {
  const { attempts } = log;
  const calls = callsOf(log);
  const rows: number[] = [];
  const lost: Span[] = [];
  let [refusals, askedMs, serviceMs] = [0, 0, 0];
  for (let row = calls.first[call] ?? 0; row !== NONE; row = calls.next[row] ?? NONE) {
    rows.push(row);
    if (!isRefusedForNow(attempts, row)) {
      serviceMs += endMs(attempts, row) - (attempts.sentMs[row] ?? 0);
      continue;
    }
    const next = calls.next[row] ?? NONE;
    const end = endMs(attempts, row);
    const hint = attempts.retryAfterMs[row] ?? NOT_TOLD;
    const until = next === NONE ? end + Math.max(0, hint) : (attempts.sentMs[next] ?? 0);
    refusals++;
    askedMs += hint === NOT_TOLD ? Math.max(0, until - end) : hint;
    lost.push({ from: attempts.sentMs[row] ?? 0, to: until });
  }
  const [first = 0, last = first] = [rows[0], rows.at(-1)];
  const restMs = restOf(log, last, typicalMs);
  return {
    rows,
    sentMs: attempts.sentMs[first] ?? 0,
    doneMs: endMs(attempts, last) + restMs,
    succeeded: isOk(attempts, last),
    refusals,
    askedMs,
    serviceMs: serviceMs + Math.min(restMs, typicalMs),
    lost,
  };
}

/** What a call that was cut off still needed: after a refusal that wait and a served attempt, in an attempt its rest. */
function restOf({ attempts }: RequestLog, last: number, typicalMs: DurationMs): DurationMs {
  const ranMs = endMs(attempts, last) - (attempts.sentMs[last] ?? 0);
  if (attempts.outcome[last] === OUTCOME.cancelled) return Math.max(0, typicalMs - ranMs);
  return isRetryable(attempts, last) ? Math.max(0, attempts.retryAfterMs[last] ?? NOT_TOLD) + typicalMs : 0;
}

/** How long a served attempt of these calls usually takes: the 95th percentile, since a timeout must cover the slow ones. */
function typicalService(log: RequestLog, calls: readonly number[]): DurationMs {
  const { attempts } = log;
  const { last } = callsOf(log);
  const served = calls.flatMap((call) => {
    const row = last[call] ?? 0;
    return isOk(attempts, row) ? [endMs(attempts, row) - (attempts.sentMs[row] ?? 0)] : [];
  });
  return quantile(served, 0.95) ?? 0;
}

function clipped(spans: readonly Span[], from: EpochMs, to: EpochMs): Span[] {
  return spans
    .map((span) => ({ from: Math.max(span.from, from), to: Math.min(span.to, to) }))
    .filter((span) => span.from < span.to);
}

/** Of the union: time in which several calls waited counts once. */
function length(spans: readonly Span[]): DurationMs {
  let [sum, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}
