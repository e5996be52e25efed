import type { Dimension, Outcome } from "../model/outcome.ts";
import type { AttemptRecord } from "../model/record.ts";

/** One way in which a provider says no. Tried in order; the first that fits decides. */
export interface ErrorRule {
  /** HTTP status; the log's must be equal, or not told. */
  readonly status: number;
  readonly type?: string;
  readonly code?: string;
  /** Lower-case fragments, one of which must occur in the text. */
  readonly texts?: readonly string[];
  /** What must fit beside the status; `status` = nothing else, but a type or code in the log must not contradict. */
  readonly match: "code" | "message" | "codeOrMessage" | "type" | "status";
  readonly outcome: Outcome;
  readonly dimension?: Dimension;
}

/** What a failed response says of itself, gathered from wherever the log put it. */
export interface ErrorFacts {
  readonly status: number | null;
  /** Types and codes, lower case: providers and loggers mix the two up. */
  readonly names: readonly string[];
  /** The message and, where it holds the body, the whole body; lower case. */
  readonly text: string;
}

const LONGEST_TEXT = 8_000;
const NAMED = /["']?(?:type|code|status|error_code|error_type)["']?\s*[:=]\s*["']([a-z0-9_.-]{2,80})["']/g;

export function errorFacts(record: AttemptRecord): ErrorFacts {
  const text = (record.errorMessage ?? "").slice(0, LONGEST_TEXT).toLowerCase();
  const named = [record.errorType, record.errorCode].flatMap((name) =>
    name === null ? [] : [name.toLowerCase()],
  );
  // A logger often writes the whole body, as JSON or as Python repr, where the message belongs.
  const quoted = text.includes("{") ? Array.from(text.matchAll(NAMED), (match) => match[1] ?? "") : [];
  return { status: record.status, names: [...named, ...quoted], text };
}

/** The first rule that fits; null = none. */
export function matchError(rules: readonly ErrorRule[], facts: ErrorFacts): ErrorRule | null {
  return (
    rules.find((rule) => (facts.status === null || rule.status === facts.status) && fits(rule, facts)) ?? null
  );
}

function fits(rule: ErrorRule, facts: ErrorFacts): boolean {
  const hasCode = rule.code !== undefined && facts.names.includes(rule.code);
  const hasText = (rule.texts ?? []).some((text) => facts.text.includes(text));
  switch (rule.match) {
    case "code":
      return hasCode;
    case "message":
      return hasText;
    case "codeOrMessage":
      return hasCode || hasText;
    case "type":
      return rule.type !== undefined && facts.names.includes(rule.type);
    case "status":
      // Without a status there is nothing to go by but the name.
      if (facts.status === null) return rule.type !== undefined && facts.names.includes(rule.type);
      return rule.type === undefined || !facts.names.some((name) => isOtherType(name, rule));
  }
}

const KNOWN_TYPES = new Set([
  "rate_limit_error",
  "overloaded_error",
  "billing_error",
  "insufficient_quota",
  "rate_limit_exceeded",
]);

/** A status like 400 may carry `rate_limit_error`: such a name contradicts the status, an unknown one does not. */
function isOtherType(name: string, rule: ErrorRule): boolean {
  return KNOWN_TYPES.has(name) && name !== rule.type && name !== rule.code;
}
