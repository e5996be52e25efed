import type { DurationMs } from "../model/time.ts";
import { peakCount } from "./rates.ts";
import { quantile } from "./statistics.ts";

/**
 * Which token bucket would have accepted what was accepted and refused what was refused?
 *
 * For a rate r and a capacity b the level of the bucket is not known exactly, but it is known to lie between two bounds:
 *
 *   refill      both bounds rise by r x time, never above b
 *   accepted    the level was at least 1, so the lower bound is at least 1; then both fall by 1
 *   refused     the level was below 1, so the upper bound is at most 1
 *
 * An accepted send that finds the upper bound below 1, or a refused one that finds the lower bound at 1 or above, contradicts
 * (r, b). More capacity only helps the accepted and only hurts the refused, so for each rate the fitting capacities are an
 * interval, and two bisections find it.
 */
export interface InferredLimit {
  readonly perMinute: Interval;
  /** Requests that the full bucket holds. `high` is null when no send came after a pause long enough to fill it. */
  readonly burst: { readonly low: number; readonly best: number; readonly high: number | null };
  /** Clock skew between client and server that had to be granted, ms. */
  readonly slackMs: DurationMs;
  /** Sends that no bucket explains, of all looked at. */
  readonly contradictions: number;
  readonly events: number;
}

export interface Interval {
  readonly low: number;
  readonly best: number;
  readonly high: number;
}

/** A send and its fate, in order of time. */
export interface Admission {
  readonly atMs: number;
  readonly refused: boolean;
}

export type Inference =
  | { readonly known: true; readonly limit: InferredLimit }
  | { readonly known: false; readonly because: string };

/** Fewer refusals than this leave the rate open within a factor. */
const LEAST_REFUSALS = 10;
/** Enough to pin a rate to a percent, few enough to try a thousand buckets on. */
const MOST_EVENTS = 6_000;
const SLACKS_MS: readonly DurationMs[] = [0, 10, 50, 150, 400];
/** Share of sends that may contradict: sends whose order on the wire differed. */
const CONTRADICTIONS = 0.005;
/** The rate is looked for within this factor of what was accepted while refusals came. */
const SPREAD = 4;
const COARSE_STEPS = 240;
const ZOOMS = 3;
const ZOOM_ON = 5;
const ZOOM_STEPS = 16;
const SUMMARY_STEPS = 20;
const BISECTIONS = 34;
const EDGE_BISECTIONS = 20;

/** Fits a token bucket to accepted and refused requests of one bucket, ascending in time. */
export function inferLimit(all: readonly Admission[]): Inference {
  const refusals = all.filter((event) => event.refused).length;
  if (refusals < LEAST_REFUSALS)
    return {
      known: false,
      because: `${refusals} refusals are too few to fit a limit; ${LEAST_REFUSALS} are needed`,
    };
  const events = aroundRefusals(all);
  const guesses = [acceptedRate(events), busiestMinute(events)].filter((guess) => guess !== null);
  if (guesses.length === 0)
    return { known: false, because: "nothing was accepted, so the rate is not known" };
  for (const slackMs of SLACKS_MS) {
    for (const guess of guesses) {
      const fits = search(events, guess, slackMs);
      if (fits.length > 0) return { known: true, limit: summarise(events, fits, slackMs) };
    }
  }
  return { known: false, because: "no token bucket explains which requests passed and which were refused" };
}

/** From the last quiet stretch before the first refusal on, so that a filled bucket is in the picture. */
function aroundRefusals(all: readonly Admission[]): readonly Admission[] {
  const first = all.findIndex((event) => event.refused);
  const lead = Math.min(first, MOST_EVENTS / 3);
  // Within one millisecond the order on the wire is not known; that the accepted came first is the one that explains most.
  return all
    .slice(first - lead, first - lead + MOST_EVENTS)
    .toSorted((a, b) => a.atMs - b.atMs || Number(a.refused) - Number(b.refused));
}

