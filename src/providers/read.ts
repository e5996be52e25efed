import type { RateDimension } from "../model/outcome.ts";
import type { AttemptRecord } from "../model/record.ts";
import type { ErrorRule } from "./error-rules.ts";
import { retryHint } from "./hints.ts";
import { type LimitHeader, leftOf, messageLimit, statedLimits } from "./limit-headers.ts";
import { meaningOf } from "./outcomes.ts";
import type { Reading, StatedLimit } from "./provider.ts";

/** What sets one provider's dialect apart from another's. */
export interface Dialect {
  readonly errors: readonly ErrorRule[];
  /** Rules for any provider, tried after its own. */
  readonly common: readonly ErrorRule[];
  readonly limits: readonly LimitHeader[];
  /** In which of the token dimensions `remainingTokens` is told, best first. */
  readonly tokens: readonly RateDimension[];
  readonly orgHeader: string;
  readonly workspaceHeader: string;
}

/** One response in a provider's dialect. A success costs a few header lookups. */
export function readResponse(record: AttemptRecord, dialect: Dialect): Reading {
  const { outcome, dimension } = meaningOf(record, dialect.errors, dialect.common);
  const { headers } = record;
  const limits: StatedLimit[] = headers === null ? [] : statedLimits(headers, dialect.limits);
  const refused = outcome !== "ok";
  if (refused) {
    const stated = messageLimit(record.errorMessage);
    if (stated !== null && !limits.some((limit) => limit.dimension === stated.dimension)) limits.push(stated);
  }
  return {
    outcome,
    dimension,
    retryAfterMs: refused ? retryHint(record) : null,
    limits,
    remainingRequests: headers === null ? null : leftOf(headers, dialect.limits, ["requests"]),
    remainingTokens: headers === null ? null : leftOf(headers, dialect.limits, dialect.tokens),
    orgId: headers?.get(dialect.orgHeader) ?? null,
    workspaceId: headers?.get(dialect.workspaceHeader) ?? null,
  };
}
