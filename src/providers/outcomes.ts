import type { Dimension, Outcome } from "../model/outcome.ts";
import type { AttemptRecord } from "../model/record.ts";
import { type ErrorFacts, type ErrorRule, errorFacts, matchError } from "./error-rules.ts";

export interface Meaning {
  readonly outcome: Outcome;
  readonly dimension: Dimension;
}

/** How an attempt ended, by the provider's own rules first, then by those that hold for all. Body before status. */
export function meaningOf(
  record: AttemptRecord,
  rules: readonly ErrorRule[],
  common: readonly ErrorRule[],
): Meaning {
  if (record.local) return plain("local");
  const silent = record.errorType === null && record.errorCode === null && record.errorMessage === null;
  if (silent && record.status !== null && record.status >= 200 && record.status < 400) return plain("ok");
  if (silent && record.status === null) return plain((record.outputTokens ?? 0) > 0 ? "ok" : "timeout");
  const facts = errorFacts(record);
  const rule = matchError(rules, facts) ?? matchError(common, facts) ?? byName(facts);
  if (rule !== null) return { outcome: rule.outcome, dimension: rule.dimension ?? "unknown" };
  return plain(byStatus(facts));
}

function plain(outcome: Outcome): Meaning {
  return { outcome, dimension: "unknown" };
}

/** Words that name an outcome wherever they stand: types of SDK exceptions, and types under a status that contradicts them. */
const NAMES: readonly { readonly words: readonly string[]; readonly outcome: Outcome }[] = [
  { words: ["insufficient_quota", "billing_error", "billing_hard_limit_reached"], outcome: "quota" },
  {
    words: [
      "rate_limit_error",
      "rate_limit_exceeded",
      "ratelimiterror",
      "too_many_requests",
      "throttlingexception",
      "rate_limited",
    ],
    outcome: "throttled",
  },
  { words: ["overloaded_error", "server_is_overloaded", "overloaded"], outcome: "overloaded" },
  { words: ["cancelled", "canceled", "aborted", "aborterror", "cancellederror"], outcome: "cancelled" },
];
const TIMEOUT_WORDS = [
  "timeout",
  "timed_out",
  "timedout",
  "connectionerror",
  "connection_error",
  "econnreset",
  "etimedout",
  "connection reset",
];

function byName(facts: ErrorFacts): { outcome: Outcome; dimension?: Dimension } | null {
  const named = NAMES.find(({ words }) => facts.names.some((name) => words.includes(name)));
  if (named !== undefined) return named;
  const words = [...facts.names, facts.text.slice(0, 200)];
  const unanswered =
    facts.status === null && words.some((word) => TIMEOUT_WORDS.some((timeout) => word.includes(timeout)));
  return unanswered ? { outcome: "timeout" } : null;
}

function byStatus({ status, text }: ErrorFacts): Outcome {
  if (status === null)
    return /\b429\b.*(?:too many requests|rate limit)|rate limit(?:ed| reached| exceeded)/.test(
      text.slice(0, 500),
    )
      ? "throttled"
      : "timeout";
  if (status === 429) return "throttled";
  if (status === 408 || status === 504) return "timeout";
  if (status === 499) return "cancelled";
  if (status === 503 || status === 529) return "overloaded";
  if (status === 402) return "quota";
  if (status >= 500) return "server-error";
  if (status >= 400) return "permanent";
  // A success that carries an error text: nothing was understood of it, and the client got its answer.
  return "ok";
}
