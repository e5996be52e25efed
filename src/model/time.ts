/** Whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** A length of time in whole milliseconds. */
export type DurationMs = number;

/** Half-open: `from` belongs to the span, `to` does not. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

export const SECOND_MS: DurationMs = 1_000;
export const MINUTE_MS: DurationMs = 60_000;
