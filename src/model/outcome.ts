/**
 * How an attempt ended. The order is the code stored in `AttemptColumns.outcome`, so new ones go last.
 *
 * - `ok`            the provider answered
 * - `throttled`     refused by a limit that refills within minutes; `Dimension` says which
 * - `acceleration`  refused because usage rose too fast, whatever its level
 * - `daily`         refused by a per-day or subscription-window allowance: waiting seconds cannot help
 * - `quota`         refused for money (credit, spend cap) or because the limit is 0
 * - `overloaded`    the provider has no capacity; not the client's limit
 * - `server-error`  500, 502, 424: the provider failed
 * - `timeout`       no answer in time, on either side
 * - `cancelled`     the client gave up
 * - `permanent`     the same request can never pass: authentication, invalid, too large, policy
 * - `local`         refused on the client's side; nothing was sent
 */
export const OUTCOMES = [
  "ok",
  "throttled",
  "acceleration",
  "daily",
  "quota",
  "overloaded",
  "server-error",
  "timeout",
  "cancelled",
  "permanent",
  "local",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** Which allowance ran out. The order is the code stored in `AttemptColumns.dimension`. */
export const DIMENSIONS = [
  "unknown",
  "requests",
  "tokens",
  "input-tokens",
  "output-tokens",
  "concurrency",
] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** A limit is counted in one of these; `unknown` and `concurrency` have no rate. */
export type RateDimension = Exclude<Dimension, "unknown" | "concurrency">;

/** Code of each outcome in the `outcome` column. */
export const OUTCOME: { readonly [O in Outcome]: number } = {
  ok: 0,
  throttled: 1,
  acceleration: 2,
  daily: 3,
  quota: 4,
  overloaded: 5,
  "server-error": 6,
  timeout: 7,
  cancelled: 8,
  permanent: 9,
  local: 10,
};

/** Code of each dimension in the `dimension` column. */
export const DIMENSION: { readonly [D in Dimension]: number } = {
  unknown: 0,
  requests: 1,
  tokens: 2,
  "input-tokens": 3,
  "output-tokens": 4,
  concurrency: 5,
};

/** Outcomes after which the same request can pass later. `daily` can too, but not within a run. */
export const RETRYABLE: ReadonlySet<Outcome> = new Set([
  "throttled",
  "acceleration",
  "overloaded",
  "server-error",
  "timeout",
]);
