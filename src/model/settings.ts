import type { ToldLimit } from "./log.ts";
import type { Severity } from "./rule.ts";

/** How to diagnose: everything that flags and configuration can say about rules and limits. */
export interface Settings {
  /** Only these rules run; null = all. */
  readonly only: readonly string[] | null;
  readonly skip: readonly string[];
  /** `off`, or the severity that replaces the rule's own. */
  readonly levels: { readonly [rule: string]: Severity | "off" };
  /** rule -> option -> value. */
  readonly set: { readonly [rule: string]: { readonly [option: string]: number } };
  readonly limits: readonly ToldLimit[];
  /** A finding at or above this severity makes the exit code 1. */
  readonly failOn: Severity | "never";
  /** Share of rejected lines, 0..1, above which the log carries no diagnosis. */
  readonly maxInvalid: number;
  readonly allowEmpty: boolean;
  /** Background calls must be sent within this time, ms; null = they have no deadline, and aging is never proposed. */
  readonly backgroundDeadlineMs: number | null;
}

export const DEFAULT_SETTINGS: Settings = {
  only: null,
  skip: [],
  levels: {},
  set: {},
  limits: [],
  failOn: "error",
  maxInvalid: 0.05,
  allowEmpty: false,
  backgroundDeadlineMs: null,
};
