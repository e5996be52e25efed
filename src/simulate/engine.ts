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

/** A client token bucket that every send of a lane must pass, retries too. */
export interface Limiter {
  readonly bucket: TokenBucket;
  /** What a call takes from it: 1 for a limiter of requests, its tokens for one of tokens. */
  readonly costOf: (call: SimulatedCall) => number;
}

/** Calls that share client limiters and a concurrency cap. */
export interface Lane {
  /** All must hold a call's cost before it is sent. */
  readonly limiters: readonly Limiter[];
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

/**
 * Events and instants at most. Small loads may try ten thousand times a call; large ones stop where dozens of attempts a
 * call would take minutes. Beyond it something is wrong with the world: a clock that stands still ends here as well.
 */
function mostEvents(calls: number): number {
  return Math.min(1_000_000 + 10_000 * calls, 30_000_000 + 10 * calls);
}

type Kind = "ready" | "done" | "refused";

interface Happening {
  readonly atS: number;
  readonly kind: Kind;
  readonly position: number;
  /** Order of scheduling: the last word between happenings of one instant. */
  readonly turn: number;
}

/** How far each call is, by position: columns, since a million calls are ordinary. */
interface Progress {
  /** NaN = not ready yet. */
  readonly readyS: Float64Array;
  readonly endS: Float64Array;
  readonly refusals: Uint32Array;
  readonly failed: Uint8Array;
}

/**
 * Lets the calls happen in the world. The calls are left as they are; the buckets of the world are used up.
 *
 * @throws EndlessSimulation when a call can never end, or not within the budget of events
 */
export function simulate(calls: readonly SimulatedCall[], world: World): SimulationResult {
  const run = createRun(calls, world);
  const most = mostEvents(calls.length);
  let instants = 0;
  let nowS = run.next(Number.NEGATIVE_INFINITY);
  while (nowS < Number.POSITIVE_INFINITY) {
    run.happenUntil(nowS);
    run.sendAll(nowS);
    instants++;
    if (run.events() + instants > most) throw new EndlessSimulation(`more than ${most} events`);
    nowS = run.next(nowS);
  }
  if (run.isWaiting()) throw new EndlessSimulation("calls wait for a token that never comes");
  if (run.isOutOfTime()) throw new EndlessSimulation("waits grow beyond any number of seconds");
  return run.result();
}

interface Run {
  /** Arrivals and completions of this instant. */
  readonly happenUntil: (nowS: number) => void;
  /** Everything that the lanes let through now. */
  readonly sendAll: (nowS: number) => void;
  /** The next instant at which something can happen; Infinity = never. */
  readonly next: (nowS: number) => number;
  readonly isWaiting: () => boolean;
  /** Something is due at Infinity, so its call never ends. */
  readonly isOutOfTime: () => boolean;
  readonly events: () => number;
  readonly result: () => SimulationResult;
}

function createRun(calls: readonly SimulatedCall[], world: World): Run {
  const progress: Progress = {
    readyS: new Float64Array(calls.length).fill(Number.NaN),
    endS: new Float64Array(calls.length).fill(Number.NaN),
    refusals: new Uint32Array(calls.length),
    failed: new Uint8Array(calls.length),
  };
  const happenings = createHeap<Happening>((a, b) => (a.atS !== b.atS ? a.atS < b.atS : a.turn < b.turn));
  const arrivals = arrivalsOf(calls);
  const followers = followersOf(calls);
  const lanes = world.lanes.map((lane) => ({
    ...lane,
    ready: createReadyQueue<Waiting>(lane.order),
    inFlight: 0,
  }));
  let [arrived, turn, events, attempts, throttled] = [0, 0, 0, 0, 0];

  const schedule = (atS: number, kind: Kind, position: number): void => {
    happenings.push({ atS, kind, position, turn: turn++ });
  };
  const ready = (position: number, nowS: number): void => {
    const call = calls[position];
    if (call === undefined) return;
    if (Number.isNaN(progress.readyS[position])) progress.readyS[position] = nowS;
    const { index, priority } = call;
    const lane = lanes[call.lane];
    const arrivalS = lane?.order.kind === "queue" ? nowS : (progress.readyS[position] ?? nowS);
    lane?.ready.push({ index, priority, arrivalS, position });
  };
  const end = (position: number, nowS: number): void => {
    progress.endS[position] = nowS;
    for (const next of followers.get(position) ?? [])
      schedule(nowS + (calls[next]?.after?.delayS ?? 0), "ready", next);
  };
  const refuse = (call: SimulatedCall, position: number, nowS: number): void => {
    const askedS = Math.max(0, ...world.server.map((bucket, i) => bucket.waitFor(nowS, call.costs[i] ?? 0)));
    const wait = world.retryWait(call, progress.refusals[position] ?? 0, askedS);
    if (wait !== null) schedule(nowS + wait, "ready", position);
    else {
      progress.failed[position] = 1;
      end(position, nowS);
    }
  };
  const happen = ({ kind, position }: Happening, nowS: number): void => {
    const call = calls[position];
    const lane = lanes[call?.lane ?? 0];
    if (call === undefined || lane === undefined) return;
    if (kind !== "ready") lane.inFlight--;
    if (kind === "ready") ready(position, nowS);
    else if (kind === "done") end(position, nowS);
    else refuse(call, position, nowS);
  };
  const send = (position: number, lane: (typeof lanes)[number], nowS: number): void => {
    const call = calls[position];
    if (call === undefined) return;
    for (const { bucket, costOf } of lane.limiters) bucket.take(nowS, costOf(call));
    attempts++;
    if (world.server.every((bucket, i) => bucket.holds(nowS, call.costs[i] ?? 0))) {
      for (const [i, bucket] of world.server.entries()) bucket.take(nowS, call.costs[i] ?? 0);
      lane.inFlight++;
      schedule(nowS + call.serviceS, "done", position);
      return;
    }
    throttled++;
    progress.refusals[position] = (progress.refusals[position] ?? 0) + 1;
    // A refusal that is known at once holds no slot.
    if (call.refusalS <= 0) refuse(call, position, nowS);
    else {
      lane.inFlight++;
      schedule(nowS + call.refusalS, "refused", position);
    }
  };

  return {
    happenUntil(nowS) {
      for (
        let next = happenings.peek();
        next !== undefined && next.atS <= nowS + TOLERANCE;
        next = happenings.peek()
      ) {
        happenings.pop();
        happen(next, nowS);
        events++;
      }
      for (
        let next = arrivals[arrived];
        next !== undefined && (calls[next]?.arrivalS ?? 0) <= nowS + TOLERANCE;
        next = arrivals[arrived]
      ) {
        ready(next, nowS);
        arrived++;
      }
    },
    sendAll(nowS) {
      for (const lane of lanes) {
        while (canSend(lane, calls, nowS)) {
          const waiting = lane.ready.pop(nowS);
          if (waiting !== undefined) send(waiting.position, lane, nowS);
          events++;
        }
      }
    },
    next(nowS) {
      const arrival = calls[arrivals[arrived] ?? -1]?.arrivalS ?? Number.POSITIVE_INFINITY;
      const happening = happenings.peek()?.atS ?? Number.POSITIVE_INFINITY;
      return lanes.reduce(
        (soonest, lane) => Math.min(soonest, nextToken(lane, calls, nowS)),
        Math.min(arrival, happening),
      );
    },
    isWaiting: () => lanes.some((lane) => lane.ready.size() > 0),
    isOutOfTime: () => happenings.size() > 0 || arrived < arrivals.length,
    events: () => events,
    result: () => ({ calls: resultsOf(progress), attempts, throttled }),
  };
}

/** Positions of the calls that come by themselves, in order of arrival. */
function arrivalsOf(calls: readonly SimulatedCall[]): readonly number[] {
  const alone = calls.flatMap((call, position) => (call.after === null ? [position] : []));
  return alone.toSorted((a, b) => (calls[a]?.arrivalS ?? 0) - (calls[b]?.arrivalS ?? 0) || a - b);
}

/** A ready call as the order sees it. */
interface Waiting extends Orderable {
  readonly position: number;
}

interface OpenLane extends Lane {
  readonly ready: ReadyQueue<Waiting>;
  readonly inFlight: number;
}

/** The call that the lane would send now; undefined when nothing is ready or no slot is free. */
function headOf(lane: OpenLane, calls: readonly SimulatedCall[], nowS: number): SimulatedCall | undefined {
  if (lane.inFlight >= lane.cap) return undefined;
  const waiting = lane.ready.peek(nowS);
  return waiting === undefined ? undefined : calls[waiting.position];
}

function canSend(lane: OpenLane, calls: readonly SimulatedCall[], nowS: number): boolean {
  const head = headOf(lane, calls, nowS);
  return head !== undefined && lane.limiters.every(({ bucket, costOf }) => bucket.holds(nowS, costOf(head)));
}

/** When a lane that only lacks tokens can send again; Infinity when something else holds it back. */
function nextToken(lane: OpenLane, calls: readonly SimulatedCall[], nowS: number): number {
  if (lane.limiters.length === 0) return Number.POSITIVE_INFINITY;
  const head = headOf(lane, calls, nowS);
  if (head === undefined) return Number.POSITIVE_INFINITY;
  const waits = lane.limiters.map(({ bucket, costOf }) => bucket.waitFor(nowS, costOf(head)));
  return nowS + Math.max(leastStep(nowS), ...waits);
}

/** Strictly later, even where a float of this size cannot show so short a wait: 1.7e9 s + 1e-9 s is 1.7e9 s. */
function leastStep(nowS: number): number {
  return Math.max(TOLERANCE, nowS * Number.EPSILON);
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

function resultsOf({ readyS, endS, refusals, failed }: Progress): readonly CallResult[] {
  return Array.from(readyS, (first, i) => ({
    readyS: first,
    endS: endS[i] ?? Number.NaN,
    refusals: refusals[i] ?? 0,
    failed: failed[i] === 1,
  }));
}
