import * as fc from "fast-check";
import type { CallGroup, Scenario, Strategy } from "../../src/simulate/scenario-schema.ts";

/**
 * Random scenarios that end soon. Times are multiples of 50 ms and rates are small whole numbers half of the time, so that
 * tokens, completions and arrivals meet at one instant often; otherwise they are odd on purpose.
 */
const timeMs = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((steps) => steps * 50),
  fc.integer({ min: 0, max: 2_000 }),
  // Whole microseconds: far above the hair under which two times are one.
  fc.integer({ min: 0, max: 2_000_000 }).map((us) => us / 1_000),
);
const rate = fc.oneof(
  fc.constantFrom(0.5, 1, 2, 3, 4, 5, 6, 10, 20),
  fc.double({ min: 0.5, max: 20, noNaN: true }),
);
const bucketSize = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.double({ min: 1, max: 6, noNaN: true }));

const group: fc.Arbitrary<CallGroup> = fc
  .record({
    count: fc.integer({ min: 0, max: 12 }),
    atMs: timeMs,
    everyMs: timeMs,
    priority: fc.constantFrom(0, 1, 1, 2, 3),
    marked: fc.array(fc.nat(11), { maxLength: 3 }),
  })
  .map(({ marked, ...rest }) => ({ ...rest, critical: marked.filter((position) => position < rest.count) }));

export const aging: fc.Arbitrary<NonNullable<Strategy["aging"]>> = fc.oneof(
  fc.record({ perSecond: fc.constantFrom(0, 0.1, 0.5, 1, 1 / 3, 4) }),
  fc.record({ afterMs: timeMs }),
);

export const order: fc.Arbitrary<
  Pick<Strategy, "order"> & { readonly aging?: NonNullable<Strategy["aging"]> }
> = fc.oneof(
  fc.constantFrom({ order: "fifo" } as const, { order: "priority" } as const),
  aging.map((one) => ({ order: "priority" as const, aging: one })),
  fc.integer({ min: 1, max: 4 }).map((weighted) => ({ order: { weighted } })),
);

export const limiter: fc.Arbitrary<NonNullable<Strategy["limiter"]>> = fc.record({
  ratePerSecond: rate,
  burst: bucketSize,
});

export const strategy: fc.Arbitrary<Strategy> = fc
  .record({
    retry: fc.constantFrom(true, true, true, false),
    limits: fc.record({ limiter, concurrency: fc.integer({ min: 1, max: 5 }) }, { requiredKeys: [] }),
    order,
  })
  .map(({ retry, limits, order: ordered }) => ({ id: "one", retry, ...limits, ...ordered }));

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  server: fc.record({ capacity: bucketSize, ratePerSecond: rate }),
  latencyMs: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 9, arbitrary: timeMs }),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  retry: fc.record(
    {
      baseMs: fc.constantFrom(50, 100, 500, 333),
      factor: fc.constantFrom(1, 1.5, 2, 3),
      jitterMs: fc.constantFrom(0, 0, 50, 200),
      maxRetries: fc.nat(4),
    },
    { requiredKeys: ["baseMs", "factor", "jitterMs"] },
  ),
  calls: fc.array(group, { minLength: 1, maxLength: 4 }),
  strategies: strategy.map((one) => [one]),
});
