import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHeap } from "../../src/simulate/heap.ts";
import { createReadyQueue, type Order, type Orderable } from "../../src/simulate/order.ts";
import { createRandom } from "../../src/simulate/random.ts";
import { createTokenBucket } from "../../src/simulate/token-bucket.ts";

test("a heap hands out what a sort would", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (numbers) => {
      const heap = createHeap<number>((a, b) => a < b);
      for (const number of numbers) heap.push(number);
      expect(numbers.map(() => heap.pop())).toEqual(numbers.toSorted((a, b) => a - b));
      expect([heap.size(), heap.peek(), heap.pop()]).toEqual([0, undefined, undefined]);
    }),
    { seed: 429 },
  );
});

test("the jitter's numbers are those of the published generator", () => {
  const random = createRandom(20_261_012);
  expect([random(), random(), random()].map((u) => u * 2 ** 32)).toEqual([
    1_891_695_331, 1_516_053_222, 1_468_488_973,
  ]);
});

describe("token bucket", () => {
  test("it starts full, refills continuously and holds no more than its capacity", () => {
    const bucket = createTokenBucket(2, 4);
    bucket.take(0, 1);
    bucket.take(0, 1);
    expect([bucket.holds(0, 1), bucket.waitFor(0, 1)]).toEqual([false, 0.25]);
    expect([bucket.holds(0.125, 1), bucket.waitFor(0.125, 1)]).toEqual([false, 0.125]);
    expect([bucket.holds(0.25, 1), bucket.waitFor(0.25, 1)]).toEqual([true, 0]);
    expect([bucket.holds(100, 2), bucket.holds(100, 2.5)]).toEqual([true, false]);
  });

  test("a token a hair short of one is a token, and leaves no debt", () => {
    const bucket = createTokenBucket(1, 1);
    bucket.take(0, 1);
    expect(bucket.holds(1 - 1e-8, 1)).toBe(false);
    expect(bucket.holds(1 - 1e-10, 1)).toBe(true);
    bucket.take(1 - 1e-10, 1);
    expect(bucket.waitFor(1 - 1e-10, 1)).toBe(1);
  });

  test("what it can never hold is waited for in vain", () => {
    expect(createTokenBucket(2, 4).waitFor(0, 3)).toBe(Number.POSITIVE_INFINITY);
    const dry = createTokenBucket(1, 0);
    dry.take(0, 1);
    expect(dry.waitFor(9, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(createTokenBucket(2, 4, 0.5).waitFor(0, 1)).toBe(0.125);
  });
});

/** Waiting calls, urgent ones as `c<arrival>` and background ones as `b<arrival>`, sent one a second from `fromS` on. */
function sent(order: Order, names: string, fromS: number): string {
  const queue = createReadyQueue<Orderable & { readonly name: string }>(order);
  for (const [index, name] of names.split(" ").entries())
    queue.push({ name, index, arrivalS: Number(name.slice(1)), priority: name.startsWith("c") ? 0 : 1 });
  const out: string[] = [];
  for (let nowS = fromS; queue.size() > 0; nowS++) {
    const next = queue.peek(nowS);
    expect(queue.pop(nowS)).toBe(next);
    out.push(next?.name ?? "nobody");
  }
  return out.join(" ");
}

describe("orders", () => {
  test.each<[string, Order, string]>([
    ["first come, first served", { kind: "fifo" }, "b0 b0 c1 b2 c3 c3"],
    ["the urgent first", { kind: "priority" }, "c1 c3 c3 b0 b0 b2"],
    // Of b0 and c1 at 1/s: 1 - 4 + 0 = 0 - 4 + 1. They are level, so the first come goes first.
    ["1/s of age", { kind: "linear-aging", perSecond: 1 }, "b0 b0 c1 b2 c3 c3"],
    // One step of priority is worth 2 s: b0 = c2, so c1 goes before b0 and c3 after.
    ["1/2 a second of age", { kind: "linear-aging", perSecond: 0.5 }, "c1 b0 b0 c3 c3 b2"],
    // At 4 s and 5 s nothing has waited 6 s; at 6 s both b0 have; b2 is due at 8 s.
    ["due after 6 s", { kind: "threshold-aging", afterS: 6 }, "c1 c3 b0 b0 b2 c3"],
    ["two to one", { kind: "weighted", criticalPerBackground: 2 }, "c1 c3 b0 c3 b0 b2"],
    ["one to one", { kind: "weighted", criticalPerBackground: 1 }, "c1 b0 c3 b0 c3 b2"],
  ])("%s", (_name, order, expected) => {
    expect(sent(order, "c3 b0 b2 b0 c1 c3", 4)).toBe(expected);
  });

  test("weights count only while both kinds wait", () => {
    const queue = createReadyQueue<Orderable>({ kind: "weighted", criticalPerBackground: 2 });
    const push = (index: number, priority: number): void => queue.push({ index, arrivalS: 0, priority });
    for (const index of [0, 1, 2, 3, 4, 5]) push(index, 0);
    expect([queue.pop(0), queue.pop(0), queue.pop(0)].map((call) => call?.index)).toEqual([0, 1, 2]);
    // Three critical sends with no background call in sight earn it nothing.
    push(6, 1);
    expect([queue.pop(0), queue.pop(0), queue.pop(0)].map((call) => call?.index)).toEqual([3, 4, 6]);
  });

  test("an empty queue has nobody", () => {
    for (const kind of ["fifo", "priority"] as const)
      expect(createReadyQueue({ kind }).pop(0)).toBeUndefined();
    expect(createReadyQueue({ kind: "threshold-aging", afterS: 1 }).pop(0)).toBeUndefined();
    expect(createReadyQueue({ kind: "weighted", criticalPerBackground: 1 }).pop(0)).toBeUndefined();
  });
});
