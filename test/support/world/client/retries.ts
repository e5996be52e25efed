import type { HintPolicy, RetrySpec } from "../spec.ts";

const TRANSIENT = [0, 408, 409, 429, 500, 502, 503, 504, 529];
const ANY_HINT: HintPolicy = { atMostMs: 2 ** 31 - 1, jitterShare: 0, jitterMs: 0 };

const STAINLESS: RetrySpec = {
  maxAttempts: 3,
  baseMs: 500,
  factor: 2,
  capMs: 8000,
  jitter: "down",
  hint: ANY_HINT,
  on: TRANSIENT,
};

/** Retry behaviour of well-known clients, and of hand-written ones. */
export const RETRIES = {
  never: { ...STAINLESS, maxAttempts: 1 },
  anthropicSdk: STAINLESS,
  openaiNode: { ...STAINLESS, hint: { ...ANY_HINT, atMostMs: 60_000 } },
  vercelAi: {
    ...STAINLESS,
    baseMs: 2000,
    jitter: "added",
    jitterMs: 30,
    hint: { ...ANY_HINT, atMostMs: 60_000 },
  },
  /** Random exponential 1 to 60 s, six attempts, the hint unread: the recipe in tenacity's documentation. */
  tenacity: { ...STAINLESS, maxAttempts: 6, baseMs: 1000, capMs: 60_000, jitter: "full", hint: null },
  /** `min 1 s, times two, plus up to a second`, hint unread. */
  backoff: {
    ...STAINLESS,
    maxAttempts: 7,
    baseMs: 1000,
    capMs: 60_000,
    jitter: "added",
    jitterMs: 1000,
    hint: null,
  },
  /** What the write-up recommends: the hint plus up to 5 s, at most five retries, 60 s where no hint is. */
  polite: {
    ...STAINLESS,
    maxAttempts: 6,
    baseMs: 60_000,
    factor: 1,
    capMs: 60_000,
    jitter: "added",
    jitterMs: 5000,
    hint: { ...ANY_HINT, jitterMs: 5000 },
  },
} as const satisfies { readonly [name: string]: RetrySpec };

/** The hint plus some jitter, else exponential: a careful client without a limiter. */
export function obeying(maxAttempts: number, jitterShare: number, jitterMs: number): RetrySpec {
  return { ...RETRIES.backoff, maxAttempts, hint: { ...ANY_HINT, jitterShare, jitterMs } };
}

/** The hint to the millisecond: everybody refused together comes back together. */
export function exactly(maxAttempts: number): RetrySpec {
  return { ...RETRIES.backoff, maxAttempts, hint: ANY_HINT };
}

/** The same wait each time, the hint unread. */
export function fixed(maxAttempts: number, waitMs: number, jitterMs: number = 0): RetrySpec {
  const jitter = jitterMs === 0 ? "none" : "added";
  return {
    ...STAINLESS,
    maxAttempts,
    baseMs: waitMs,
    factor: 1,
    capMs: waitMs,
    jitter,
    jitterMs,
    hint: null,
  };
}
