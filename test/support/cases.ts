import type { FixKind } from "../../src/model/fix.ts";
import type { ToldLimit } from "../../src/model/log.ts";
import type { Severity } from "../../src/model/rule.ts";

/** A canonical record as a log line holds it; an `event` makes it a wait or an action. */
export type RecordInput = { readonly ts: string | number; readonly [field: string]: unknown };

export interface Case {
  /** An edge case begins with the option that it stands at: `minShare: just under`. */
  readonly name: string;
  readonly log: () => readonly RecordInput[];
  /** Thresholds that differ from their defaults. */
  readonly options?: { readonly [option: string]: number };
  /** Limits that the user would have told. */
  readonly told?: readonly ToldLimit[];
  readonly expect: {
    readonly outcome: "found" | "clear" | "unknown" | "not-applicable";
    /** Agents or waiters that the findings must name, in any order. */
    readonly agents?: readonly string[];
    /** Of the first finding. */
    readonly severity?: Severity;
    readonly message?: string;
    readonly fixKinds?: readonly FixKind[];
    /** Some of its numbers, worked by hand. */
    readonly numbers?: { readonly [name: string]: number };
    /** Some parameters of its first fix. */
    readonly fix?: { readonly [parameter: string]: unknown };
  };
}

/** What a rule is tried on: logs that must fire, look-alikes that must not, and both sides of each threshold. */
export interface RuleCases {
  readonly loud: readonly Case[];
  readonly quiet: readonly Case[];
  readonly edge: readonly Case[];
}
