import type { Dimension, Outcome } from "../model/outcome.ts";
import type { AttemptRecord } from "../model/record.ts";
import { type ErrorFacts, errorFacts } from "./error-facts.ts";
import { type ErrorRule, matchError } from "./error-rules.ts";
import { meantStatus } from "./meant-status.ts";

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
  const answered = (record.outputTokens ?? 0) > 0;
  if (record.errorType === null && record.errorCode === null && record.errorMessage === null) {
    if (record.status === null) return plain(answered ? "ok" : "timeout");
    if (record.status < 400) return plain("ok");
  }
  const facts = errorFacts(record);
  if (record.status === null && facts.text === "" && facts.names.length === 0)
    return plain(answered ? "ok" : "timeout");
  const status = meantStatus(facts, answered);
  // Without any status only the particular sentences of the provider count: common words occur everywhere.
  const rule =
    matchError(rules, status, facts) ?? (status === null ? null : matchError(common, status, facts));
  if (rule === null) return plain(byStatus(status, facts));
  const { outcome, dimension } = rule;
  const hasDimension = outcome === "throttled" || outcome === "acceleration";
  return hasDimension && dimension !== undefined ? { outcome, dimension } : plain(outcome);
}

function plain(outcome: Outcome): Meaning {
  return { outcome, dimension: "unknown" };
}

const TIMEOUTS: ReadonlySet<number> = new Set([408, 504, 522, 524]);
const OVERLOADS: ReadonlySet<number> = new Set([498, 503, 529]);

/** What a status means by itself. */
function byStatus(status: number | null, facts: ErrorFacts): Outcome {
  // An error that nobody knows, with no response told: the call failed, and could pass another time.
  if (status === null) return "server-error";
  // A success that names an error failed after its first byte. One with a mere remark is a success.
  if (status < 400) return facts.namesError ? "server-error" : "ok";
  if (status === 429) return "throttled";
  if (status === 402) return "quota";
  if (status === 499) return "cancelled";
  if (status === 424 || (status >= 500 && !TIMEOUTS.has(status) && !OVERLOADS.has(status)))
    return "server-error";
  if (TIMEOUTS.has(status)) return "timeout";
  return OVERLOADS.has(status) ? "overloaded" : "permanent";
}
