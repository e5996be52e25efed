import { obeying, RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { AgentSpec, LimiterSpec, RetrySpec, ServerSpec } from "../spec.ts";
import { isRefused, refusedOf, share } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  burst,
  MINUTE,
  names,
  poisson,
  quietAgents,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

export const NOTHING = { must: [], may: [] } as const;

/** Any client: with nothing refused its retries do not show. */
function anyRetry(random: Random): RetrySpec {
  return random.pick([RETRIES.never, RETRIES.openaiNode, RETRIES.tenacity, obeying(5, 0.2, 500)]);
}

function neverRefused(truth: Journal): string | null {
  return unless(
    [truth.attempts.length > 0, "nothing happened"],
    [refusedOf(truth.attempts).length === 0, "something was refused"],
  );
}

interface HealthyParts {
  readonly server: ServerSpec;
  readonly agents: readonly AgentSpec[];
  readonly limiters?: readonly LimiterSpec[];
}

function healthy(
  name: string,
  draw: (random: Random) => HealthyParts,
  broken: (truth: Journal) => string | null = neverRefused,
): Kind {
  return {
    name: `healthy-${name}`,
    draw: (random): Draft => {
      const { server, agents, limiters = [] } = draw(random);
      return { spec: worldFrom(random, { servers: [server], agents, limiters }), labels: NOTHING, broken };
    },
  };
}

/** Several agents well under the limit. */
export const steady: Kind = healthy("steady", (random) => {
  const perMinute = random.integer(60, 600);
  const load = perMinute * random.between(0.15, 0.5);
  const who = names(random, random.integer(2, 6));
  return {
    server: serverOf(random, [requests(perMinute, random.between(0.08, 0.3))]),
    agents: quietAgents(random, who, load, random.integer(6, 15) * MINUTE, anyRetry(random)),
  };
});

/** Everybody starts at once, again and again, and it fits. */
export const burstsFit: Kind = healthy("bursts-fit", (random) => {
  const perMinute = random.integer(300, 900);
  const limit = requests(perMinute, random.between(0.12, 0.25));
  const who = names(random, random.integer(2, 4));
  const each = Math.max(1, Math.floor((limit.capacity * random.between(0.1, 0.4)) / who.length));
  const every = random.integer(20, 60) * SECOND;
  const bursts = Array.from({ length: random.integer(8, 20) }, (_, i) => burst((i + 1) * every, each, 500));
  const retry = anyRetry(random);
  return { server: serverOf(random, [limit]), agents: who.map((name) => agentOf(name, bursts, { retry })) };
});

/** One agent has nine tenths of the traffic, and there is room for twice as much. */
export const dominant: Kind = healthy("dominant-no-429", (random) => {
  const [agent, ...others] = names(random, random.integer(3, 5));
  const perMinute = random.integer(150, 600);
  const load = perMinute * random.between(0.25, 0.5);
  const lengthMs = random.integer(8, 14) * MINUTE;
  const retry = anyRetry(random);
  return {
    server: serverOf(random, [requests(perMinute, random.between(0.08, 0.2))]),
    agents: [
      ...quietAgents(random, others, load * 0.08, lengthMs, retry),
      ...quietAgents(random, [agent], load * 0.92, lengthMs, retry),
    ],
  };
});

/** A single agent that is busy. */
export const oneAgent: Kind = healthy("one-agent", (random) => {
  const perMinute = random.integer(100, 400);
  const load = perMinute * random.between(0.2, 0.5);
  return {
    server: serverOf(random, [requests(perMinute, random.between(0.1, 0.2))]),
    agents: quietAgents(random, names(random, 1), load, random.integer(8, 15) * MINUTE, anyRetry(random)),
  };
});

/** The provider fails now and then; every failed call is sent again and passes. */
export const flaky500: Kind = healthy(
  "flaky-500",
  (random) => {
    const perMinute = random.integer(200, 600);
    const who = names(random, random.integer(3, 5));
    const load = perMinute * random.between(0.15, 0.4);
    return {
      server: serverOf(random, [requests(perMinute, random.between(0.08, 0.2))], {
        flakyShare: random.between(0.005, 0.015),
      }),
      agents: quietAgents(random, who, load, random.integer(8, 14) * MINUTE, RETRIES.backoff),
    };
  },
  (truth) =>
    neverRefused(truth) ??
    unless(
      [truth.attempts.some(({ outcome }) => outcome === "server-error"), "nothing failed"],
      [truth.calls.every(({ outcome }) => outcome === "ok"), "a call failed for good"],
    ),
);

/** A handful of refusals among thousands of requests, all sent again and passed: ordinary life. */
export const fewRefusals: Kind = healthy(
  "few-429-all-retried",
  (random) => {
    const perMinute = random.integer(200, 400);
    const who = names(random, random.integer(3, 5));
    const load = perMinute * random.between(0.35, 0.5);
    const limit = requests(perMinute, random.between(0.06, 0.12));
    const retry = obeying(6, 0.3, 800);
    const agents = quietAgents(random, who, load, random.integer(12, 15) * MINUTE, retry);
    const bursts = [3, 8].map((at) => burst(at * MINUTE, limit.capacity + random.integer(0, 2), 300));
    return {
      server: serverOf(random, [limit]),
      agents: agents.map((one, i) => (i === 0 ? { ...one, arrivals: [...one.arrivals, ...bursts] } : one)),
    };
  },
  (truth) =>
    unless(
      [truth.attempts.some(isRefused), "nothing was refused"],
      [share(truth.attempts, isRefused) < 0.008, "too much was refused"],
      [truth.calls.every(({ outcome }) => outcome === "ok"), "a call failed"],
    ),
);

/** A few requests are invalid, and the client knows better than to send them again. */
export const badRequests: Kind = healthy(
  "few-400-not-retried",
  (random) => {
    const perMinute = random.integer(150, 400);
    const who = names(random, random.integer(3, 4));
    const load = perMinute * random.between(0.2, 0.4);
    const agents = quietAgents(random, who, load, 10 * MINUTE, RETRIES.openaiNode);
    return {
      server: serverOf(random, [requests(perMinute, 0.2)]),
      agents: agents.map((agent) => ({
        ...agent,
        bad: { share: 0.01, status: random.pick([400, 404, 413] as const) },
      })),
    };
  },
  (truth) =>
    neverRefused(truth) ??
    unless([truth.attempts.some(({ outcome }) => outcome === "permanent"), "nothing was invalid"]),
);

/** The client cuts a few slow answers and asks again. */
export const slowAnswers: Kind = healthy(
  "few-timeouts-retried",
  (random) => {
    const perMinute = random.integer(150, 400);
    const load = perMinute * random.between(0.2, 0.35);
    const agents = quietAgents(random, names(random, 3), load, 10 * MINUTE, RETRIES.backoff);
    return {
      server: serverOf(random, [requests(perMinute, 0.2)]),
      agents: agents.map((agent) => ({ ...agent, timeoutMs: 10_000, service: { median: 2000, sigma: 0.7 } })),
    };
  },
  (truth) =>
    neverRefused(truth) ??
    unless(
      [truth.attempts.some(({ outcome }) => outcome === "timeout"), "nothing was cut"],
      [truth.calls.every(({ outcome }) => outcome === "ok"), "a call failed"],
    ),
);

/** Work in two stretches with nothing between: the start of the second is no burst. */
export const pause: Kind = healthy("long-pause", (random) => {
  const perMinute = random.integer(100, 400);
  const load = perMinute * random.between(0.2, 0.45);
  const who = names(random, random.integer(2, 4));
  const again = random.integer(40, 90) * MINUTE;
  return {
    server: serverOf(random, [requests(perMinute, 0.15)]),
    agents: who.map((name) =>
      agentOf(name, [
        poisson(load / who.length, 0, 5 * MINUTE),
        poisson(load / who.length, again, again + 5 * MINUTE, "run_2"),
      ]),
    ),
  };
});

/** A shared limiter a little under the server's rate: calls queue, and nothing is refused. */
export const limited: Kind = healthy("shared-limiter", (random) => {
  const perMinute = random.integer(60, 240);
  const limit = requests(perMinute, random.between(0.15, 0.3));
  const [agent, ...others] = names(random, 4);
  const lengthMs = 10 * MINUTE;
  const retry = RETRIES.polite;
  const burstSize = limit.capacity + Math.round(perMinute * 0.3);
  const agents = [
    agentOf(agent, [burst(2 * MINUTE, burstSize, 500), burst(6 * MINUTE, burstSize, 500)], { retry }),
    ...quietAgents(random, others, perMinute * 0.1, lengthMs, retry),
  ];
  return {
    server: serverOf(random, [limit]),
    agents: agents.map((one) => ({ ...one, limiter: "shared" })),
    limiters: [
      {
        id: "shared",
        ratePerMinute: Math.round(perMinute * random.between(0.88, 0.97)),
        burst: Math.max(1, Math.round(limit.capacity * random.between(0.5, 0.9))),
        order: "fifo",
      },
    ],
  };
});