/**
 * Accepted per ms over the stretches in which refusals follow each other closely: there the bucket is drained as it fills.
 * Closely = within five times the usual distance, so that the pauses between bursts do not count.
 */
function acceptedRate(events: readonly Admission[]): number | null {
  const refusedAt = events.filter((event) => event.refused).map((event) => event.atMs);
  const gaps = refusedAt.slice(1).map((atMs, i) => atMs - (refusedAt[i] ?? 0));
  const close = Math.max(1_000, 5 * (quantile(gaps, 0.5) ?? 0));
  let [accepted, time, since] = [0, 0, 0];
  let last: number | null = null;
  for (const event of events) {
    if (!event.refused) since++;
    else {
      if (last !== null && event.atMs - last <= close) {
        accepted += since;
        time += event.atMs - last;
      }
      last = event.atMs;
      since = 0;
    }
  }
  return accepted > 0 && time > 0 ? accepted / time : null;
}

/** Accepted per ms in the busiest minute: a bucket gives at most its capacity more than its rate. */
function busiestMinute(events: readonly Admission[]): number | null {
  const accepted = events.filter((event) => !event.refused).map((event) => event.atMs);
  const { value } = peakCount(accepted, 60_000);
  return value > 0 ? value / 60_000 : null;
}

interface Fit {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  readonly contradictions: number;
}

/** Rates that fit, from a coarse scan that zooms in on the best: the region that fits can be a thousandth of a step wide. */
function search(events: readonly Admission[], guess: number, slackMs: DurationMs): readonly Fit[] {
  let step = SPREAD ** (2 / COARSE_STEPS);
  let tried = around(guess, step, COARSE_STEPS).map((rate) => badness(events, rate, slackMs));
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    const wide = step;
    step **= 2 / ZOOM_STEPS;
    const best = tried.toSorted((a, b) => a.count - b.count || a.rate - b.rate).slice(0, ZOOM_ON);
    tried = [
      ...best,
      ...best.flatMap(({ rate }) =>
        around(rate, wide ** (2 / ZOOM_STEPS), ZOOM_STEPS).map((r) => badness(events, r, slackMs)),
      ),
    ];
  }
  const seed = tried.toSorted((a, b) => a.count - b.count || a.rate - b.rate)[0];
  if (seed === undefined || fitAt(events, seed.rate, slackMs).length === 0) return [];
  const low = edge(events, seed.rate, 1 / SPREAD, slackMs);
  const high = edge(events, seed.rate, SPREAD, slackMs);
  return logSteps(low, high, SUMMARY_STEPS).flatMap((rate) => fitAt(events, rate, slackMs));
}

/** How far the rate can move in one direction before it stops fitting. */
function edge(events: readonly Admission[], rate: number, factor: number, slackMs: DurationMs): number {
  let [fits, fails] = [rate, rate * factor];
  for (let i = 0; i < EDGE_BISECTIONS; i++) {
    const middle = Math.sqrt(fits * fails);
    if (fitAt(events, middle, slackMs).length > 0) fits = middle;
    else fails = middle;
  }
  return fits;
}

function around(rate: number, step: number, steps: number): number[] {
  return logSteps(rate / step ** (steps / 2), rate * step ** (steps / 2), steps);
}

function logSteps(from: number, to: number, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, i) => from * (to / from) ** (i / steps));
}

/** Contradictions at the smallest capacity that lets the accepted through. */
function badness(
  events: readonly Admission[],
  rate: number,
  slackMs: DurationMs,
): { rate: number; count: number } {
  const low = smallestCapacity(events, rate, slackMs);
  const { accepted, refused } = contradictions(events, rate, low, slackMs);
  return { rate, count: accepted + refused };
}

