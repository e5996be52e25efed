import type { AttemptRecord } from "../model/record.ts";
import { COMMON_ERRORS } from "./common-errors.ts";
import type { ErrorRule } from "./error-rules.ts";
import { retryHint } from "./hints.ts";
import { type HeaderLimits, headerLimits, type LimitHeader, NO_LIMITS } from "./limit-headers.ts";
import { textLimit } from "./limit-texts.ts";
import { type Meaning, meaningOf } from "./outcomes.ts";
import type { Reading, StatedLimit } from "./provider.ts";

/** What sets one provider's dialect apart from another's. */
export interface Dialect {
  /** Tried before those that hold for all. */
  readonly errors: readonly ErrorRule[];
  /** Best first where two tell of the same dimension; input tokens before tokens. */
  readonly limits: readonly LimitHeader[];
  readonly orgHeader: string;
  readonly workspaceHeader: string;
}

/** One response in a provider's dialect. A success costs a few header lookups. */
export function readResponse(record: AttemptRecord, dialect: Dialect): Reading {
  const meaning = meaningOf(record, dialect.errors, COMMON_ERRORS);
  const { headers } = record;
  const told = headers === null ? NO_LIMITS : headerLimits(headers, dialect.limits);
  const { outcome } = meaning;
  const isRefused = outcome !== "ok";
  return {
    outcome,
    dimension: isRefused ? dimensionOf(meaning, told) : "unknown",
    // A client that refuses its own call has no hint of the server.
    retryAfterMs: isRefused && outcome !== "local" ? retryHint(record) : null,
    limits: isRefused ? withTextLimit(told.limits, meaning, record.errorMessage) : told.limits,
    remainingRequests: told.remainingRequests,
    remainingTokens: told.remainingTokens,
    orgId: headers === null ? null : ownerOf(headers.get(dialect.orgHeader)),
    workspaceId: headers === null ? null : ownerOf(headers.get(dialect.workspaceHeader)),
  };
}

/** A refusal that names no limit hit the one that its headers show empty, if that is only one. */
function dimensionOf({ outcome, dimension }: Meaning, { empty }: HeaderLimits): Meaning["dimension"] {
  return outcome === "throttled" && dimension === "unknown" && empty !== null ? empty : dimension;
}

/** A limit that only the text names. A ramp's allowance and a day's quota are none of a minute. */
function withTextLimit(
  limits: readonly StatedLimit[],
  { outcome }: Meaning,
  message: string | null,
): readonly StatedLimit[] {
  if (message === null || (outcome !== "throttled" && outcome !== "permanent")) return limits;
  const stated = textLimit(message);
  if (stated === null || limits.some((limit) => limit.dimension === stated.dimension)) return limits;
  return [...limits, stated];
}

/** Equal masks are not equal owners: `org-****` is nobody. */
function ownerOf(text: string | undefined): string | null {
  if (text === undefined || text === "" || /\*|…|\.\.\.|redacted/i.test(text)) return null;
  return text;
}
