import type { RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import { defineMeasure } from "./measure.ts";
import { earliness, type Retry, transientRetries } from "./retries.ts";

/** How the repeats among some attempts waited. The first repeat without a hint is left out: there is nothing to hold it against. */
export interface Manners {
  /** Repeats that can be judged. */
  readonly judged: number;
  /** Sooner than the server asked; or without a hint and no further apart than the time before. */
  readonly unruly: number;
  /**
   * Of these, those that cannot be meant: sooner than a hint that the log shows, or at a fixed distance. The others may have
   * obeyed a hint that the log does not show.
   */
  readonly stubborn: number;
}

/** A wait without a hint that grew by less than this over the one before it does not back off. */
const GROWTH = 1.2;
/** Waits that differ by less than this part are one setting. */
const SAME_WAIT = 0.1;
/** Whoever waits this long between attempts loads nobody. */
const LONG_WAIT: DurationMs = 5_000;
/** A hint is taken for obeyed when it is missed by less than this part, or this much. */
const SLACK_SHARE = 0.05;
const SLACK: DurationMs = 100;

const retryTo: (log: RequestLog) => ReadonlyMap<number, Retry> = defineMeasure(
  (log) => new Map(transientRetries(log).map((retry) => [retry.to, retry])),
);

export function mannersOf(log: RequestLog, rows: Iterable<number>): Manners {
  const early = earliness(log);
  const retries = retryTo(log);
  let [judged, unruly, stubborn] = [0, 0, 0];
  for (const row of rows) {
    const retry = retries.get(row);
    if (retry === undefined) continue;
    const hint = retry.hintMs ?? 0;
    const before = retries.get(retry.from)?.gapMs;
    if (hint > 0) {
      judged++;
      const isEarly = (early.get(retry) ?? 0) > Math.max(SLACK_SHARE * hint, SLACK);
      unruly += isEarly ? 1 : 0;
      stubborn += isEarly ? 1 : 0;
    } else if (before !== undefined) {
      judged++;
      const isUnruly = retry.gapMs < Math.min(GROWTH * before, LONG_WAIT);
      unruly += isUnruly ? 1 : 0;
      stubborn += isUnruly && Math.abs(retry.gapMs - before) <= SAME_WAIT * before ? 1 : 0;
    }
  }
  return { judged, unruly, stubborn };
}
