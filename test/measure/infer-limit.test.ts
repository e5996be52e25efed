import { describe, expect, test } from "vitest";
import { type Admission, inferLimit } from "../../src/measure/infer-limit.ts";

/** A bucket written anew here, fed with bursts that are refused and repeated after a fixed wait. */
function bucketLog(perMinute: number, capacity: number, seed: number, clumps: number): Admission[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const sends: number[] = [];
  let now = 0;
  for (let clump = 0; clump < clumps; clump++) {
    now += 20_000 + random() * 3 * capacity * (60_000 / perMinute);
    // A burst that comes in less time than the bucket needs to refill by a fifth.
    for (let i = 0; i < capacity + 10 + random() * Math.max(20, perMinute / 4); i++)
      sends.push(Math.round(now + random() * 0.2 * capacity * (60_000 / perMinute)));
  }
  const events: Admission[] = [];
  let level = capacity;
  let last = 0;
  const queue = sends.toSorted((a, b) => a - b);
  while (queue.length > 0) {
    const atMs = queue.shift() ?? 0;
    level = Math.min(capacity, level + ((atMs - last) * perMinute) / 60_000);
    last = atMs;
    const refused = level < 1;
    if (!refused) level -= 1;
    else {
      const again = atMs + 500 + Math.round(random() * 4_000);
      const place = queue.findIndex((t) => t > again);
      queue.splice(place === -1 ? queue.length : place, 0, again);
    }
    events.push({ atMs, refused });
  }
  return events;
}

describe("inferLimit", () => {
  // Limits as providers set them, with capacities from a twentieth to a third of the minute.
  const worlds = Array.from({ length: 24 }, (_, seed) => {
    const perMinute = [30, 43, 60, 90, 108, 150, 240, 360, 500, 600][seed % 10] ?? 60;
    const capacity = Math.max(2, Math.round(perMinute * (0.05 + 0.28 * ((seed * 0.381_966) % 1))));
    return [perMinute, Math.min(capacity, 40), seed + 1] as const;
  });

  test.each(worlds)("finds %d a minute with a capacity of %d (seed %d)", (perMinute, capacity, seed) => {
    const events = bucketLog(perMinute, capacity, seed, 8);
    expect(events.filter((e) => e.refused).length).toBeGreaterThanOrEqual(30);
    const found = inferLimit(events);
    if (!found.known) throw new Error(found.because);
    const { perMinute: rate, burst } = found.limit;
    expect(Math.abs(rate.best - perMinute) / perMinute).toBeLessThan(0.05);
    expect(rate.low).toBeLessThanOrEqual(perMinute * 1.001);
    expect(rate.high).toBeGreaterThanOrEqual(perMinute * 0.999);
    expect(Math.abs(burst.best - capacity)).toBeLessThanOrEqual(1);
  });

  test("says when there is too little", () => {
    const found = inferLimit([
      { atMs: 0, refused: false },
      { atMs: 1, refused: true },
    ]);
    expect(found).toEqual({ known: false, because: "1 refusals are too few to fit a limit; 10 are needed" });
  });

  test("does not claim a capacity that was never filled", () => {
    // Refused from the first moment on, steadily: the bucket never has the time to fill.
    const events = Array.from({ length: 400 }, (_, i) => ({ atMs: i * 250, refused: i % 4 !== 0 }));
    const found = inferLimit(events);
    if (!found.known) throw new Error(found.because);
    // One in four passes, each second: 60 a minute, or up to 80 with a bucket of one that spills what it cannot hold.
    expect(found.limit.perMinute.low).toBeGreaterThan(59);
    expect(found.limit.perMinute.low).toBeLessThan(61);
    expect(found.limit.perMinute.high).toBeLessThan(81);
    expect(found.limit.burst.high).toBeNull();
  });

  test("random refusals are no bucket", () => {
    let state = 7;
    const events = Array.from({ length: 600 }, (_, i) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return { atMs: i * 1_000, refused: state / 2 ** 32 < 0.3 };
    });
    expect(inferLimit(events).known).toBe(false);
  });
});
