import type { RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import type { Incident } from "./incidents.ts";
import { lowerBound } from "./statistics.ts";
import { bucketTraffic } from "./traffic.ts";

/** Somebody who used a bucket around an incident. */
export interface Neighbour {
  /** Index into `log.agents`; 0 = untagged. */
  readonly agent: number;
  readonly name: string;
  /** Of its attempts in the incident; 0 where it sent none. */
  readonly throttled: number;
}

/** Whoever sent to the bucket this long before or after an incident shares the limit, even if it sent nothing meanwhile. */
const AROUND: DurationMs = 60_000;

/** All who used the bucket in an incident or within a minute of it; most refusals first, then by name. */
export function neighboursOf(log: RequestLog, incident: Incident): readonly Neighbour[] {
  const traffic = bucketTraffic(log)[incident.bucket];
  if (traffic === undefined) return [];
  const from = lowerBound(traffic.times, incident.from - AROUND);
  const to = lowerBound(traffic.times, incident.to + AROUND);
  const seen = new Set(Array.from(traffic.rows.subarray(from, to), (row) => log.attempts.agent[row] ?? 0));
  const throttled = new Map(incident.agents.map((one) => [one.agent, one.throttled]));
  return [...seen]
    .map(
      (agent): Neighbour => ({
        agent,
        name: log.agents[agent] ?? "",
        throttled: throttled.get(agent) ?? 0,
      }),
    )
    .toSorted((a, b) => b.throttled - a.throttled || (a.name < b.name ? -1 : 1));
}
