import type { Dimension, Outcome } from "../model/outcome.ts";
import type { ErrorFacts } from "./error-facts.ts";

/** One way in which a provider says no. Rules are tried in order; the first that fits decides. */
export interface ErrorRule {
  /** HTTP status that the failure must have, or mean; absent = whatever it is. */
  readonly status?: number;
  /** Types or codes, lower case, one of which is enough: providers and loggers mix the two up. */
  readonly names?: readonly string[];
  /** Lower-case fragments of the text, one of which is enough. With neither names nor texts the status is enough. */
  readonly texts?: readonly string[];
  readonly outcome: Outcome;
  /** Kept for `throttled` and `acceleration` only. */
  readonly dimension?: Dimension;
}

/** The first rule that fits a failure of this status (null = the log tells none); null = none fits. */
export function matchError(
  rules: readonly ErrorRule[],
  status: number | null,
  facts: ErrorFacts,
): ErrorRule | null {
  for (const rule of rules) if (fits(rule, status, facts)) return rule;
  return null;
}

function fits({ status, names, texts }: ErrorRule, told: number | null, facts: ErrorFacts): boolean {
  if (status !== undefined && told !== null && status !== told) return false;
  if (names === undefined && texts === undefined) return status === told;
  return (
    (names?.some((name) => facts.names.includes(name)) ?? false) ||
    (texts?.some((fragment) => hasFragment(facts.text, fragment)) ?? false)
  );
}

/** A fragment that ends in a digit must end the number too: `limit: 0` is not in `limit: 0.5` nor in `limit: 05`. */
function hasFragment(text: string, fragment: string): boolean {
  const endsInDigit = isDigit(fragment.charAt(fragment.length - 1));
  for (let at = text.indexOf(fragment); at !== -1; at = text.indexOf(fragment, at + 1)) {
    if (!endsInDigit) return true;
    const end = at + fragment.length;
    const next = text.charAt(end);
    const goesOn = isDigit(next) || ((next === "." || next === ",") && isDigit(text.charAt(end + 1)));
    if (!goesOn) return true;
  }
  return false;
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}
