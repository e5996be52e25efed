/** Times and tokens that differ by less are the same: sums of floats meet here. Seconds, and tokens. */
export const TOLERANCE = 1e-9;

/** A token bucket with continuous refill. Starts full. Time is handed in and must not run backwards. */
export interface TokenBucket {
  /** Whether `amount` tokens are there now. */
  readonly holds: (nowS: number, amount: number) => boolean;
  /** Takes them; the caller has asked `holds` first. */
  readonly take: (nowS: number, amount: number) => void;
  /** Seconds until `amount` tokens are there, 0 if they are; Infinity when they never will be. */
  readonly waitFor: (nowS: number, amount: number) => number;
}

/** @param level what it holds at the start; full when left out */
export function createTokenBucket(
  capacity: number,
  ratePerSecond: number,
  level: number = capacity,
): TokenBucket {
  let tokens = Math.min(capacity, level);
  let last = 0;
  const refill = (nowS: number): void => {
    tokens = Math.min(capacity, tokens + (nowS - last) * ratePerSecond);
    last = nowS;
  };
  return {
    holds(nowS, amount) {
      refill(nowS);
      return tokens >= amount - TOLERANCE;
    },
    take(nowS, amount) {
      refill(nowS);
      // A hair below the amount counts as the amount, but must not leave a debt.
      tokens = Math.max(0, tokens - amount);
    },
    waitFor(nowS, amount) {
      refill(nowS);
      if (tokens >= amount - TOLERANCE) return 0;
      if (amount > capacity + TOLERANCE || ratePerSecond <= 0) return Number.POSITIVE_INFINITY;
      return (amount - tokens) / ratePerSecond;
    },
  };
}
