import type { RequestLog } from "../model/log.ts";

/** What the log calls the failure, status first: `HTTP 429 insufficient_quota`. Both, since either alone misleads. */
export function errorNameAt(log: RequestLog, row: number): string {
  const status = log.attempts.status[row] ?? 0;
  const error = log.errors[log.attempts.error[row] ?? 0];
  const parts = [status === 0 ? "" : `HTTP ${status}`, error?.code || error?.type || ""];
  return parts.filter((part) => part !== "").join(" ") || "an error without a status";
}

/** The names of all these failures, most frequent first, then by name. */
export function errorNamesOf(log: RequestLog, rows: readonly number[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const name = errorNameAt(log, row);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
}
