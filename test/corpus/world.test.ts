import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactly, fixed, RETRIES } from "../support/world/client/retries.ts";
import { createClock } from "../support/world/clock.ts";
import { applyFix } from "../support/world/fix.ts";
import { greedy } from "../support/world/kinds/greedy.ts";
import { worldOf } from "../support/world/kinds/kind.ts";
import {
  agentOf,
  burst,
  MINUTE,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "../support/world/kinds/scenery.ts";
import { shortTimeout } from "../support/world/kinds/short-timeout.ts";
import { asFatal } from "../support/world/kinds/as-fatal.ts";
import { tokenLimit } from "../support/world/kinds/tokens.ts";
import { createRandom } from "../support/world/random.ts";
import { ndjson } from "../support/world/record.ts";
import { createBucket } from "../support/world/server/bucket.ts";
import { goDuration } from "../support/world/server/wording.ts";
import type { AgentSpec, LimitSpec, WorldSpec } from "../support/world/spec.ts";
import { chainsOf, failedOf, numbersOf, refusedOf } from "../support/world/truth.ts";
import { runWorld } from "../support/world/world.ts";

/** 60 a minute, one at a time: the next fits a second after the last. */
const ONE_A_SECOND: LimitSpec = { id: "requests", amount: 60, capacity: 1 };

function worldWith(agents: readonly AgentSpec[], limit: LimitSpec, more: Partial<WorldSpec> = {}): WorldSpec {
  const random = createRandom("world test");
  const server = serverOf(random, [limit], { wording: "openai", service: { median: 300, sigma: 0 } });
  return worldFrom(random, { servers: [server], agents, ...more });
}

/** Each amount with its time never exceeds what the bucket held plus what came in: over every pair of moments. */
function overdrawn(
  taken: readonly { readonly ms: number; readonly cost: number }[],
  { amount, capacity }: { readonly amount: number; readonly capacity: number },
): number {
  const sorted = taken.toSorted((a, b) => a.ms - b.ms);
  let windows = 0;
  for (const [i, first] of sorted.entries()) {
    let sum = 0;
    for (const { ms, cost } of sorted.slice(i)) {
      sum += cost;
      if (sum * MINUTE > capacity * MINUTE + (ms - first.ms) * amount) windows++;
    }
  }
  return windows;
}

describe("chance", () => {
  test("is the same for the same labels and other for others", () => {
    const draws = (...labels: string[]): number[] => {
      const random = createRandom(...labels);
      return Array.from({ length: 20 }, () => random.next());
    };
    expect(draws("a", "b")).toEqual(draws("a", "b"));
    expect(draws("a", "b")).not.toEqual(draws("ab"));
    expect(draws("a", "b")).not.toEqual(draws("a", "c"));
  });

  test("has the means that it says", () => {
    const random = createRandom("means");
    const mean = (draw: () => number): number =>
      Array.from({ length: 20_000 }, draw).reduce((sum, value) => sum + value, 0) / 20_000;
    expect(mean(() => random.next())).toBeCloseTo(0.5, 1);
    expect(mean(() => random.exponential(10))).toBeCloseTo(10, 0);
    expect(mean(() => Math.log(random.lognormal(Math.E, 0.5)))).toBeCloseTo(1, 1);
    expect(mean(() => random.integer(1, 6))).toBeCloseTo(3.5, 1);
  });
});

test("the clock keeps to time, and to the order of asking at one time", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 }), (times) => {
      const clock = createClock();
      const seen: { readonly ms: number; readonly index: number }[] = [];
      for (const [index, ms] of times.entries())
        clock.at(ms, () => {
          expect(clock.now()).toBe(ms);
          seen.push({ ms, index });
        });
      clock.run();
      expect(seen).toEqual(
        times.map((ms, index) => ({ ms, index })).toSorted((a, b) => a.ms - b.ms || a.index - b.index),
      );
    }),
  );
});

