import type { RequestLog } from "../model/log.ts";
import type { ReportEvidence } from "../model/report.ts";
import type { EvidenceRef } from "../model/rule.ts";
import type { EpochMs } from "../model/time.ts";

/** ISO 8601 in UTC with milliseconds. A time outside what a date can hold is printed as its number. */
export function isoTime(ms: EpochMs): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

/** A place that a reader can open, with when it was and why it matters. */
export function evidenceOf(log: RequestLog, ref: EvidenceRef): ReportEvidence {
  if ("attempt" in ref) {
    const { source, line, sentMs } = log.attempts;
    const row = ref.attempt;
    return place(log, source[row] ?? 0, line[row] ?? 0, sentMs[row] ?? 0, ref.note);
  }
  return place(log, ref.source, ref.line, ref.atMs, ref.note);
}

function place(log: RequestLog, source: number, line: number, atMs: EpochMs, note: string): ReportEvidence {
  return { source: log.inputs[source]?.source ?? "", line, ts: isoTime(atMs), note };
}
