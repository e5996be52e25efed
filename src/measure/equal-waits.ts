import type { RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import { isThrottled } from "./attempts.ts";
import { callsOf } from "./calls.ts";
import { groupBy } from "./grouping.ts";
import { defineMeasure } from "./measure.ts";
import { ownerOf, type Retry, transientRetries } from "./retries.ts";
import { quantile } from "./statistics.ts";

/** Fewer waits than this are equal by chance. */
const LEAST_WAITS = 4;
/** Timers and networks move a wait by as much. */
const TIMER: DurationMs = 50;
/** Of the wait. The least jitter that common clients use draws from a quarter of it, so their waits differ by a fifth. */
const EQUAL = 0.05;

/**
 * Retries whose wait is not random. The waits of one client are compared with each other, all together, by attempt number,
 * and as what is left over the server's hint; where the middle 80 % of them differ by no more than a timer does, the
 * client draws nothing. In order of sending.
 *
 *   equal     2.00 2.01 2.00 2.03     4.00 4.01 4.00        10.0 (asked 10)  12.0 (asked 12)
 *   jitter    1.31 0.42 1.90 1.02     0.38 0.51 0.44        10.4 (asked 10)  13.9 (asked 12)
 */
export const equalWaits: (log: RequestLog) => readonly Retry[] = defineMeasure((log) => {
  const refused = transientRetries(log).filter(
    (retry) => isThrottled(log.attempts, retry.from) && retry.gapMs > 0,
  );
  const equal = new Set<Retry>();
  for (const own of groupBy(refused, (retry) => ownerOf(log, retry)).values()) {
    const byNumber = groupBy(own, (retry) => numberOf(log, retry));
    for (const group of [own, ...byNumber.values()])
      if (areEqual(group)) for (const retry of group) equal.add(retry);
  }
  return refused.filter((retry) => equal.has(retry));
});

/** Which attempt of the call it is, as far as the log tells. */
function numberOf(log: RequestLog, retry: Retry): number {
  const calls = callsOf(log);
  const told = log.attempts.attempt[retry.to] ?? 0;
  if (told > 0) return told;
  let number = 1;
  for (let row = retry.from; row >= 0; row = calls.previous[row] ?? -1) number++;
  return number;
}

function areEqual(retries: readonly Retry[]): boolean {
  if (retries.length < LEAST_WAITS) return false;
  const waits = retries.map((retry) => retry.gapMs);
  // Guessed pairs are matched in order, which evens their waits out: only a machine's precision counts there.
  const isGuessed = retries.some((retry) => retry.inferred);
  const allowed = isGuessed ? TIMER : Math.max(TIMER, EQUAL * (quantile(waits, 0.5) ?? 0));
  if (spread(waits) <= allowed) return true;
  const hinted = retries.every((retry) => (retry.hintMs ?? 0) > 0);
  return hinted && spread(retries.map((retry) => retry.gapMs - (retry.hintMs ?? 0))) <= allowed;
}

/** Of the middle 80 %: strays are another client with the same name. */
function spread(values: readonly number[]): DurationMs {
  return (quantile(values, 0.9) ?? 0) - (quantile(values, 0.1) ?? 0);
}