test("a bucket is full until used, refills without steps, and tells the exact wait", () => {
  const bucket = createBucket(60, MINUTE, 5);
  bucket.take(0, 5);
  expect([bucket.remaining(0), bucket.fits(999, 1), bucket.fits(1000, 1)]).toEqual([0, false, true]);
  expect([bucket.waitMs(1000, 3), bucket.remaining(2500), bucket.remaining(60_000)]).toEqual([2000, 2, 5]);
});

test("a bucket never tells a wait after which the request does not fit, nor one that is too long", () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 5000 }),
    cost: fc.integer({ min: 1, max: 6 }),
  });
  const limit = { amount: fc.integer({ min: 1, max: 500 }), capacity: fc.integer({ min: 6, max: 40 }) };
  fc.assert(
    fc.property(fc.record(limit), fc.array(step, { maxLength: 40 }), ({ amount, capacity }, steps) => {
      const bucket = createBucket(amount, MINUTE, capacity);
      const taken: { readonly ms: number; readonly cost: number }[] = [];
      let now = 0;
      for (const { afterMs, cost } of steps) {
        now += afterMs;
        const waitMs = bucket.waitMs(now, cost);
        expect(bucket.fits(now, cost)).toBe(waitMs === 0);
        if (waitMs > 0) {
          expect(bucket.fits(now + waitMs - 1, cost)).toBe(false);
          now += waitMs;
        }
        expect(bucket.fits(now, cost)).toBe(true);
        bucket.take(now, cost);
        taken.push({ ms: now, cost });
      }
      expect(overdrawn(taken, { amount, capacity })).toBe(0);
    }),
  );
});

