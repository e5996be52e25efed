import type { ProblemCode } from "../model/log.ts";
import type { AttemptRecord, LogRecord } from "../model/record.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";

/** What became of one record. */
export type Reading = LogRecord | Undecided | Rejection;

/** A record that cannot be used, and why. */
export interface Rejection {
  readonly kind: "rejected";
  readonly code: ProblemCode;
  readonly detail: string;
}

export function rejected(code: ProblemCode, detail: string): Rejection {
  return { kind: "rejected", code, detail };
}

/** An attempt whose duration waits for the whole column to tell its unit. */
export interface Undecided {
  readonly kind: "undecided";
  readonly record: AttemptRecord;
  readonly bare: Bare;
}

/** When a record began and how long it took. */
export interface Timing {
  readonly kind: "timing";
  readonly sentMs: EpochMs;
  readonly durationMs: DurationMs | null;
  /** A duration without a unit; `durationMs` is null until the column tells it. */
  readonly bare: Bare | null;
}

export interface Bare {
  /** Seconds or milliseconds. */
  readonly value: number;
  /** Written with a fraction. */
  readonly fraction: boolean;
  /** `sentMs` is the end: the start lies one duration before it. */
  readonly fromEnd: boolean;
}
