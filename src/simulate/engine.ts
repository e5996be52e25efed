import { createHeap } from "./heap.ts";
import { type Order, type Orderable, createReadyQueue, type ReadyQueue } from "./order.ts";
import { TOLERANCE, type TokenBucket } from "./token-bucket.ts";

/**
 * A discrete-event simulation on a virtual clock. Nothing sleeps: time jumps to the next thing that can happen.
 *
 *   arrive -> ready --(slot? client tokens?)--> send -> accepted -> done
 *               ^                                  \-> refused -> wait -> ready
 *
 * At one instant completions come before sends. The next instant is the smallest candidate strictly later than now; a ready
 * call that the client holds back is no candidate, or the clock would stand still.
 */
export interface SimulatedCall extends Orderable {
  /** From sending to the answer of an accepted attempt. */
  readonly serviceS: number;
  /** From sending to the refusal. */
  readonly refusalS: number;
  /** Index of the lane it goes through. */
  readonly lane: number;
  /** What it takes from each bucket of the server, in their order. */
  readonly costs: readonly number[];
  /** It becomes ready this long after another call (by index) has ended, instead of at `arrivalS`. */
  readonly after: { readonly index: number; readonly delayS: number } | null;
}

/** Calls that share a client limiter and a concurrency cap. */
export interface Lane {
  /** A client token bucket: every send takes one, retries too. null = none. */
  readonly limiter: TokenBucket | null;
  /** Attempts under way at most. */
  readonly cap: number;
  readonly order: Order;
}

export interface World {
  /** All must hold a request's cost for it to be accepted. */
  readonly server: readonly TokenBucket[];
  readonly lanes: readonly Lane[];
  /**
   * Seconds to wait after the n-th refusal of a call (1-based), from the moment it is known; null = the call fails.
   * @param askedS what the server would ask for: until its buckets hold the cost again
   */
  readonly retryWait: (call: SimulatedCall, refusals: number, askedS: number) => number | null;
}

export interface CallResult {
  /** When the call became ready for the first time. */
  readonly readyS: number;
  /** When it was accepted and answered, or failed for good. */
  readonly endS: number;
  readonly refusals: number;
  readonly failed: boolean;
}

export interface SimulationResult {
  /** By position in the list of calls. */
  readonly calls: readonly CallResult[];
  readonly attempts: number;
  readonly throttled: number;
}

/** Something went on for ever, or nothing can ever go on. */
export class EndlessSimulation extends Error {}

/** More than a million calls with dozens of attempts each; beyond it something is wrong with the scenario. */
const MOST_EVENTS = 60_000_000;

type Kind = "ready" | "done" | "refused";

interface Happening {
  readonly atS: number;
  readonly kind: Kind;
  readonly position: number;
  /** Order of scheduling: the last word between happenings of one instant. */
  readonly turn: number;
}

interface Progress {
  arrivedS: number;
  endS: number;
  refusals: number;
  failed: boolean;
}

