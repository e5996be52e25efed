/** A token bucket in whole numbers: levels are kept in 1/windowMs of a token, so nothing is ever rounded. */
export interface ExactBucket {
  /** Whole tokens at hand; negative after a debit. */
  remaining(nowMs: number): number;
  /** ms until `cost` fits, 0 = now; a cost over the capacity is counted as the capacity. */
  waitMs(nowMs: number, cost: number): number;
  fits(nowMs: number, cost: number): boolean;
  /** Takes `cost` whether it fits or not. */
  take(nowMs: number, cost: number): void;
}

export function createBucket(
  amount: number,
  windowMs: number,
  capacity: number,
  initial: number = 1,
): ExactBucket {
  const full = capacity * windowMs;
  let [level, levelMs] = [Math.floor(capacity * initial) * windowMs, 0];
  const settle = (nowMs: number): number => {
    level = Math.min(full, level + (nowMs - levelMs) * amount);
    levelMs = nowMs;
    return level;
  };
  return {
    remaining: (nowMs) => Math.floor(settle(nowMs) / windowMs),
    waitMs: (nowMs, cost) =>
      Math.max(0, Math.ceil((Math.min(cost, capacity) * windowMs - settle(nowMs)) / amount)),
    fits: (nowMs, cost) => settle(nowMs) >= cost * windowMs,
    take: (nowMs, cost) => {
      level = settle(nowMs) - cost * windowMs;
    },
  };
}
