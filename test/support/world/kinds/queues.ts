import { RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { AgentSpec, LimiterSpec, LimitSpec } from "../spec.ts";
import { refusedOf } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import { agentOf, burst, MINUTE, names, poisson, requests, serverOf, worldFrom } from "./scenery.ts";

type Priority = NonNullable<AgentSpec["priority"]>;

/** p95 of the time that calls of this priority waited on the client's side, ms. */
function waitedMs(truth: Journal, priority: Priority | null): number {
  const waits = truth.attempts
    .filter(({ agent }) => priority === null || agent.priority === priority)
    .map(({ readyMs, sentMs }) => sentMs - readyMs)
    .toSorted((a, b) => a - b);
  return waits[Math.floor(waits.length * 0.95)] ?? 0;
}

interface Queue {
  readonly limit: LimitSpec;
  readonly limiter: LimiterSpec;
}

function queueOf(random: Random, share: number, order: LimiterSpec["order"]): Queue {
  const perMinute = random.integer(60, 240);
  const limit = requests(perMinute, random.between(0.15, 0.3));
  const ratePerMinute = Math.round(perMinute * share);
  const burstSize = Math.max(1, Math.round(limit.capacity * Math.min(0.8, share)));
  return { limit, limiter: { id: "shared", ratePerMinute, burst: burstSize, order } };
}

function agentsBehind(agents: readonly AgentSpec[]): AgentSpec[] {
  return agents.map((agent) => ({ ...agent, limiter: "shared", retry: RETRIES.polite }));
}

/** First come, first served: what a user waits for stands behind the batch. */
export const priorityInversion: Kind = {
  name: "priority-inversion",
  draw: (random): Draft => {
    const { limit, limiter } = queueOf(random, random.between(0.88, 0.97), "fifo");
    const [batch, user] = names(random, 2);
    if (user === undefined) throw new Error("no user");
    const flood = Math.round(limiter.ratePerMinute * random.between(1, 2));
    const agents = agentsBehind([
      agentOf(batch, [burst(MINUTE, flood, 500), burst(5 * MINUTE, flood, 500)], { priority: "background" }),
      agentOf(user, [poisson(limiter.ratePerMinute * 0.12, 0, 8 * MINUTE)], { priority: "critical" }),
    ]);
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], limiters: [limiter], agents }),
      labels: { must: [{ rule: "priority-inversion" }], may: ["no-headroom"] },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length === 0, "something was refused"],
          [waitedMs(truth, "critical") > 15_000, "critical calls hardly waited"],
        ),
    };
  },
};

/** Critical calls always go first and leave nothing over. */
export const starvation: Kind = {
  name: "background-starvation",
  draw: (random): Draft => {
    const { limit, limiter } = queueOf(random, random.between(0.88, 0.97), "priority");
    const [batch, user, other] = names(random, 3);
    if (user === undefined || other === undefined) throw new Error("no user");
    const rate = limiter.ratePerMinute;
    const agents = agentsBehind([
      agentOf(batch, [poisson(rate * 0.2, 0, 8 * MINUTE)], { priority: "background" }),
      agentOf(user, [poisson(rate * 0.55, 0, 8 * MINUTE)], { priority: "critical" }),
      agentOf(other, [poisson(rate * 0.48, 0, 8 * MINUTE)], { priority: "critical" }),
    ]);
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], limiters: [limiter], agents }),
      labels: { must: [{ rule: "background-starvation" }], may: ["no-headroom"] },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length === 0, "something was refused"],
          [waitedMs(truth, "background") > 2 * MINUTE, "the background hardly waited"],
          [waitedMs(truth, "critical") < 45_000, "critical calls waited too"],
        ),
    };
  },
};

/** The client's own limiter is set to a third or half of what the server takes. */
export const limiterTooLow: Kind = {
  name: "limiter-too-low",
  draw: (random): Draft => {
    const { limit, limiter } = queueOf(random, random.between(0.3, 0.6), "fifo");
    const who = names(random, random.integer(2, 3));
    const agents = agentsBehind(
      who.map((name) => agentOf(name, [poisson((limiter.ratePerMinute * 1.25) / who.length, 0, 7 * MINUTE)])),
    );
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], limiters: [limiter], agents }),
      labels: { must: [{ rule: "limiter-too-low" }], may: [] },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length === 0, "something was refused"],
          [waitedMs(truth, null) > 20_000, "hardly anything waited"],
        ),
    };
  },
};

/** Priority works: the user's calls pass at once, the batch waits its turn and ends. */
export const priorityWorks: Kind = {
  name: "healthy-priority-works",
  draw: (random): Draft => {
    const { limit, limiter } = queueOf(random, random.between(0.88, 0.97), "priority");
    const [batch, user] = names(random, 2);
    if (user === undefined) throw new Error("no user");
    const rate = limiter.ratePerMinute;
    const agents = agentsBehind([
      agentOf(batch, [burst(2 * MINUTE, Math.round(rate * 0.6), 500)], { priority: "background" }),
      agentOf(user, [poisson(rate * 0.1, 0, 7 * MINUTE)], { priority: "critical" }),
    ]);
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], limiters: [limiter], agents }),
      labels: { must: [], may: [] },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length === 0, "something was refused"],
          [waitedMs(truth, "critical") < 3000, "critical calls waited"],
        ),
    };
  },
};
