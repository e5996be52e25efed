import type { BreakerSpec } from "../spec.ts";

/** A circuit breaker: after enough refusals in the window nothing is sent for a while. */
export interface Breaker {
  /** 0 = closed. */
  openUntil(): number;
  refused(nowMs: number): void;
}

export function createBreaker({ openAfter, windowMs, pauseMs }: BreakerSpec): Breaker {
  let until = 0;
  let refusals: number[] = [];
  return {
    openUntil: () => until,
    refused: (nowMs) => {
      refusals = [...refusals.filter((ms) => ms > nowMs - windowMs), nowMs];
      if (refusals.length < openAfter) return;
      until = Math.max(until, nowMs + pauseMs);
      refusals = [];
    },
  };
}
