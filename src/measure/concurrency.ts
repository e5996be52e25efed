import { NOT_TOLD, type RequestLog } from "../model/log.ts";
import type { DurationMs, Span } from "../model/time.ts";
import { endMs } from "./attempts.ts";

/** How many attempts of a set of rows were under way at once. */
export interface Concurrency {
  readonly peak: number;
  /** Share of the busy time (at least one in flight) with exactly 1, 2, ... peak in flight; index 0 = 1 in flight. */
  readonly shares: readonly number[];
  /** Time with at least one in flight, ms. */
  readonly busyMs: DurationMs;
}

const ALWAYS: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Half-open stretches [sent, end): one that ends as another starts is not beside it. Only what lies in `span`. O(n log n). */
export function concurrencyOf(log: RequestLog, rows: Uint32Array, span: Span = ALWAYS): Concurrency {
  const { sentMs } = log.attempts;
  const within = rows.filter((row) => {
    const sent = sentMs[row] ?? 0;
    return sent < span.to && (sent >= span.from || endMs(log.attempts, row) > span.from);
  });
  const starts = Float64Array.from(within, (row) => Math.max(span.from, sentMs[row] ?? 0)).toSorted();
  const ends = Float64Array.from(within, (row) => Math.min(span.to, endMs(log.attempts, row))).toSorted();
  const time: number[] = [];
  let level = 0;
  let last = starts[0] ?? 0;
  let [s, e] = [0, 0];
  while (e < ends.length) {
    const start = s < starts.length ? (starts[s] ?? 0) : Number.POSITIVE_INFINITY;
    const end = ends[e] ?? 0;
    const now = Math.min(start, end);
    if (level > 0) time[level - 1] = (time[level - 1] ?? 0) + (now - last);
    last = now;
    // At one instant ends come first, except that of an attempt without duration: it must start before it can end.
    if (end <= start && level > 0) {
      level--;
      e++;
    } else {
      level++;
      s++;
    }
  }
  const busyMs = time.reduce((sum, ms) => sum + (ms ?? 0), 0);
  const shares = Array.from(time, (ms) => (busyMs > 0 ? (ms ?? 0) / busyMs : 0));
  return { peak: shares.length, shares, busyMs };
}

/**
 * Of the sends in `span` that brought the number in flight to `cap`, the share that came at most `withinMs` after an end of
 * the same rows: a slot that was freed and taken. 0 when none reached it. O(n log n).
 */
export function handoverShare(
  log: RequestLog,
  rows: Uint32Array,
  { cap, withinMs, span }: { readonly cap: number; readonly withinMs: DurationMs; readonly span: Span },
): number {
  const { sentMs } = log.attempts;
  const ends = Float64Array.from(rows, (row) => endMs(log.attempts, row)).toSorted();
  let [ended, filled, handed] = [0, 0, 0];
  for (const [i, row] of rows.entries()) {
    const sent = sentMs[row] ?? 0;
    while (ended < ends.length && (ends[ended] ?? 0) <= sent) ended++;
    if (sent < span.from || sent >= span.to || i + 1 - ended !== cap) continue;
    filled++;
    if (ended > 0 && sent - (ends[ended - 1] ?? 0) <= withinMs) handed++;
  }
  return filled === 0 ? 0 : handed / filled;
}

/** A level in flight that somebody seems to be held at. */
export interface Plateau {
  readonly cap: number;
  /** Share of the busy time spent at it. */
  readonly flat: number;
}

export interface PlateauBounds {
  readonly minCap: number;
  readonly maxCap: number;
  readonly minFlat: number;
  /** Of the busy time of the whole stretch, above the level. */
  readonly maxAbove: number;
}

/**
 * The level at which most time is spent, in the whole stretch or else in its busiest part: later, when the work runs out or
 * waits to be retried, fewer are in flight, cap or no cap. null = none is within the bounds.
 */
export function plateauOf(whole: Concurrency, busiest: Concurrency, bounds: PlateauBounds): Plateau | null {
  const levels = [whole, busiest].map(({ shares }): Plateau => {
    const flat = Math.max(0, ...shares);
    return { cap: shares.indexOf(flat) + 1, flat };
  });
  const isCap = ({ cap, flat }: Plateau): boolean => {
    const above = whole.shares.slice(cap).reduce((sum, share) => sum + share, 0);
    const isSmall = cap >= bounds.minCap && cap <= bounds.maxCap;
    return isSmall && flat >= bounds.minFlat && above <= bounds.maxAbove;
  };
  return levels.find(isCap) ?? null;
}

/** The log tells queue times and they are all zero: nothing ever waited for a slot. */
export function neverQueued({ attempts }: RequestLog, rows: Uint32Array): boolean {
  const told = rows.filter((row) => (attempts.queuedMs[row] ?? NOT_TOLD) !== NOT_TOLD);
  return told.length > 0 && told.every((row) => attempts.queuedMs[row] === 0);
}
