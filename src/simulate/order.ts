import { createHeap, type Heap } from "./heap.ts";

/** What an order looks at. A retried call keeps its first arrival and its index. */
export interface Orderable {
  readonly index: number;
  readonly arrivalS: number;
  /** 0 is most urgent; above 0 is background. */
  readonly priority: number;
}

/** Ready calls, handed out one by one. */
export interface ReadyQueue<C extends Orderable> {
  readonly size: () => number;
  readonly push: (call: C) => void;
  /** The call to send now, left in its place. What "most urgent" means may depend on the time. */
  readonly peek: (nowS: number) => C | undefined;
  /** The same call, taken out. */
  readonly pop: (nowS: number) => C | undefined;
}

export type Order =
  | { readonly kind: "fifo" }
  /** As `fifo`, but a retried call queues up anew: what a semaphore or a worker pool does. */
  | { readonly kind: "queue" }
  | { readonly kind: "priority" }
  /** Effective priority = priority - perSecond x seconds waited. */
  | { readonly kind: "linear-aging"; readonly perSecond: number }
  /** A background call that has waited this long goes before everything. */
  | { readonly kind: "threshold-aging"; readonly afterS: number }
  /** While both kinds wait: after n critical sends, one background send. */
  | { readonly kind: "weighted"; readonly criticalPerBackground: number };

export function createReadyQueue<C extends Orderable>(order: Order): ReadyQueue<C> {
  switch (order.kind) {
    case "fifo":
    case "queue":
      return keyed(() => 0);
    case "priority":
      return keyed((call) => call.priority);
    case "linear-aging":
      return linearAging(order.perSecond);
    case "threshold-aging":
      return thresholdAging(order.afterS);
    case "weighted":
      return weighted(order.criticalPerBackground);
  }
}

/** First come, first served: by arrival, then by index. */
function arrivedBefore(a: Orderable, b: Orderable): boolean {
  return a.arrivalS !== b.arrivalS ? a.arrivalS < b.arrivalS : a.index < b.index;
}

/** Smallest key first, first come first served among equal keys. */
function keyed<C extends Orderable>(keyOf: (call: C) => number): ReadyQueue<C> {
  const heap = createHeap<C>((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    return x !== y ? x < y : arrivedBefore(a, b);
  });
  return { size: heap.size, push: heap.push, peek: heap.peek, pop: heap.pop };
}

/** Keys closer than this are equal: 1 s of waiting and one priority step must meet exactly. */
const KEY_STEPS = 1e9;

/**
 * All waiting calls age alike, so of two the more urgent stays the more urgent: p - a(now - arrival) < p' - a(now - arrival')
 * does not depend on now. The key is p + a x arrival, rounded to where floats agree.
 */
function linearAging<C extends Orderable>(perSecond: number): ReadyQueue<C> {
  return keyed((call) => Math.round((call.priority + perSecond * call.arrivalS) * KEY_STEPS));
}

const EQUAL_TIMES_S = 1e-9;

/** Priority, but the longest-waiting background call jumps the queue once its time is up. */
function thresholdAging<C extends Orderable>(afterS: number): ReadyQueue<C> {
  const all = createHeap<C>((a, b) =>
    a.priority !== b.priority ? a.priority < b.priority : arrivedBefore(a, b),
  );
  const background = createHeap<C>(arrivedBefore);
  // A background call stands in both heaps; whichever hands it out first marks it, and the other skips it.
  const waiting = new Set<C>();
  const skipTo = (heap: Heap<C>): C | undefined => {
    for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
      if (waiting.has(top)) return top;
      heap.pop();
    }
    return undefined;
  };
  const choose = (nowS: number): C | undefined => {
    const oldest = skipTo(background);
    const isDue = oldest !== undefined && nowS - oldest.arrivalS >= afterS - EQUAL_TIMES_S;
    return isDue ? oldest : skipTo(all);
  };
  return {
    size: () => waiting.size,
    push(call) {
      waiting.add(call);
      all.push(call);
      if (call.priority > 0) background.push(call);
    },
    peek: choose,
    pop(nowS) {
      const next = choose(nowS);
      if (next !== undefined) waiting.delete(next);
      return next;
    },
  };
}

/**
 * Sends of critical calls while no background call waits are not counted: there is nothing to be fair to. Any background
 * send starts the count anew. Within a kind the order is that of `priority`.
 */
function weighted<C extends Orderable>(criticalPerBackground: number): ReadyQueue<C> {
  const critical = keyed<C>((call) => call.priority);
  const background = keyed<C>((call) => call.priority);
  let since = 0;
  const isBackgroundsTurn = (): boolean =>
    critical.size() === 0 || (background.size() > 0 && since >= criticalPerBackground);
  return {
    size: () => critical.size() + background.size(),
    push: (call) => (call.priority === 0 ? critical : background).push(call),
    peek: (nowS) => (isBackgroundsTurn() ? background : critical).peek(nowS),
    pop(nowS) {
      if (isBackgroundsTurn()) {
        since = 0;
        return background.pop(nowS);
      }
      if (background.size() > 0) since++;
      return critical.pop(nowS);
    },
  };
}
