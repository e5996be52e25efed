import type { FixKind } from "./fix.ts";
import type { FactId, InputSummary, Problem, ProblemCode } from "./log.ts";
import type { RateDimension } from "./outcome.ts";
import type { MeasuredNumber, Severity, Subject } from "./rule.ts";

/** Times are ISO 8601 UTC with milliseconds, durations `...Ms`, shares 0..1. Key order is the order here. */
export interface Report {
  readonly schemaVersion: 1;
  readonly tool: { readonly name: "why429"; readonly version: string };
  readonly verdict: ReportVerdict;
  readonly inputs: readonly ReportInput[];
  /** The first 20 of each code. */
  readonly problems: readonly Problem[];
  /** All of each code. */
  readonly problemTotals: { readonly [C in ProblemCode]?: number };
  readonly span: { readonly from: string; readonly to: string } | null;
  readonly facts: {
    readonly present: readonly FactId[];
    readonly missing: readonly { readonly fact: FactId; readonly because: string }[];
  };
  readonly buckets: readonly ReportBucket[];
  readonly agents: readonly ReportAgent[];
  readonly incidents: readonly ReportIncident[];
  readonly findings: readonly ReportFinding[];
  readonly verdicts: readonly ReportRuleVerdict[];
  readonly exitCode: 0 | 1 | 2 | 3;
}

export interface ReportVerdict {
  readonly status: "clear" | "findings" | "inconclusive";
  readonly headline: string;
}

/** The accounting of one input, as the reader gave it. */
export type ReportInput = InputSummary;

export interface ReportLimit {
  readonly dimension: RateDimension;
  readonly perMinute: number;
  /** null = nothing in the log tells the bucket's capacity. */
  readonly burst: number | null;
  readonly source: "config" | "headers" | "preset" | "inferred";
}

export interface ReportBucket {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly limits: readonly ReportLimit[];
  readonly attempts: number;
  readonly calls: number;
  readonly throttled: number;
  readonly peakPerSecond: number;
  readonly peakPerMinute: number;
  /** Attempts that were refused: sent for nothing. */
  readonly wastedAttempts: number;
}

export interface ReportAgent {
  /** Empty = attempts without a tag. */
  readonly name: string;
  readonly bucket: string;
  readonly attempts: number;
  readonly calls: number;
  readonly throttled: number;
  /** Calls whose last attempt failed. */
  readonly failed: number;
  readonly shareOfAttempts: number;
  /** null = the log tells no tokens. */
  readonly shareOfTokens: number | null;
  readonly peakPerMinute: number;
  /** Of successful attempts; null = no durations told. Nearest rank. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly series: {
    readonly fromMs: number;
    readonly stepMs: number;
    readonly sent: readonly number[];
    readonly throttled: readonly number[];
  };
}

export interface ReportCascadeStep {
  readonly agent: string;
  readonly role: "cause" | "carrier" | "victim";
  readonly what: string;
  readonly at: string;
  readonly evidence: ReportEvidence;
}

export interface ReportIncident {
  readonly id: string;
  readonly bucket: string;
  readonly from: string;
  readonly to: string;
  readonly attempts: number;
  readonly throttled: number;
  /** Attempts per minute in the minute before the first refusal; null = the log starts later. */
  readonly rateBefore: number | null;
  /** Attempts per minute in the busiest 30 s of the incident. */
  readonly rateAfterFirst429: number;
  readonly agents: readonly string[];
  readonly cascade: readonly ReportCascadeStep[];
  /** All fixes for this incident that a replay can play, at once; null = none can. */
  readonly together: ReportEffect | null;
}

export interface ReportEvidence {
  readonly source: string;
  readonly line: number;
  readonly ts: string;
  readonly note: string;
}

/** Of the calls of one incident. */
export interface EffectNumbers {
  readonly throttled: number;
  readonly attempts: number;
  /** Calls that were given up. */
  readonly failed: number;
  readonly totalMs: number;
  readonly criticalMs: number | null;
  readonly waitP95Ms: number;
}

export interface ReportEffect {
  readonly before: EffectNumbers;
  readonly after: EffectNumbers;
  /** |predicted - observed| / observed refusals, of the replay with the behaviour seen in the log. */
  readonly backtestError: number;
}

export interface ReportFix {
  readonly kind: FixKind;
  readonly summary: string;
  readonly parameters: { readonly [name: string]: unknown };
  readonly snippets: readonly { readonly stack: string; readonly code: string }[];
  readonly effect: ReportEffect | null;
  /** Present exactly when `effect` is null. */
  readonly notSimulatedBecause?: string;
}

export interface ReportFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly subject: Subject;
  readonly incident?: string;
  readonly title: string;
  readonly message: string;
  readonly numbers: { readonly [name: string]: MeasuredNumber };
  readonly evidence: readonly ReportEvidence[];
  readonly fixes: readonly ReportFix[];
  /** Hash of rule, subject and cause: no times, counts, lines or file names. */
  readonly fingerprint: string;
  readonly suppressed?: { readonly by: string; readonly reason: string };
}

export interface ReportRuleVerdict {
  readonly rule: string;
  readonly outcome: "found" | "clear" | "unknown" | "not-applicable" | "error";
  readonly because: string;
}
