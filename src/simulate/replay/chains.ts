import { groupBy } from "../../measure/grouping.ts";
import { lowerBound } from "../../measure/statistics.ts";
import type { DurationMs, EpochMs } from "../../model/time.ts";

/** What a chain is looked for in: calls in order of wanting. */
interface Timed {
  readonly agent: number;
  readonly wantedMs: EpochMs;
  readonly endMs: EpochMs;
}

type Link = { readonly index: number; readonly delayMs: DurationMs } | null;

/** A call that starts this soon after another of its agent ended, is taken to have waited for it. */
const SOON: DurationMs = 50;
/** An agent is a closed loop when so many of its calls start so. */
const CLOSED_SHARE = 0.8;
/** In dense traffic some call has always just ended: above this share by chance, closeness shows nothing. */
const CHANCE_SHARE = 0.4;

/**
 * Open or closed arrivals? For each call the one of the same agent whose end set it off, or null where calls come by
 * themselves. A closed loop that is delayed starts everything later; an open one does not. By agent, all or nothing.
 */
export function chainsIn(calls: readonly Timed[]): readonly Link[] {
  const links = calls.map((): Link => null);
  const agents = groupBy(calls.keys(), (i) => calls[i]?.agent ?? 0);
  for (const own of agents.values()) {
    const found = linksOf(calls, own);
    if (found.size < CLOSED_SHARE * (own.length - 1) || own.length < 5 || byChance(calls, own) > CHANCE_SHARE)
      continue;
    for (const [i, link] of found) links[i] = link;
  }
  return links;
}

/** Each end sets off one call at most: the first that starts within `SOON`. */
function linksOf(calls: readonly Timed[], own: readonly number[]): ReadonlyMap<number, Link> {
  const ends = own.map((i) => ({ i, endMs: calls[i]?.endMs ?? 0 })).toSorted((a, b) => a.endMs - b.endMs);
  const endTimes = ends.map((end) => end.endMs);
  const used = new Set<number>();
  const found = new Map<number, Link>();
  for (const i of own) {
    const wanted = calls[i]?.wantedMs ?? 0;
    for (let k = lowerBound(endTimes, wanted - SOON); k < ends.length && (endTimes[k] ?? 0) <= wanted; k++) {
      const before = ends[k]?.i ?? i;
      if (before === i || used.has(before)) continue;
      used.add(before);
      found.set(i, { index: before, delayMs: wanted - (endTimes[k] ?? wanted) });
      break;
    }
  }
  return found;
}

/** Probability that independent ends fall within `SOON` before a start. */
function byChance(calls: readonly Timed[], own: readonly number[]): number {
  const wanted = own.map((i) => calls[i]?.wantedMs ?? 0);
  const length = Math.max(1, Math.max(...own.map((i) => calls[i]?.endMs ?? 0)) - Math.min(...wanted));
  return 1 - Math.exp((-own.length * SOON) / length);
}