describe("a world", () => {
  test("two calls, room for one: the second is told to wait out the second, and passes", () => {
    const agent = agentOf("solo", [burst(0, 2, 0)], { retry: exactly(3) });
    const { truth, records } = runWorld(worldWith([agent], ONE_A_SECOND));
    const [refused] = refusedOf(truth.attempts);
    expect(refused).toMatchObject({ sentMs: 0, attempt: 1, hintMs: 1000, dimension: "requests" });
    expect(records[0]).toMatchObject({
      status: 429,
      error_type: "requests",
      headers: {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "0",
        "retry-after": "1",
        "retry-after-ms": "1000",
      },
    });
    const again = truth.attempts.find(({ attempt }) => attempt === 2);
    expect(again).toMatchObject({ outcome: "ok", sentMs: (refused?.endMs ?? 0) + 1000 });
  });

  test("conserves calls: attempts are numbered, do not overlap, and only the last can pass", () => {
    for (const kind of [greedy, asFatal, tokenLimit]) {
      const { truth, records } = worldOf(kind, 7);
      const chains = chainsOf(truth);
      expect(chains.size).toBe(truth.calls.length);
      expect(records).toHaveLength(truth.attempts.length + truth.waits.length + truth.actions.length);
      for (const { callId, attempts, outcome } of truth.calls) {
        const chain = chains.get(callId) ?? [];
        expect(chain.map(({ attempt }) => attempt)).toEqual(
          Array.from({ length: attempts }, (_, i) => i + 1),
        );
        expect(chain.slice(0, -1).filter((one) => one.outcome === "ok")).toEqual([]);
        expect(chain.at(-1)?.outcome).toBe(outcome);
        for (const [i, { readyMs }] of chain.entries())
          expect(readyMs).toBeGreaterThanOrEqual(chain[i - 1]?.endMs ?? 0);
      }
    }
  });

  test("lets nobody over the limit, in any window", () => {
    for (const kind of [greedy, tokenLimit])
      for (const seed of [1, 2]) {
        const { truth, spec } = worldOf(kind, seed);
        const passed = truth.attempts.filter(({ outcome }) => outcome === "ok");
        for (const limit of spec.servers[0]?.limits ?? []) {
          const taken = passed.map(({ sentMs, inputTokens }) => ({
            ms: sentMs,
            cost: limit.id === "tokens" ? inputTokens : 1,
          }));
          expect(taken.length).toBeGreaterThan(20);
          expect(overdrawn(taken, limit)).toBe(0);
        }
      }
  });

  test("states in its headers what the bucket holds", () => {
    const agent = agentOf("solo", [burst(0, 3, 0), burst(5000, 1, 0)], { retry: RETRIES.never });
    const { records } = runWorld(worldWith([agent], { id: "requests", amount: 60, capacity: 3 }));
    const remaining = records.map(
      ({ headers }) => fc.stringify(headers).match(/remaining-requests":"(\d+)"/)?.[1],
    );
    expect(remaining).toEqual(["2", "1", "0", "2"]);
  });

  test("keeps a cap on requests in flight", () => {
    const limit: LimitSpec = { id: "concurrency", amount: 2, capacity: 2 };
    const agent = agentOf("solo", [burst(0, 5, 0)], { retry: RETRIES.never });
    const { truth } = runWorld(worldWith([agent], limit));
    expect(truth.attempts.map(({ outcome }) => outcome).toSorted()).toEqual([
      "ok",
      "ok",
      "throttled",
      "throttled",
      "throttled",
    ]);
    expect(refusedOf(truth.attempts).every(({ dimension }) => dimension === "concurrency")).toBe(true);
  });

  test("gives the same bytes for the same seed", () => {
    const bytes = (seed: number): string => ndjson(worldOf(greedy, seed).records);
    expect(bytes(3)).toBe(bytes(3));
    expect(bytes(3)).not.toBe(bytes(4));
  });

  test("meets the same calls when a client changes", () => {
    const { spec } = worldOf(asFatal, 3);
    const firsts = (one: WorldSpec): readonly string[] =>
      runWorld(one)
        .truth.attempts.filter(({ attempt }) => attempt === 1)
        .map(({ callId, readyMs, inputTokens, outputTokens }) =>
          [callId, readyMs, inputTokens, outputTokens].join(),
        )
        .toSorted();
    const changed = { ...spec, agents: spec.agents.map((agent) => ({ ...agent, retry: fixed(9, 5000) })) };
    expect(firsts(changed)).toEqual(firsts(spec));
  });

  test("a client's limiter sends no more than burst and rate allow, in any window, and says what waited", () => {
    const limiter = { id: "own", ratePerMinute: 120, burst: 3, order: "fifo" } as const;
    const agent = agentOf("solo", [burst(0, 30, 2000)], { retry: RETRIES.never, limiter: "own" });
    const { truth, records } = runWorld(worldWith([agent], requests(600, 0.2), { limiters: [limiter] }));
    const sent = truth.attempts.map(({ sentMs }) => ({ ms: sentMs, cost: 1 }));
    expect(overdrawn(sent, { amount: 120, capacity: 3 })).toBe(0);
    expect(refusedOf(truth.attempts)).toEqual([]);
    expect(Math.max(...records.map(({ queued_ms: queued }) => Number(queued)))).toBeGreaterThan(10_000);
  });

  test("priority goes first and first come first served keeps order", () => {
    const order = (kind: "fifo" | "priority"): readonly string[] => {
      const limiters = [{ id: "own", ratePerMinute: 60, burst: 1, order: kind }];
      const common = { retry: RETRIES.never, limiter: "own" };
      const agents = [
        agentOf("batch", [burst(0, 4, 0)], { ...common, priority: "background" }),
        agentOf("user", [burst(500, 1, 0)], { ...common, priority: "critical" }),
      ];
      const { truth } = runWorld(worldWith(agents, requests(600, 0.2), { limiters }));
      return truth.attempts.toSorted((a, b) => a.sentMs - b.sentMs).map(({ agent }) => agent.name);
    };
    expect(order("fifo")).toEqual(["batch", "batch", "batch", "batch", "user"]);
    expect(order("priority")).toEqual(["batch", "user", "batch", "batch", "batch"]);
  });

  test("stages wait, give up, and take the run down with them", () => {
    const calls = { scales: false, overMs: 0, afterMs: 0 };
    const stages = [
      { ...calls, agent: "slow", calls: 1 },
      { ...calls, agent: "middle", calls: 1, waitsFor: "slow", timeoutMs: 10 * SECOND },
      { ...calls, agent: "last", calls: 1, waitsFor: "middle", timeoutMs: 15 * SECOND },
    ];
    const agents = ["slow", "middle", "last"].map((name) =>
      agentOf(name, [], { service: { median: 40_000, sigma: 0 } }),
    );
    const happen = (failure: "told" | "silent"): readonly (readonly [string, string, number])[] => {
      const runs = [{ id: "run_1", atMs: 0, scale: 1 }];
      const onFailure = [{ agent: "boss", action: "rollback" }];
      const pipelines = [{ runs, stages, failure, onFailure }];
      const { truth } = runWorld(worldWith(agents, requests(600, 0.2), { pipelines }));
      expect(truth.actions.map(({ action }) => action)).toEqual(["rollback"]);
      expect(truth.attempts.map(({ agent }) => agent.name)).toEqual(["slow"]);
      return truth.waits.map(({ agent, outcome, toMs }) => [agent, outcome, toMs]);
    };
    expect(happen("told")).toEqual([
      ["middle", "timeout", 10_000],
      ["last", "error", 10_000],
    ]);
    expect(happen("silent")).toEqual([
      ["middle", "timeout", 10_000],
      ["last", "timeout", 15_000],
    ]);
  });
});

test("durations are written as Go writes them", () => {
  expect([120, 1395, 60_000, 360_000, 3_723_500].map(goDuration)).toEqual([
    "120ms",
    "1.395s",
    "1m0s",
    "6m0s",
    "1h2m3.5s",
  ]);
});

describe("a fix in the world that needs it", () => {
  test("a shared limiter under the server's rate ends the refusals", () => {
    const { spec, truth } = worldOf(greedy, 5);
    const limit = spec.servers[0]?.limits[0];
    if (limit === undefined) throw new Error("no limit");
    const pace = {
      kind: "pace",
      scope: "bucket",
      bucket: "b",
      ratePerMinute: limit.amount,
      burst: limit.capacity,
    } as const;
    const fixedSpec = applyFix(spec, pace, "main");
    if (fixedSpec === null) throw new Error("a world knows limiters");
    expect(numbersOf(truth).refusals).toBeGreaterThan(0);
    expect(numbersOf(runWorld(fixedSpec).truth)).toMatchObject({ refusals: 0, failedCalls: 0 });
  });

  test("a timeout longer than the chain keeps the waiter", () => {
    const { spec, truth, labels } = worldOf(shortTimeout, 5);
    const waiter = labels.must[0]?.agent ?? "";
    const waitsFor = truth.waits.find(({ agent }) => agent === waiter)?.waitsFor ?? "";
    const timeout = { kind: "timeout", waiter, waitsFor, timeoutMs: 20 * MINUTE } as const;
    const fixedSpec = applyFix(spec, timeout, "main");
    if (fixedSpec === null) throw new Error("a world knows timeouts");
    const late = runWorld(fixedSpec).truth.waits.filter(
      ({ agent, outcome }) => agent === waiter && outcome !== "ok",
    );
    expect(late).toEqual([]);
  });

  test("a client that knows what is transient fails less", () => {
    const { spec, truth, labels } = worldOf(asFatal, 5);
    const agent = labels.must[0]?.agent ?? "";
    const classify = {
      kind: "classify",
      agent,
      transient: [429, 500, 503, 529],
      permanent: [400, 401, 403],
    } as const;
    const fixedSpec = applyFix(spec, classify, "main");
    if (fixedSpec === null) throw new Error("a world knows retries");
    expect(failedOf(runWorld(fixedSpec).truth).length).toBeLessThan(failedOf(truth).length);
  });

  test("advice that no world knows changes nothing", () => {
    expect(applyFix(worldOf(asFatal, 5).spec, { kind: "tag", advice: "tag your calls" }, "main")).toBeNull();
  });
});
