import { obeying, RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { LimitSpec } from "../spec.ts";
import { by, refusedOf, within } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  burst,
  INCIDENT_MAY,
  MINUTE,
  names,
  quietAgents,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

/** Most of an agent's requests that were under way at one moment. */
function mostInFlight(truth: Journal, agent: string): number {
  const own = truth.attempts.filter(by(agent));
  const steps = own.flatMap(({ sentMs, endMs }) => [
    { ms: sentMs, step: 1 },
    { ms: endMs, step: -1 },
  ]);
  let [now, most] = [0, 0];
  for (const { step } of steps.toSorted((a, b) => a.ms - b.ms || a.step - b.step)) {
    now += step;
    most = Math.max(most, now);
  }
  return most;
}

/** A cap on what is in flight, with answers so short that it starts more than the limit: a cap is not a rate. */
export const concurrencyCap: Kind = {
  name: "concurrency-cap",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(2, 3));
    const cap = random.integer(3, 8);
    const median = random.integer(90, 260);
    const perMinute = Math.round(((cap * 60_000) / median) * random.between(0.2, 0.5));
    const limit: LimitSpec = {
      id: "requests",
      amount: perMinute,
      capacity: Math.max(3, Math.ceil(perMinute / 60)),
    };
    const lengthMs = random.integer(2, 4) * MINUTE;
    const retry = random.pick([
      RETRIES.backoff,
      obeying(9, 0.2, 4000),
      { ...RETRIES.tenacity, maxAttempts: 10 },
    ]);
    const count = Math.round(perMinute * random.between(0.3, 0.7));
    const atMs = random.integer(20, 50) * SECOND;
    const agents = [
      ...quietAgents(random, others, perMinute * random.between(0.1, 0.2), lengthMs, retry),
      agentOf(agent, [burst(atMs, count, random.integer(0, 300))], {
        retry,
        cap,
        service: { median, sigma: 0.08 },
      }),
    ];
    const server = serverOf(random, [limit], { service: { median: random.integer(150, 400), sigma: 0.3 } });
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [{ rule: "concurrency-not-rate", agent }],
        may: [...INCIDENT_MAY, "fan-out-over-limit", "greedy-agent", "retry-after-ignored", "retry-storm"],
      },
      broken: (truth) => {
        const own = within(truth.attempts.filter(by(agent)), atMs, atMs + 10 * SECOND);
        return unless(
          [mostInFlight(truth, agent) === cap, "the cap was not reached"],
          [own.length * 6 >= 1.5 * perMinute, "it did not start more than the limit"],
          [refusedOf(own).length >= 20, "hardly any refusal"],
          [refusedOf(truth.attempts.filter((one) => !by(agent)(one))).length < 120, "others are the trouble"],
        );
      },
    };
  },
};

/** The same flat number in flight with slow answers: the rate stays far under the limit. */
export const healthyFlatCap: Kind = {
  name: "healthy-flat-cap",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(2, 4));
    const cap = random.integer(2, 6);
    const median = random.integer(2500, 6000);
    const starts = (cap * 60_000) / median;
    const perMinute = Math.round(starts * random.between(2.5, 5));
    const lengthMs = random.integer(5, 9) * MINUTE;
    const retry = RETRIES.openaiNode;
    const agents = [
      ...quietAgents(random, others, starts * 0.2, lengthMs, retry),
      agentOf(agent, [burst(MINUTE, Math.round(starts * 3), 300)], {
        retry,
        cap,
        service: { median, sigma: 0.15 },
      }),
    ];
    const limit: LimitSpec = { id: "requests", amount: perMinute, capacity: cap + Math.ceil(perMinute / 8) };
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], agents }),
      labels: { must: [], may: [] },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length === 0, "something was refused"],
          [mostInFlight(truth, agent) === cap, "the cap was not reached"],
        ),
    };
  },
};
