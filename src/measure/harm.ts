import type { RequestLog } from "../model/log.ts";
import type { Harm } from "../model/rule.ts";
import { endMs, isOk, isThrottled } from "./attempts.ts";
import { callsOf, NONE } from "./calls.ts";

/**
 * What the refusals among these attempts cost. Lost is the time from a refused send to the next attempt of its call, or to
 * its own end where there is none; a call failed when its last attempt in the log did.
 */
export function harmOf(log: RequestLog, rows: Iterable<number>): Harm {
  const { attempts } = log;
  const { of, next, last } = callsOf(log);
  const failed = new Set<number>();
  let [refusals, lostMs] = [0, 0];
  for (const row of rows) {
    if (!isThrottled(attempts, row)) continue;
    refusals++;
    const again = next[row] ?? NONE;
    const until = again === NONE ? endMs(attempts, row) : (attempts.sentMs[again] ?? 0);
    lostMs += until - (attempts.sentMs[row] ?? 0);
    const call = of[row] ?? 0;
    if (!isOk(attempts, last[call] ?? row)) failed.add(call);
  }
  return { refusals, lostMs, failedCalls: failed.size };
}
