/** A virtual clock: whatever is due first happens first; what is due together happens in the order of asking. */
export interface Clock {
  now(): number;
  /** A time in the past counts as now. */
  at(ms: number, happen: () => void): void;
  /** Until nothing is due any more. */
  run(): void;
}

interface Due {
  readonly ms: number;
  readonly order: number;
  readonly happen: () => void;
}

/** A world that gets here has clients that call each other without end. */
const MOST_EVENTS = 2_000_000;

export function createClock(): Clock {
  const heap: Due[] = [];
  let [now, asked] = [0, 0];
  return {
    now: () => now,
    at: (ms, happen) => {
      push(heap, { ms: Math.max(now, Math.round(ms)), order: asked++, happen });
    },
    run: () => {
      for (let due = pop(heap); due !== undefined; due = pop(heap)) {
        if (asked > MOST_EVENTS) throw new Error("this world does not come to an end");
        now = due.ms;
        due.happen();
      }
    },
  };
}

function before(a: Due, b: Due): boolean {
  return a.ms < b.ms || (a.ms === b.ms && a.order < b.order);
}

function push(heap: Due[], due: Due): void {
  let place = heap.length;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !before(due, above)) break;
    heap[place] = above;
    place = parent;
  }
  heap[place] = due;
}

function pop(heap: Due[]): Due | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
    if (left === undefined) break;
    const toRight = right !== undefined && before(right, left);
    const child = toRight ? right : left;
    if (!before(child, last)) break;
    heap[place] = child;
    place = 2 * place + (toRight ? 2 : 1);
  }
  heap[place] = last;
  return first;
}
