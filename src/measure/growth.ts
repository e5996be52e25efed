import type { RequestLog } from "../model/log.ts";
import type { DurationMs } from "../model/time.ts";
import { callsOf } from "./calls.ts";
import type { Incident } from "./incidents.ts";
import { peakCount } from "./rates.ts";
import { countRows, share, timesOf } from "./traffic.ts";

/** How a bucket's sends changed once it began to refuse. */
export interface Growth {
  /** Attempts per minute before the first refusal. */
  readonly rateBefore: number;
  /** Attempts per minute in the busiest window from the first refusal on. */
  readonly ratePeak: number;
  /** The attempts of that window, and how many of them repeated an earlier one. */
  readonly rows: Uint32Array;
  readonly repeats: number;
  /** `ratePeak` / `rateBefore`. */
  readonly grown: number;
  /** What repeats are of the growth; 0 where nothing grew. */
  readonly repeatShare: number;
  /** Calls started in the busiest window, a minute, / `rateBefore`. */
  readonly newWork: number;
}

/**
 * The rate before an incident against its busiest window.
 *
 * A log that begins inside the incident has no "before": the calls that were started meanwhile are what would have been
 * sent, at least over a minute.
 */
export function growthIn(log: RequestLog, incident: Incident, windowMs: DurationMs): Growth {
  const { fromMs, value } = peakCount(timesOf(log, incident.rows), windowMs);
  const rows = incident.rows.filter((row) => {
    const sent = log.attempts.sentMs[row] ?? 0;
    return sent >= fromMs && sent < fromMs + windowMs;
  });
  const { repeated } = callsOf(log);
  const started = (incident.calls * 60_000) / Math.max(60_000, incident.to - incident.from);
  const rateBefore = incident.rateBefore ?? started;
  const perMinute = (count: number): number => (count * 60_000) / windowMs;
  const repeats = countRows(rows, (row) => repeated[row] === 1);
  return {
    rateBefore,
    ratePeak: perMinute(value),
    rows,
    repeats,
    grown: perMinute(value) / rateBefore,
    repeatShare: share(perMinute(repeats), perMinute(value) - rateBefore),
    newWork: perMinute(rows.length - repeats) / rateBefore,
  };
}

/** Attempts a call: 1 when nothing was repeated. A call counts if one of its attempts is among the rows. */
export function amplificationOf(log: RequestLog, rows: Uint32Array): number {
  const { of } = callsOf(log);
  const touched = new Set(Array.from(rows, (row) => of[row] ?? 0));
  return touched.size === 0 ? 1 : rows.length / touched.size;
}
