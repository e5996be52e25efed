import type { RequestLog, Wait } from "../model/log.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";
import { type CallChain, type ChainFinder, createChainFinder } from "./chains.ts";
import { groupBy } from "./grouping.ts";
import { defineMeasure } from "./measure.ts";

/** A wait that ended without an answer, and why. */
export interface GivenUpWait {
  readonly wait: Wait;
  readonly gaveUpMs: EpochMs;
  /** Its own timeout ended it; false = it was cancelled or failed earlier, by what happened above or below. */
  readonly timedOut: boolean;
  /** The waits below it on the way to `bottom`: review waits for code, deploy waits for review. Nearest first. */
  readonly below: readonly Wait[];
  /** The agent at the bottom of the chain: the one whose calls were awaited in the end. */
  readonly bottom: string;
  /** The call that held the waiter up longest; null = nothing was refused below: something else was slow. */
  readonly chain: CallChain | null;
  /** The refused calls that delayed it: itself, and those that had to end before it began. */
  readonly refused: readonly CallChain[];
  /** How long this waiter would have had to wait; null without a chain. */
  readonly neededMs: DurationMs | null;
  /** Of `neededMs`, what the refusals cost: without them it would have been `neededMs - lostMs`. */
  readonly lostMs: DurationMs;
  /** Last attempts of the calls that had no success yet, and get none because the waiter stopped. */
  readonly cutOff: readonly number[];
}

/** A client that reports its own timeout as an error ends within this part of it. */
const ABOUT = 0.05;

/** By start of the wait. */
export const givenUpWaits: (log: RequestLog) => readonly GivenUpWait[] = defineMeasure((log) => {
  const given = log.waits.filter((wait) => wait.outcome !== "ok");
  if (given.length === 0) return [];
  const pathsBelow = createPathFinder(log.waits);
  const chains = createChainFinder(log);
  return given.map((wait) => explain(wait, pathsBelow(wait), chains));
});

function explain(wait: Wait, paths: readonly Path[], chains: ChainFinder): GivenUpWait {
  const gaveUpMs = endOf(wait);
  const held = paths.flatMap((path) => {
    // The stage below may have given up first, and its call been cut off then.
    const since = Math.min(gaveUpMs, ...path.filter((one) => one.outcome !== "ok").map(endOf));
    const calls = chains(bottomOf(wait, path), wait, { from: since, to: gaveUpMs });
    return calls.open.map((chain) => ({ path, chain, calls }));
  });
  const latest = held.toSorted(
    (a, b) => b.chain.doneMs - a.chain.doneMs || byName(bottomOf(wait, a.path), bottomOf(wait, b.path)),
  );
  const worst = latest.find(({ chain, calls }) => calls.delayOf(chain).lostMs > 0);
  const timedOut = isTimedOut(wait);
  // A wait that failed with the call below did not cut it off.
  const isCause = timedOut || wait.outcome === "cancelled";
  const cutOff = held.flatMap(({ chain }) => (isCause && !chain.succeeded ? (chain.rows.at(-1) ?? []) : []));
  const common = { wait, gaveUpMs, timedOut, cutOff };
  if (worst === undefined) {
    const [deepest = []] = paths.toSorted(
      (a, b) => b.length - a.length || byName(bottomOf(wait, a), bottomOf(wait, b)),
    );
    const bottom = bottomOf(wait, deepest);
    return { ...common, below: deepest, bottom, chain: null, refused: [], neededMs: null, lostMs: 0 };
  }
  const { chain, path } = worst;
  const delay = worst.calls.delayOf(chain);
  const neededMs = chain.doneMs - wait.startMs;
  // A call that takes this long by itself would have kept the waiter waiting as well.
  const slowest = held.reduce(
    (most, one) => Math.max(most, one.chain.doneMs - one.chain.sentMs - one.calls.ownLostMs(one.chain)),
    0,
  );
  const aloneMs = Math.max(neededMs - delay.lostMs, slowest);
  return {
    ...common,
    below: path,
    bottom: bottomOf(wait, path),
    chain,
    refused: delay.calls,
    neededMs,
    lostMs: Math.max(0, neededMs - aloneMs),
  };
}

function bottomOf(wait: Wait, path: Path): string {
  return (path.at(-1) ?? wait).waitsFor;
}

function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isTimedOut({ outcome, durationMs, timeoutMs }: Wait): boolean {
  if (outcome === "timeout") return true;
  return timeoutMs !== null && Math.abs(durationMs - timeoutMs) <= ABOUT * timeoutMs;
}

/** From the wait itself (an empty path) down to one that the awaited agent was in. */
type Path = readonly Wait[];

/** More paths than this come from a log that does not tell its runs; the first are as good as any. */
const MOST_PATHS = 64;

/** Follows "who does the awaited agent itself wait for" down, within the run and the time of the upper wait. */
function createPathFinder(waits: readonly Wait[]): (top: Wait) => readonly Path[] {
  const byWaiter = groupBy(waits, (wait) => wait.agent);
  const byWaiterAndRun = groupBy(waits, (wait) => `${wait.agent}\0${wait.run}`);
  const candidates = (agent: string, run: string): readonly Wait[] =>
    run === ""
      ? (byWaiter.get(agent) ?? [])
      : [...(byWaiterAndRun.get(`${agent}\0${run}`) ?? []), ...(byWaiterAndRun.get(`${agent}\0`) ?? [])];
  return (top) => {
    const paths: Wait[][] = [[]];
    for (let i = 0; i < paths.length && paths.length < MOST_PATHS; i++) {
      const path = paths[i] ?? [];
      const current = path.at(-1) ?? top;
      const above = new Set([top, ...path].map((wait) => wait.agent));
      for (const wait of candidates(current.waitsFor, top.run))
        if (paths.length < MOST_PATHS && !above.has(wait.waitsFor) && overlaps(wait, current))
          paths.push([...path, wait]);
    }
    return paths;
  };
}

function overlaps(a: Wait, b: Wait): boolean {
  return a.startMs <= endOf(b) && b.startMs <= endOf(a);
}

function endOf(wait: Wait): EpochMs {
  return wait.startMs + wait.durationMs;
}
