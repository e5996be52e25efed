import { obeying, RETRIES } from "../client/retries.ts";
import type { LimitSpec } from "../spec.ts";
import { by, refusedOf, share } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  INCIDENT_MAY,
  MINUTE,
  names,
  poisson,
  quietAgents,
  requests,
  serverOf,
  worldFrom,
} from "./scenery.ts";

/** The allowance of the day ends during the log; waiting seconds cannot help. */
export const dailyLimit: Kind = {
  name: "daily-limit",
  draw: (random): Draft => {
    const who = names(random, random.integer(2, 4));
    const amount = random.integer(200, 2000);
    const lengthMs = random.integer(6, 10) * MINUTE;
    const load = random.between(15, 40);
    const day: LimitSpec = {
      id: "requests-day",
      amount,
      capacity: amount,
      initial: (load * (lengthMs / MINUTE) * random.between(0.3, 0.6)) / amount,
    };
    const server = serverOf(random, [requests(random.integer(200, 500), 0.2), day], {
      wording: random.pick(["openai", "openai", "groq"]),
    });
    const retry = random.pick([RETRIES.never, RETRIES.openaiNode, { ...RETRIES.tenacity, maxAttempts: 4 }]);
    return {
      spec: worldFrom(random, { servers: [server], agents: quietAgents(random, who, load, lengthMs, retry) }),
      labels: {
        must: [{ rule: "daily-limit" }],
        may: [
          "high-429-ratio",
          "excessive-retries",
          "retry-after-ignored",
          "retry-budget-too-short",
          "permanent-error-retried",
          "transient-as-fatal",
        ],
      },
      broken: (truth) => {
        const refused = refusedOf(truth.attempts);
        return unless(
          [refused.length >= 20, "hardly any refusal"],
          [share(refused, ({ outcome }) => outcome === "daily") === 1, "the minute was over too"],
          [truth.calls.some(({ outcome }) => outcome === "ok"), "nothing passed"],
        );
      },
    };
  },
};

/** Under every limit, but growing too fast. */
export const acceleration: Kind = {
  name: "acceleration-limit",
  draw: (random): Draft => {
    const who = names(random, random.integer(2, 4));
    const floor = random.integer(20, 50);
    const lengthMs = random.integer(12, 15) * MINUTE;
    const jumpMs = random.integer(6, 8) * MINUTE;
    const wording = random.pick(["anthropic", "openai"] as const);
    const server = serverOf(random, [requests(floor * random.integer(15, 30), 0.2)], {
      wording,
      ramp: { floor, factor: 1.5 },
      hint: wording === "anthropic" ? { kind: "fixed", ms: 45_000 } : { kind: "none" },
    });
    const retry =
      wording === "anthropic" ? obeying(5, 0.5, 5000) : { ...RETRIES.backoff, jitterMs: 4000, factor: 3 };
    const agents = quietAgents(random, who, floor * 0.8, lengthMs, retry).map((agent) => ({
      ...agent,
      arrivals: [...agent.arrivals, poisson((floor * random.between(2.5, 4)) / who.length, jumpMs, lengthMs)],
    }));
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [{ rule: "acceleration-limit" }], may: [...INCIDENT_MAY, "retry-storm"] },
      broken: (truth) => {
        const refused = refusedOf(truth.attempts);
        return unless(
          [refused.length >= 20, "hardly any refusal"],
          [share(refused, ({ outcome }) => outcome === "acceleration") === 1, "another limit was hit"],
        );
      },
    };
  },
};

/** A 429 that has nothing to do with how much is sent: some requests never pass, others on the key always do. */
export const requestNotRate: Kind = {
  name: "request-not-rate",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(3, 4));
    const lengthMs = 8 * MINUTE;
    const server = serverOf(random, [requests(random.integer(200, 500), 0.2)], {
      wording: random.pick(["anthropic", "openai"]),
    });
    const agents = [
      agentOf(agent, [poisson(random.between(3, 6), 0, lengthMs)], {
        retry: { ...RETRIES.backoff, maxAttempts: 4 },
        bad: { share: 1, status: 429 },
      }),
      ...quietAgents(random, others, random.integer(40, 80), lengthMs, RETRIES.backoff),
    ];
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [{ rule: "request-not-rate" }],
        may: ["high-429-ratio", "excessive-retries", "permanent-error-retried", "retry-budget-too-short"],
      },
      broken: (truth) =>
        unless(
          [truth.calls.filter(by(agent)).length >= 10, "hardly a call"],
          [refusedOf(truth.attempts).length === 0, "a rate was hit"],
        ),
    };
  },
};

/** Two buckets: in one an agent crowds out the others, in the other nobody is near the limit. */
export const twoBuckets: Kind = {
  name: "two-buckets",
  draw: (random): Draft => {
    const [agent, victim, ...elsewhere] = names(random, 5);
    if (victim === undefined) throw new Error("no victim");
    const perMinute = random.integer(30, 100);
    const lengthMs = 8 * MINUTE;
    const main = serverOf(random, [requests(perMinute, 0.12)], { wording: "openai", model: "gpt-4o" });
    const roomy = { ...main, id: "roomy", model: "gpt-5.2", limits: [requests(perMinute * 6, 0.15)] };
    const retry = obeying(5, 0.8, 3000);
    const agents = [
      agentOf(agent, [poisson(perMinute * 2, 2 * MINUTE, 5 * MINUTE)], { retry }),
      agentOf(victim, [poisson(perMinute * 0.12, 0, lengthMs)], { retry }),
      ...quietAgents(random, elsewhere, perMinute * 1.5, lengthMs, retry).map((one) => ({
        ...one,
        server: "roomy",
      })),
    ];
    return {
      spec: worldFrom(random, { servers: [main, roomy], agents }),
      labels: {
        must: [{ rule: "greedy-agent", agent }],
        may: [...INCIDENT_MAY, "fan-out-over-limit", "concurrency-not-rate"],
      },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).every((one) => one.agent.server === "main"), "the other bucket was hit"],
          [refusedOf(truth.attempts).some(by(victim)), "the victim was not hurt"],
        ),
    };
  },
};