export function simulate(calls: readonly SimulatedCall[], world: World): SimulationResult {
  const happenings = createHeap<Happening>((a, b) => (a.atS !== b.atS ? a.atS < b.atS : a.turn < b.turn));
  const progress = calls.map(
    (): Progress => ({ arrivedS: Number.NaN, endS: Number.NaN, refusals: 0, failed: false }),
  );
  const followers = followersOf(calls);
  const lanes = world.lanes.map((lane) => ({
    ...lane,
    ready: createReadyQueue<Waiting>(lane.order),
    inFlight: 0,
  }));
  let [turn, events, attempts, throttled] = [0, 0, 0, 0];

  const schedule = (atS: number, kind: Kind, position: number): void => {
    happenings.push({ atS, kind, position, turn: turn++ });
  };
  const end = (position: number, nowS: number): void => {
    const own = progress[position];
    if (own !== undefined) own.endS = nowS;
    for (const next of followers.get(position) ?? [])
      schedule(nowS + (calls[next]?.after?.delayS ?? 0), "ready", next);
  };
  const happen = ({ kind, position }: Happening, nowS: number): void => {
    const [call, own] = [calls[position], progress[position]];
    const lane = call === undefined ? undefined : lanes[call.lane];
    if (call === undefined || own === undefined || lane === undefined) return;
    if (kind === "ready") {
      if (Number.isNaN(own.arrivedS)) own.arrivedS = nowS;
      lane.ready.push({ index: call.index, priority: call.priority, arrivalS: own.arrivedS, position });
    } else {
      lane.inFlight--;
      if (kind === "done") end(position, nowS);
      else refuse(call, own, position, nowS);
    }
  };
  const refuse = (call: SimulatedCall, own: Progress, position: number, nowS: number): void => {
    const askedS = Math.max(0, ...world.server.map((bucket, i) => bucket.waitFor(nowS, call.costs[i] ?? 0)));
    const wait = world.retryWait(call, own.refusals, askedS);
    if (wait === null) {
      own.failed = true;
      end(position, nowS);
    } else schedule(nowS + wait, "ready", position);
  };
  const send = (waiting: Waiting, lane: (typeof lanes)[number], nowS: number): void => {
    const [call, own] = [calls[waiting.position], progress[waiting.position]];
    if (call === undefined || own === undefined) return;
    lane.limiter?.take(nowS, 1);
    attempts++;
    if (world.server.every((bucket, i) => bucket.holds(nowS, call.costs[i] ?? 0))) {
      for (const [i, bucket] of world.server.entries()) bucket.take(nowS, call.costs[i] ?? 0);
      lane.inFlight++;
      schedule(nowS + call.serviceS, "done", waiting.position);
      return;
    }
    throttled++;
    own.refusals++;
    // A refusal that is known at once holds no slot.
    if (call.refusalS <= 0) refuse(call, own, waiting.position, nowS);
    else {
      lane.inFlight++;
      schedule(nowS + call.refusalS, "refused", waiting.position);
    }
  };

  for (const [position, call] of calls.entries())
    if (call.after === null) schedule(call.arrivalS, "ready", position);
  for (let nowS = happenings.peek()?.atS ?? Number.POSITIVE_INFINITY; nowS < Number.POSITIVE_INFINITY; ) {
    for (
      let next = happenings.peek();
      next !== undefined && next.atS <= nowS + TOLERANCE;
      next = happenings.peek()
    ) {
      // Each happening at its own time: two that are a hair apart stay in order.
      happenings.pop();
      happen(next, nowS);
      events++;
    }
    for (const lane of lanes) {
      while (canSend(lane, nowS)) {
        const waiting = lane.ready.pop(nowS);
        if (waiting !== undefined) send(waiting, lane, nowS);
        events++;
      }
    }
    if (events > MOST_EVENTS) throw new EndlessSimulation(`more than ${MOST_EVENTS} events`);
    const next = Math.min(
      happenings.peek()?.atS ?? Number.POSITIVE_INFINITY,
      ...lanes.map((lane) => nextToken(lane, nowS)),
    );
    if (next === Number.POSITIVE_INFINITY && lanes.some((lane) => lane.ready.size() > 0))
      throw new EndlessSimulation("calls wait for a token that never comes");
    nowS = next;
  }
  return { calls: progress.map(resultOf), attempts, throttled };
}

/** A ready call as the order sees it. */
interface Waiting extends Orderable {
  readonly position: number;
}

interface OpenLane extends Lane {
  readonly ready: ReadyQueue<Waiting>;
  readonly inFlight: number;
}

function canSend(lane: OpenLane, nowS: number): boolean {
  return (
    lane.ready.size() > 0 &&
    lane.inFlight < lane.cap &&
    (lane.limiter === null || lane.limiter.holds(nowS, 1))
  );
}

/** When a lane that only lacks a token can send again; Infinity when something else holds it back. */
function nextToken(lane: OpenLane, nowS: number): number {
  if (lane.limiter === null || lane.ready.size() === 0 || lane.inFlight >= lane.cap)
    return Number.POSITIVE_INFINITY;
  // Strictly later, even where the wait is too short for a float of this size to show.
  return nowS + Math.max(TOLERANCE, lane.limiter.waitFor(nowS, 1));
}

function followersOf(calls: readonly SimulatedCall[]): ReadonlyMap<number, readonly number[]> {
  const positions = new Map(calls.map((call, position) => [call.index, position]));
  const followers = new Map<number, number[]>();
  for (const [position, call] of calls.entries()) {
    const before = call.after === null ? undefined : positions.get(call.after.index);
    if (before === undefined) continue;
    const known = followers.get(before);
    if (known === undefined) followers.set(before, [position]);
    else known.push(position);
  }
  return followers;
}

function resultOf({ arrivedS, endS, refusals, failed }: Progress): CallResult {
  return { readyS: arrivedS, endS, refusals, failed };
}