function fitAt(events: readonly Admission[], rate: number, slackMs: DurationMs): Fit[] {
  const allowed = slackMs === 0 ? 0 : events.length * CONTRADICTIONS;
  const low = smallestCapacity(events, rate, slackMs);
  const at = contradictions(events, rate, low, slackMs);
  if (at.accepted + at.refused > allowed) return [];
  const high = largestCapacity(events, rate, slackMs, low, at.refused);
  return [{ rate, low, high, contradictions: at.accepted + at.refused }];
}

function smallestCapacity(events: readonly Admission[], rate: number, slackMs: DurationMs): number {
  const floor = contradictions(events, rate, events.length + 1, slackMs).accepted;
  let [low, high] = [1, events.length + 1];
  if (contradictions(events, rate, low, slackMs).accepted <= floor) return low;
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2;
    if (contradictions(events, rate, middle, slackMs).accepted <= floor) high = middle;
    else low = middle;
  }
  return high;
}

/** Infinity when even an endless bucket would have refused the same: it was never given the time to fill. */
function largestCapacity(
  events: readonly Admission[],
  rate: number,
  slackMs: DurationMs,
  from: number,
  allowed: number,
): number {
  const fits = (capacity: number): boolean =>
    contradictions(events, rate, capacity, slackMs).refused <= allowed;
  let [low, high] = [from, events.length + 1];
  if (fits(high)) return Number.POSITIVE_INFINITY;
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** In tokens; wider than what the bisection of the capacity leaves open. */
const TOLERANCE = 1e-6;

function contradictions(
  events: readonly Admission[],
  rate: number,
  capacity: number,
  slackMs: DurationMs,
): { accepted: number; refused: number } {
  const slack = rate * slackMs;
  let [low, high] = [0, capacity];
  let [accepted, refused] = [0, 0];
  let last = events[0]?.atMs ?? 0;
  for (const event of events) {
    const gained = (event.atMs - last) * rate;
    last = event.atMs;
    // With slack, a refused send may have met the bucket a little earlier and an accepted one a little later.
    const lowest = Math.min(capacity, low + Math.max(0, gained - slack));
    const highest = Math.min(capacity, high + gained + slack);
    low = Math.min(capacity, low + gained);
    high = Math.min(capacity, high + gained);
    if (event.refused) {
      if (lowest > 1 - TOLERANCE) refused++;
      low = Math.min(low, 1);
      high = Math.min(high, 1);
    } else {
      if (highest < 1 - TOLERANCE) accepted++;
      high = Math.max(0, high - 1);
      low = Math.max(0, low - 1);
    }
  }
  return { accepted, refused };
}

/** The fitting region of (rate, capacity) as an interval each, and its centre of gravity as the best guess. */
function summarise(events: readonly Admission[], fits: readonly Fit[], slackMs: DurationMs): InferredLimit {
  const least = Math.min(...fits.map((fit) => fit.contradictions));
  const best = fits.filter((fit) => fit.contradictions === least);
  // A rate that leaves the capacity more room is the likelier one. An endless room says nothing: then all rates weigh alike.
  const weights = best.map((fit) => (Number.isFinite(fit.high) ? fit.high - fit.low + TOLERANCE : 1));
  const mean = (valueOf: (fit: Fit) => number): number =>
    best.reduce((sum, fit, i) => sum + valueOf(fit) * (weights[i] ?? 0), 0) /
    weights.reduce((sum, w) => sum + w, 0);
  const high = Math.max(...fits.map((fit) => fit.high));
  return {
    perMinute: {
      low: Math.min(...fits.map((fit) => fit.rate)) * 60_000,
      best: mean((fit) => fit.rate) * 60_000,
      high: Math.max(...fits.map((fit) => fit.rate)) * 60_000,
    },
    burst: {
      low: Math.min(...fits.map((fit) => fit.low)),
      best: mean((fit) => (Number.isFinite(fit.high) ? (fit.low + fit.high) / 2 : fit.low)),
      high: Number.isFinite(high) ? high : null,
    },
    slackMs,
    contradictions: least,
    events: events.length,
  };
}
