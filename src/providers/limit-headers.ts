import type { RateDimension } from "../model/outcome.ts";
import { parseAmount, parseLeft } from "./amounts.ts";
import { leadingDuration } from "./durations.ts";
import type { StatedLimit } from "./provider.ts";

/** Where a provider writes a limit and what is left of it. */
export interface LimitHeader {
  readonly dimension: RateDimension;
  readonly limit: string;
  readonly remaining: string;
  /** The time until the bucket is full, where a header tells it: with it the window can be worked out. */
  readonly reset?: string;
  /** `remaining` is rounded to multiples of this, so it can exceed its limit by half of it. */
  readonly roundedTo?: number;
}

export interface HeaderLimits {
  readonly limits: readonly StatedLimit[];
  readonly remainingRequests: number | null;
  readonly remainingTokens: number | null;
  /** The one dimension of which nothing was left; null = none, or several. */
  readonly empty: RateDimension | null;
}

export const NO_LIMITS: HeaderLimits = {
  limits: [],
  remainingRequests: null,
  remainingTokens: null,
  empty: null,
};

/**
 * Reads each known header once. The first of a dimension counts. `remainingTokens` is that of the first token dimension
 * in the table that tells it; output tokens are never meant.
 */
export function headerLimits(
  headers: ReadonlyMap<string, string>,
  known: readonly LimitHeader[],
): HeaderLimits {
  const limits: StatedLimit[] = [];
  let remainingRequests: number | null = null;
  let remainingTokens: number | null = null;
  let empty: RateDimension | null = null;
  let empties = 0;
  for (const header of known) {
    const limitText = headers.get(header.limit);
    const leftText = headers.get(header.remaining);
    if (limitText === undefined && leftText === undefined) continue;
    const { dimension } = header;
    const perMinute = parseAmount(limitText);
    const left = possibleLeft(parseLeft(leftText), perMinute, header);
    if (perMinute !== null && left !== null && isPerDay(perMinute, left, header, headers)) continue;
    if (perMinute !== null && !isStated(limits, dimension))
      limits.push({ dimension, perMinute, from: "headers" });
    if (left === 0) {
      empties++;
      empty = dimension;
    }
    if (dimension === "requests") remainingRequests ??= left;
    else if (dimension !== "output-tokens") remainingTokens ??= left;
  }
  return { limits, remainingRequests, remainingTokens, empty: empties === 1 ? empty : null };
}

function isStated(limits: readonly StatedLimit[], dimension: RateDimension): boolean {
  for (const limit of limits) if (limit.dimension === dimension) return true;
  return false;
}

/** More than the limit itself is no value but a mistake; half a rounding step more is the limit. */
function possibleLeft(left: number | null, limit: number | null, header: LimitHeader): number | null {
  if (left === null || limit === null || left <= limit) return left;
  return left <= limit + (header.roundedTo ?? 0) / 2 ? limit : null;
}

const DAY_MS = 86_400_000;
/** Reset times are rounded, and read a little after they were computed. */
const TOLERANCE = 0.1;

/**
 * Some models count requests a day under the header that counts them a minute elsewhere. A bucket refills evenly, so what
 * was used and the time until it is full again give the window: 1 of 10,000 back in 8.64 s is a day.
 */
function isPerDay(
  limit: number,
  left: number,
  { reset }: LimitHeader,
  headers: ReadonlyMap<string, string>,
): boolean {
  if (reset === undefined || left >= limit) return false;
  const text = headers.get(reset);
  const resetMs = text === undefined ? undefined : leadingDuration(text)?.ms;
  if (resetMs === undefined) return false;
  const windowMs = (resetMs * limit) / (limit - left);
  return Math.abs(windowMs - DAY_MS) <= DAY_MS * TOLERANCE;
}
