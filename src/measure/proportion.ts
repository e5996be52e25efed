import type { RequestLog } from "../model/log.ts";
import { isOk, isThrottled } from "./attempts.ts";
import { callsOf } from "./calls.ts";
import type { Incident } from "./incidents.ts";
import { bucketTraffic } from "./traffic.ts";
import { givenUpWaits } from "./waits.ts";

/** Below this share of a bucket's attempts, refusals that all passed later are the price of using a limit well. */
const FEW = 0.01;

/**
 * Normal operation: the refusals are few, every refused call passed later, and nobody gave up waiting. Rules about load and
 * retries then say `info` at most.
 */
export function isNegligible(log: RequestLog, incident: Incident): boolean {
  const { attempts } = log;
  const total = bucketTraffic(log)[incident.bucket]?.rows.length ?? 0;
  if (incident.throttled >= FEW * total) return false;
  const calls = callsOf(log);
  const passed = incident.rows.every(
    (row) => !isThrottled(attempts, row) || isOk(attempts, calls.last[calls.of[row] ?? 0] ?? row),
  );
  return (
    passed &&
    !givenUpWaits(log).some((given) => given.chain?.rows.some((row) => incident.rows.includes(row)) === true)
  );
}
