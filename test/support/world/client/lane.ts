import type { Clock } from "../clock.ts";
import { createBucket, type ExactBucket } from "../server/bucket.ts";
import type { LimiterSpec } from "../spec.ts";

/** A send that waits for its turn on the client's side. */
export interface Ticket {
  /** 0 is most urgent. */
  readonly priority: number;
  /** Calls in order of their first arrival; a repeated send keeps its place. */
  readonly order: number;
  readonly tokens: number;
  /** 0 = may go; else the time until which its agent holds back. */
  heldUntil(): number;
  /** Its agent has no free slot. */
  blocked(): boolean;
  send(): void;
}

/** The door that sends go through: a shared limiter, a cap, or nothing at all. */
export interface Lane {
  submit(ticket: Ticket): void;
  /** A slot may have become free. */
  pump(): void;
}

export function createLane(limiter: LimiterSpec | null, clock: Clock): Lane {
  const waiting: Ticket[] = [];
  const meters = metersOf(limiter);
  const byPriority = limiter?.order === "priority";
  let wakeAt = Number.POSITIVE_INFINITY;
  const pump = (): void => {
    for (;;) {
      const next = firstOf(waiting, byPriority, clock.now());
      if (next === null) return wake(earliestHold(waiting, clock.now()));
      const waitMs = Math.max(0, ...meters.map(({ bucket, cost }) => bucket.waitMs(clock.now(), cost(next))));
      if (waitMs > 0) return wake(clock.now() + waitMs);
      for (const { bucket, cost } of meters) bucket.take(clock.now(), cost(next));
      waiting.splice(waiting.indexOf(next), 1);
      next.send();
    }
  };
  const wake = (atMs: number): void => {
    if (atMs >= wakeAt || atMs === Number.POSITIVE_INFINITY) return;
    wakeAt = atMs;
    clock.at(atMs, () => {
      if (wakeAt !== atMs) return;
      wakeAt = Number.POSITIVE_INFINITY;
      pump();
    });
  };
  return {
    submit: (ticket) => {
      waiting.push(ticket);
      pump();
    },
    pump,
  };
}

interface Meter {
  readonly bucket: ExactBucket;
  readonly cost: (ticket: Ticket) => number;
}

function metersOf(limiter: LimiterSpec | null): readonly Meter[] {
  if (limiter === null) return [];
  const { ratePerMinute, burst, tokensPerMinute } = limiter;
  const requests: Meter = { bucket: createBucket(ratePerMinute, 60_000, burst), cost: () => 1 };
  if (tokensPerMinute === undefined) return [requests];
  const share = Math.max(1, Math.floor((tokensPerMinute * burst) / ratePerMinute));
  return [requests, { bucket: createBucket(tokensPerMinute, 60_000, share), cost: ({ tokens }) => tokens }];
}

function firstOf(waiting: readonly Ticket[], byPriority: boolean, now: number): Ticket | null {
  let first: Ticket | null = null;
  for (const ticket of waiting) {
    if (ticket.blocked() || ticket.heldUntil() > now) continue;
    if (first === null || goesBefore(ticket, first, byPriority)) first = ticket;
  }
  return first;
}

function goesBefore(a: Ticket, b: Ticket, byPriority: boolean): boolean {
  if (byPriority && a.priority !== b.priority) return a.priority < b.priority;
  return a.order < b.order;
}

function earliestHold(waiting: readonly Ticket[], now: number): number {
  const holds = waiting.map((ticket) => ticket.heldUntil()).filter((until) => until > now);
  return Math.min(Number.POSITIVE_INFINITY, ...holds);
}
