import type { RequestLog } from "../model/log.ts";
import type { EpochMs } from "../model/time.ts";
import { bucketAt } from "./attempts.ts";
import { groupBy } from "./grouping.ts";
import { type Incident, incidentsOf } from "./incidents.ts";
import { defineMeasure } from "./measure.ts";
import { isNegligible } from "./proportion.ts";
import { lowerBound } from "./statistics.ts";

interface Shelf {
  readonly starts: readonly EpochMs[];
  readonly incidents: readonly Incident[];
}

const shelvesOf: (log: RequestLog) => ReadonlyMap<number, Shelf> = defineMeasure((log) => {
  const shelves = new Map<number, Shelf>();
  for (const [bucket, incidents] of groupBy(incidentsOf(log), (incident) => incident.bucket))
    shelves.set(bucket, { incidents, starts: incidents.map((incident) => incident.from) });
  return shelves;
});

/** The incident in which an attempt was sent; null = its bucket refused nothing then. */
export function incidentAt(log: RequestLog, row: number): Incident | null {
  const shelf = shelvesOf(log).get(bucketAt(log, row));
  const sent = log.attempts.sentMs[row] ?? 0;
  const incident = shelf?.incidents[lowerBound(shelf.starts, sent + 1) - 1];
  return incident !== undefined && sent < incident.to ? incident : null;
}

/** The incidents of these attempts, most of the attempts first, then by start. */
export function incidentsAt(log: RequestLog, rows: readonly number[]): Incident[] {
  const counts = new Map<Incident, number>();
  for (const row of rows) {
    const incident = incidentAt(log, row);
    if (incident !== null) counts.set(incident, (counts.get(incident) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || a.from - b.from).map(([incident]) => incident);
}

/** All these attempts belong to normal operation: refusals that were few and passed later. */
export function areNegligible(log: RequestLog, incidents: readonly Incident[]): boolean {
  return incidents.every((incident) => isNegligible(log, incident));
}
