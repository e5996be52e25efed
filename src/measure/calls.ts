import { type AttemptColumns, NOT_TOLD, type RequestLog } from "../model/log.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";
import { endMs, isOk, isRetryable } from "./attempts.ts";
import { defineMeasure } from "./measure.ts";

/** No further attempt of the same call. */
export const NONE = -1;

/** The logical calls: which attempts belong together, in order of sending. */
export interface Calls {
  readonly count: number;
  /** Attempt -> its call, 0 .. count-1, numbered by first attempt. */
  readonly of: Uint32Array;
  /** Attempt -> the next attempt of its call, or `NONE`. */
  readonly next: Int32Array;
  /** Attempt -> the one before it, or `NONE`. */
  readonly previous: Int32Array;
  /** Call -> its first and last attempt, and how many it has. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly size: Uint32Array;
  /** 1 = a repetition: not the first attempt of its call, even if the log begins after that one. */
  readonly repeated: Uint8Array;
  /** True when links had to be guessed from timing, because the log gives no call id. */
  readonly inferred: boolean;
}

/** By call id; where there is none, a failed attempt is joined with the send that fits its wait. Linear. */
export const callsOf: (log: RequestLog) => Calls = defineMeasure((log) => {
  const { attempts } = log;
  const next = new Int32Array(attempts.length).fill(NONE);
  const previous = new Int32Array(attempts.length).fill(NONE);
  const lastOfId = new Int32Array(maxOf(attempts.call) + 1).fill(NONE);
  const open = createOpenFailures(attempts);
  let inferred = false;
  for (let row = 0; row < attempts.length; row++) {
    const id = attempts.call[row] ?? 0;
    let before = NONE;
    if (id !== 0) {
      before = lastOfId[id] ?? NONE;
      lastOfId[id] = row;
      if (before !== NONE && !continues(attempts, before, row)) before = NONE;
    } else {
      before = open.take(row);
      if (before !== NONE) inferred = true;
      open.offer(row);
    }
    if (before === NONE) continue;
    next[before] = row;
    previous[row] = before;
  }
  return numbered(attempts, next, previous, inferred);
});

/** Some logs reuse an id, in another run or after a success: that is a new call. */
function continues(attempts: AttemptColumns, before: number, row: number): boolean {
  if (isOk(attempts, before)) return false;
  if (attempts.agent[before] !== attempts.agent[row] || attempts.run[before] !== attempts.run[row])
    return false;
  const [a, b] = [attempts.attempt[before] ?? 0, attempts.attempt[row] ?? 0];
  return a === 0 || b === 0 || b >= a;
}

function numbered(
  attempts: AttemptColumns,
  next: Int32Array,
  previous: Int32Array,
  inferred: boolean,
): Calls {
  const of = new Uint32Array(attempts.length);
  const repeated = new Uint8Array(attempts.length);
  let count = 0;
  for (let row = 0; row < attempts.length; row++) {
    const before = previous[row] ?? NONE;
    of[row] = before === NONE ? count++ : (of[before] ?? 0);
    repeated[row] = before !== NONE || (attempts.attempt[row] ?? 0) > 1 ? 1 : 0;
  }
  const first = new Uint32Array(count);
  const last = new Uint32Array(count);
  const size = new Uint32Array(count);
  for (let row = attempts.length - 1; row >= 0; row--) first[of[row] ?? 0] = row;
  for (let row = 0; row < attempts.length; row++) {
    const call = of[row] ?? 0;
    last[call] = row;
    size[call] = (size[call] ?? 0) + 1;
  }
  return { count, of, next, previous, first, last, size, repeated, inferred };
}

interface OpenFailures {
  /** The failed attempt that this send repeats, or `NONE`. */
  take(row: number): number;
  /** Remember a failed attempt that may be repeated. */
  offer(row: number): void;
}

interface Window {
  readonly row: number;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** A busy group is searched this deep only, so that a hostile log stays linear. */
const SEARCH_DEPTH = 256;
/** Sooner than its hint by more than this is not the client obeying it. */
const HINT_EARLY: DurationMs = 100;
/** Jitter on top of a hint: up to a quarter and two seconds. */
const HINT_LATE_SHARE = 1.25;
const HINT_LATE: DurationMs = 2_000;
/** Without a hint, the first repeat of the common clients comes 0.3 to 2.2 s later, doubling each time. */
const BACKOFF_FROM: DurationMs = 300;
const BACKOFF_TO: DurationMs = 2_200;
const BACKOFF_CAP: DurationMs = 60_000;
/** A numbered attempt needs no fit in time, only order. */
const NUMBERED_WITHIN: DurationMs = 3_600_000;

function createOpenFailures(attempts: AttemptColumns): OpenFailures {
  const groups = new Map<string, Window[]>();
  const depth = new Uint8Array(attempts.length);
  const keyOf = (row: number): string =>
    `${attempts.agent[row]}\0${attempts.run[row]}\0${attempts.origin[row]}`;
  return {
    take(row) {
      const number = attempts.attempt[row] ?? 0;
      const group = groups.get(keyOf(row));
      if (group === undefined || number === 1) return NONE;
      const sent = attempts.sentMs[row] ?? 0;
      while (group[0] !== undefined && group[0].to < sent) group.shift();
      const found = group.slice(0, SEARCH_DEPTH).findIndex((window) => {
        const before = attempts.attempt[window.row] ?? 0;
        return number > 1 && before > 0 ? before === number - 1 : sent >= window.from && sent <= window.to;
      });
      const [window] = found === -1 ? [] : group.splice(found, 1);
      if (window === undefined) return NONE;
      depth[row] = Math.min(255, (depth[window.row] ?? 0) + 1);
      return window.row;
    },
    offer(row) {
      if (!isRetryable(attempts, row)) return;
      const window = windowOf(attempts, row, depth[row] ?? 0);
      const group = groups.get(keyOf(row));
      if (group === undefined) groups.set(keyOf(row), [window]);
      else group.push(window);
    },
  };
}

function windowOf(attempts: AttemptColumns, row: number, repeats: number): Window {
  const end = endMs(attempts, row);
  if ((attempts.attempt[row] ?? 0) > 0) return { row, from: end, to: end + NUMBERED_WITHIN };
  const hint = attempts.retryAfterMs[row] ?? NOT_TOLD;
  if (hint > 0)
    return { row, from: end + hint * 0.95 - HINT_EARLY, to: end + hint * HINT_LATE_SHARE + HINT_LATE };
  const factor = 2 ** Math.min(repeats, 10);
  return {
    row,
    from: end + Math.min(BACKOFF_FROM * factor, BACKOFF_CAP / 2),
    to: end + Math.min(BACKOFF_TO * factor, BACKOFF_CAP),
  };
}

function maxOf(column: Uint32Array): number {
  let max = 0;
  for (const value of column) if (value > max) max = value;
  return max;
}
