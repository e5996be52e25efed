import type { FixSpec } from "./fix.ts";
import type { FactId, RequestLog } from "./log.ts";

/** Worst first. */
export const SEVERITIES = ["error", "warning", "info"] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Units in which a number of a finding is stated; the words for them are made elsewhere. */
export type Unit =
  | "count"
  | "share"
  | "ratio"
  | "ms"
  | "per-minute"
  | "per-second"
  | "tokens"
  | "tokens-per-minute";

/** A threshold the user may set with `--set RULE.OPTION=VALUE`. */
export interface RuleOption {
  readonly default: number;
  readonly unit: Unit;
  /** Why this value and not another. */
  readonly reason: string;
}

export type OptionValues<Names extends string = string> = { readonly [N in Names]: number };

export interface MeasuredNumber {
  readonly value: number;
  readonly unit: Unit;
  /** The limit or threshold that `value` stands beside. */
  readonly limit?: number;
}

/** What a reader can open: a row of the log, or a wait or action record. */
export type EvidenceRef =
  | { readonly attempt: number; readonly note: string }
  | { readonly source: number; readonly line: number; readonly atMs: number; readonly note: string };

export interface Subject {
  readonly agent?: string;
  readonly bucket?: string;
  readonly key?: string;
  readonly waiter?: string;
}

/** How much the found thing hurt; findings are ranked by it within a severity. */
export interface Harm {
  /** Refused attempts it explains. */
  readonly refusals: number;
  /** Time lost to waiting and repeating, ms. */
  readonly lostMs: number;
  /** Calls that failed for good. */
  readonly failedCalls: number;
}

/** What a rule found, as data. The words come from `messages`, the severity (unless given) from the rule. */
export interface RuleFinding {
  /** Overrides the rule's severity, downward or upward, e.g. for a risk that did not strike yet. */
  readonly severity?: Severity;
  readonly subject: Subject;
  /** Id from the incidents measure. */
  readonly incident?: string;
  /** Key of `Rule.messages`. */
  readonly message: string;
  /** Every `{name}` of the message that is a number. */
  readonly numbers: { readonly [name: string]: MeasuredNumber };
  /** Every `{name}` of the message that is text: agents, buckets, lists. */
  readonly words?: { readonly [name: string]: string };
  readonly evidence: readonly EvidenceRef[];
  /** At least one. */
  readonly fixes: readonly FixSpec[];
  readonly harm: Harm;
}

/** Silence is not health: `clear` means looked and found nothing, `unknown` means the log cannot tell. */
export type Verdict =
  | { readonly outcome: "found"; readonly findings: readonly RuleFinding[]; readonly because: string }
  | { readonly outcome: "clear"; readonly because: string }
  | { readonly outcome: "unknown"; readonly because: string }
  | { readonly outcome: "not-applicable"; readonly because: string };

/**
 * One failing state that a log can show. A rule is synchronous and pure: it asks measures and returns data.
 * `Names` are its option names.
 */
export interface Rule<Names extends string = string> {
  /** Kebab-case noun phrase in the failing state; equal to its folder. */
  readonly id: string;
  /** Row of the symptom table, 1 to 6, for the six symptom rules. */
  readonly symptom?: 1 | 2 | 3 | 4 | 5 | 6;
  /** One line that states the failing state, without numbers. */
  readonly title: string;
  /** Why a reader should care. */
  readonly why: string;
  readonly severity: Severity;
  /** Missing any of these, the verdict is `unknown` and `check` is not called. */
  readonly needs: readonly FactId[];
  readonly options: { readonly [N in Names]: RuleOption };
  /** Templates with `{name}` for numbers and words of the finding. */
  readonly messages: { readonly [key: string]: string };
  // A method, not a function-valued property: parameters are then compared loosely enough that a Rule<"minShare"> is a Rule.
  check(log: RequestLog, options: OptionValues<Names>): Verdict;
}
