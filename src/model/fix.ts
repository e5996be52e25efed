import type { DurationMs } from "./time.ts";

/** A client token bucket, shared by all workers of its scope. */
export interface PaceFix {
  readonly kind: "pace";
  readonly scope: "agent" | "bucket";
  readonly agent?: string;
  readonly bucket: string;
  readonly ratePerMinute: number;
  readonly burst: number;
  readonly tokensPerMinute?: number;
}

export interface ShareFix {
  readonly kind: "share";
  readonly bucket: string;
  readonly agents: { readonly [name: string]: { readonly ratePerMinute: number; readonly burst: number } };
}

export interface PrioritiseFix {
  readonly kind: "prioritise";
  readonly bucket: string;
  readonly critical: readonly (string | number)[];
}

export interface AgeFix {
  readonly kind: "age";
  readonly bucket: string;
  readonly afterMs: DurationMs;
}

export interface RetryFix {
  readonly kind: "retry";
  readonly agent?: string;
  readonly bucket: string;
  readonly obeyRetryAfter: true;
  readonly baseMs: DurationMs;
  readonly factor: number;
  readonly capMs: DurationMs;
  readonly jitter: "full" | "equal" | "added";
  readonly jitterMs?: DurationMs;
  readonly maxAttempts: number;
}

export interface BreakFix {
  readonly kind: "break";
  readonly agent?: string;
  readonly bucket: string;
  readonly openAfter: number;
  readonly windowMs: DurationMs;
  readonly pauseMs: DurationMs;
}

export interface TimeoutFix {
  readonly kind: "timeout";
  readonly waiter: string;
  readonly waitsFor: string;
  readonly timeoutMs: DurationMs;
}

export interface ClassifyFix {
  readonly kind: "classify";
  readonly agent?: string;
  readonly transient: readonly number[];
  readonly permanent: readonly number[];
}

export interface SeparateFix {
  readonly kind: "separate";
  readonly agent: string;
  readonly from: string;
  readonly to: string;
}

export interface SpreadFix {
  readonly kind: "spread";
  readonly agents: readonly string[];
  /** Staggered start over this long, or a ramp. */
  readonly overMs:
    | DurationMs
    | { readonly startPerMinute: number; readonly growth: number; readonly everyMs: DurationMs };
}

export interface ShrinkFix {
  readonly kind: "shrink";
  readonly agent: string;
  readonly maxInputTokens: number;
}

/** Fixes without parameters that a program could apply; the advice is the text. */
export interface AdviceFix {
  readonly kind: "batch" | "tag" | "billing" | "raise-limit" | "one-retry-layer";
  readonly advice: string;
}

/** A proposed change as data: a rule that proposes one knows no simulator and no client stack. */
export type FixSpec =
  | PaceFix
  | ShareFix
  | PrioritiseFix
  | AgeFix
  | RetryFix
  | BreakFix
  | TimeoutFix
  | ClassifyFix
  | SeparateFix
  | SpreadFix
  | ShrinkFix
  | AdviceFix;

export type FixKind = FixSpec["kind"];
