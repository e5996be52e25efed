import { exactly, obeying, RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { ArrivalSpec, RetrySpec } from "../spec.ts";
import { by, firsts, inIncidents, isRefused, share } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  INCIDENT_MAY,
  mayOfRetry,
  MINUTE,
  names,
  poisson,
  quietAgents,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

/** Far more than the limit, in fan-outs or as a steady stream. */
function flood(random: Random, perMinute: number, capacity: number, lengthMs: number): ArrivalSpec[] {
  if (random.chance(0.35)) {
    const fromMs = random.between(0.2, 0.4) * lengthMs;
    return [poisson(perMinute * random.between(1.6, 3), fromMs, fromMs + random.between(2, 4) * MINUTE)];
  }
  const bursts = random.integer(2, 4);
  const count = Math.round(capacity * random.between(3, 5) + perMinute * 0.4);
  return Array.from({ length: bursts }, (_, i) => ({
    kind: "burst",
    atMs: Math.round(((i + random.between(0.3, 0.7)) * lengthMs) / bursts),
    count,
    overMs: random.integer(1, 20) * SECOND,
    run: "run_1",
  }));
}

function politeRetry(random: Random): RetrySpec {
  return random.pick([
    obeying(random.integer(5, 7), random.between(0.1, 0.5), random.integer(200, 1500)),
    obeying(6, 0, 3000),
    exactly(5),
    RETRIES.polite,
    RETRIES.openaiNode,
  ]);
}

function dominates(truth: Journal, agent: string): string | null {
  const attempts = inIncidents(truth, "main");
  const others = attempts.filter((one) => !by(agent)(one));
  return unless(
    [attempts.filter(isRefused).length >= 20, "hardly any refusal"],
    [share(attempts, by(agent)) >= 0.84, "its share of the attempts is too small"],
    [share(firsts(attempts), by(agent)) >= 0.82, "its share of the first attempts is too small"],
    [others.length >= 4 && others.some(isRefused), "no other agent was hurt"],
  );
}

/** One agent takes over 80 % of a limit that others use too. */
export const greedy: Kind = {
  name: "greedy",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(3, 6));
    const perMinute = random.integer(20, 200);
    const lengthMs = random.integer(8, 15) * MINUTE;
    const limit = requests(perMinute, random.between(0.06, 0.3));
    const server = serverOf(random, [limit]);
    const retry = politeRetry(random);
    const agents = [
      ...quietAgents(random, others, perMinute * random.between(0.05, 0.15), lengthMs, retry),
      agentOf(agent, flood(random, perMinute, limit.capacity, lengthMs), {
        retry,
        ...(random.chance(0.4) ? { cap: random.integer(20, 60) } : {}),
      }),
    ];
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [{ rule: "greedy-agent", agent }],
        may: [
          ...INCIDENT_MAY,
          "fan-out-over-limit",
          "concurrency-not-rate",
          "priority-inversion",
          "blocking-stages",
          ...mayOfRetry(retry, server),
        ],
      },
      broken: (truth) => dominates(truth, agent),
    };
  },
};
