import { obeying, RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { PipelineSpec, RetrySpec, WordingId } from "../spec.ts";
import { by, firsts, peakOf, refusedOf, share } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  burst,
  INCIDENT_MAY,
  mayOfRetry,
  MINUTE,
  names,
  quietAgents,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

/** A planner makes one call, then the worker fans out; the small runs come first. */
function pipelineOf(
  random: Random,
  planner: string,
  worker: string,
  small: number,
  big: number,
): PipelineSpec {
  const smallRuns = random.integer(2, 4);
  const gapMs = random.integer(90, 200) * SECOND;
  return {
    runs: [
      ...Array.from({ length: smallRuns }, (_, i) => ({
        id: `run_small_${i + 1}`,
        atMs: i * gapMs,
        scale: 1,
      })),
      { id: "run_big", atMs: smallRuns * gapMs, scale: big / small },
    ],
    stages: [
      { agent: planner, calls: 1, scales: false, overMs: 0, afterMs: 0 },
      {
        agent: worker,
        calls: small,
        scales: true,
        overMs: random.pick([0, 500, 3000]),
        afterMs: random.integer(1500, 4000),
      },
    ],
    failure: "told",
    onFailure: [],
  };
}

function onlyTheBigRunWasRefused(truth: Journal, worker: string): string | null {
  const refused = refusedOf(truth.attempts);
  return unless(
    [refused.filter(by(worker)).length >= 15, "the big run fitted"],
    [refused.every(({ run }) => run === "run_big"), "a small run was refused"],
  );
}

function politeRetry(random: Random): RetrySpec {
  return random.pick([obeying(7, 0.3, 500), obeying(5, 1, 1000), RETRIES.openaiNode, RETRIES.polite]);
}

function fanOutOf(name: string, wording: WordingId | null): Kind {
  return {
    name,
    draw: (random): Draft => {
      const [worker, planner] = names(random, 2);
      if (planner === undefined) throw new Error("no planner");
      const perMinute = random.integer(30, 150);
      const limit = requests(perMinute, random.between(0.1, 0.25));
      const server = serverOf(random, [limit], wording === null ? {} : { wording });
      const retry = politeRetry(random);
      const small = Math.max(2, Math.floor(limit.capacity * random.between(0.4, 0.65)));
      const big = Math.round(limit.capacity * 2 + perMinute * random.between(0.5, 1.5));
      const agents = [agentOf(planner, [], { retry }), agentOf(worker, [], { retry })];
      return {
        spec: worldFrom(random, {
          servers: [server],
          agents,
          pipelines: [pipelineOf(random, planner, worker, small, big)],
        }),
        labels: {
          must: [{ rule: "fan-out-over-limit", agent: worker }],
          may: [...INCIDENT_MAY, "greedy-agent", "fan-out-over-limit", ...mayOfRetry(retry, server)],
        },
        broken: (truth) => onlyTheBigRunWasRefused(truth, worker),
      };
    },
  };
}

/** Small runs pass, the run with many tasks does not. */
export const fanOut: Kind = fanOutOf("fan-out", null);

/** The same against a server that never states its limit. */
export const fanOutUnstated: Kind = fanOutOf("fan-out-unstated-limit", "bare");

/** Nothing was refused yet, but the largest fan-out takes nearly all that the bucket holds. */
export const fanOutRisk: Kind = {
  name: "fan-out-risk",
  draw: (random): Draft => {
    const [worker, ...others] = names(random, 3);
    const perMinute = random.integer(60, 300);
    // Near a minute's worth in the bucket, so that the burst is near the limit however one counts it.
    const limit = requests(perMinute, random.between(0.92, 1));
    const lengthMs = 9 * MINUTE;
    const count = Math.floor(limit.capacity * random.between(0.84, 0.92));
    const retry = obeying(5, 0.3, 500);
    const agents = [
      agentOf(worker, [burst(3 * MINUTE, count, 200), burst(6 * MINUTE, count, 200)], { retry }),
      ...quietAgents(random, others, perMinute * 0.03, lengthMs, retry),
    ];
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], agents }),
      labels: { must: [{ rule: "fan-out-over-limit", agent: worker }], may: ["synchronised-start"] },
      broken: (truth) => unless([refusedOf(truth.attempts).length === 0, "something was refused"]),
    };
  },
};

/** More than the limit, but slowly: no fan-out. */
export const steadyOver: Kind = {
  name: "steady-over-limit",
  draw: (random): Draft => {
    const who = names(random, random.integer(3, 5));
    const perMinute = random.integer(30, 120);
    const lengthMs = random.integer(7, 12) * MINUTE;
    const server = serverOf(random, [requests(perMinute, random.between(0.12, 0.3))]);
    const retry = obeying(random.integer(4, 6), 0.5, 2000);
    const agents = quietAgents(random, who, perMinute * random.between(1.1, 1.3), lengthMs, retry);
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [{ rule: "no-headroom" }], may: INCIDENT_MAY },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length >= 10, "hardly any refusal"],
          [who.every((name) => share(firsts(truth.attempts), by(name)) < 0.6), "one agent stands out"],
          [
            who.every(
              (name) => peakOf(firsts(truth.attempts).filter(by(name)), 10 * SECOND) < perMinute / 4 + 3,
            ),
            "somebody fanned out",
          ],
        ),
    };
  },
};
