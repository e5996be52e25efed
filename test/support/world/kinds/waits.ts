import { obeying, RETRIES } from "../client/retries.ts";
import type { StageSpec } from "../spec.ts";
import { refusedOf } from "../truth.ts";
import { NOTHING } from "./healthy.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import { agentOf, MINUTE, names, requests, SECOND, serverOf, worldFrom } from "./scenery.ts";

function stage(agent: string, calls: number, overMs: number): StageSpec {
  return { agent, calls, scales: false, overMs, afterMs: 0 };
}

/** Stages wait for each other with timeouts to spare. */
export const waitsOk: Kind = {
  name: "healthy-waits-ok",
  draw: (random): Draft => {
    const [worker, ...waiters] = names(random, random.integer(2, 4));
    const perMinute = random.integer(100, 400);
    const limit = requests(perMinute, random.between(0.1, 0.2));
    const calls = Math.max(2, Math.floor(limit.capacity * random.between(0.2, 0.5)));
    const everyMs = random.integer(60, 150) * SECOND;
    const stages = [
      stage(worker, calls, 0),
      ...waiters.map((name, i) => ({
        ...stage(name, 1, 0),
        waitsFor: waiters[i - 1] ?? worker,
        timeoutMs: random.integer(180, 400) * SECOND,
      })),
    ];
    const runs = Array.from({ length: random.integer(4, 9) }, (_, i) => ({
      id: `run_${i}`,
      atMs: i * everyMs,
      scale: 1,
    }));
    return {
      spec: worldFrom(random, {
        servers: [serverOf(random, [limit])],
        agents: [worker, ...waiters].map((name) => agentOf(name, [])),
        pipelines: [{ runs, stages, failure: "told", onFailure: [] }],
      }),
      labels: NOTHING,
      broken: (truth) =>
        unless(
          [
            truth.waits.length >= 4 && truth.waits.every(({ outcome }) => outcome === "ok"),
            "a wait was not ok",
          ],
          [refusedOf(truth.attempts).length === 0, "something was refused"],
        ),
    };
  },
};

/** Refusals are waited out by timeouts that are long enough. */
export const longTimeout: Kind = {
  name: "timeout-long-enough",
  draw: (random): Draft => {
    const [worker, waiter] = names(random, 2);
    if (waiter === undefined) throw new Error("no waiter");
    const limit = requests(random.integer(30, 80), random.between(0.08, 0.2));
    const hintMs = random.integer(10, 30) * SECOND;
    const stages = [
      stage(worker, limit.capacity + random.integer(4, 8), 0),
      { ...stage(waiter, 1, 0), waitsFor: worker, timeoutMs: hintMs * 12 + 2 * MINUTE },
    ];
    const runs = [0, 1, 2].map((i) => ({ id: `run_${i}`, atMs: i * 8 * MINUTE, scale: 1 }));
    const retry = obeying(4, random.between(0.7, 1), 3000);
    return {
      spec: worldFrom(random, {
        servers: [serverOf(random, [limit], { hint: { kind: "fixed", ms: hintMs } })],
        agents: [worker, waiter].map((name) => agentOf(name, [], { retry })),
        pipelines: [{ runs, stages, failure: "told", onFailure: [] }],
      }),
      labels: {
        must: [],
        may: [
          "fan-out-over-limit",
          "high-429-ratio",
          "burst-over-capacity",
          "greedy-agent",
          "no-headroom",
          "synchronised-start",
        ],
      },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length >= 9, "hardly any refusal"],
          [truth.waits.every(({ outcome }) => outcome === "ok"), "a wait was not ok"],
        ),
    };
  },
};

/** The waiter gave up on work that was merely slow: no refusal is in the chain. */
export const slowSuccess: Kind = {
  name: "healthy-slow-success-timeout",
  draw: (random): Draft => {
    const [worker, waiter] = names(random, 2);
    if (waiter === undefined) throw new Error("no waiter");
    const perMinute = random.integer(100, 400);
    const median = random.integer(40, 80) * SECOND;
    const stages = [
      stage(worker, random.integer(3, 8), 0),
      { ...stage(waiter, 1, 0), waitsFor: worker, timeoutMs: Math.round(median * random.between(0.8, 1.3)) },
    ];
    const runs = [0, 1, 2, 3].map((i) => ({ id: `run_${i}`, atMs: i * 5 * MINUTE, scale: 1 }));
    return {
      spec: worldFrom(random, {
        servers: [serverOf(random, [requests(perMinute, 0.2)])],
        agents: [
          agentOf(worker, [], { service: { median, sigma: 0.35 }, retry: RETRIES.openaiNode }),
          agentOf(waiter, []),
        ],
        pipelines: [{ runs, stages, failure: "told", onFailure: [] }],
      }),
      labels: NOTHING,
      broken: (truth) =>
        unless(
          [truth.waits.some(({ outcome }) => outcome === "timeout"), "nobody gave up"],
          [refusedOf(truth.attempts).length === 0, "something was refused"],
        ),
    };
  },
};
