import type { RequestLog } from "../model/log.ts";
import type { RateDimension } from "../model/outcome.ts";
import { dimensionAt, isThrottled, outcomeAt } from "./attempts.ts";
import { groupBy } from "./grouping.ts";

/** A refusal that says which limit it hit: it names a dimension, a day or growth. */
export function tellsLimit(log: RequestLog, row: number): boolean {
  if (!isThrottled(log.attempts, row)) return false;
  return outcomeAt(log.attempts, row) !== "throttled" || dimensionAt(log.attempts, row) !== "unknown";
}

/**
 * The token dimension of each refusal that names one, in order. A refusal for growth or for a day is not this limit's, though
 * it may count tokens too.
 */
export function tokenRefusals(log: RequestLog, rows: Uint32Array): RateDimension[] {
  return Array.from(rows).flatMap((row) => {
    if (outcomeAt(log.attempts, row) !== "throttled") return [];
    const dimension = dimensionAt(log.attempts, row);
    return dimension === "tokens" || dimension === "input-tokens" || dimension === "output-tokens"
      ? [dimension]
      : [];
  });
}

/** The one that is named most; of equals the first; null of none. */
export function mostNamed(dimensions: readonly RateDimension[]): RateDimension | null {
  const byCount = [...groupBy(dimensions, (dimension) => dimension)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  return byCount[0]?.[0] ?? null;
}
