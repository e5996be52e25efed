import { fixed, RETRIES } from "../client/retries.ts";
import type { Random } from "../random.ts";
import type { RetrySpec } from "../spec.ts";
import { by, chainsOf, failedOf, isRefused, refusedOf } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  burst,
  INCIDENT_MAY,
  MINUTE,
  names,
  quietAgents,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

const RETRY_MAY = [...INCIDENT_MAY, "greedy-agent", "fan-out-over-limit"];

/** Requests that can never pass are sent again and again. */
export const permanentRetried: Kind = {
  name: "permanent-error-retried",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(2, 4));
    const lengthMs = random.integer(6, 10) * MINUTE;
    const status = random.pick([400, 401, 403, 404, 413] as const);
    const retry: RetrySpec = {
      ...RETRIES.backoff,
      maxAttempts: random.integer(3, 7),
      on: [400, 401, 403, 404, 413, 429, 500],
    };
    const agents = [
      ...quietAgents(random, [agent], random.integer(8, 20), lengthMs, retry).map((one) => ({
        ...one,
        bad: { share: random.between(0.3, 0.9), status },
      })),
      ...quietAgents(random, others, random.integer(15, 40), lengthMs, RETRIES.openaiNode),
    ];
    const server = serverOf(random, [requests(random.integer(300, 600), 0.25)]);
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [{ rule: "permanent-error-retried", agent }], may: ["excessive-retries"] },
      broken: (truth) =>
        unless(
          [
            truth.attempts.filter((one) => one.outcome === "permanent" && one.attempt > 1).length >= 20,
            "few repeats",
          ],
          [refusedOf(truth.attempts).length === 0, "a limit was hit"],
        ),
    };
  },
};

/** The hint says half a minute; the client comes back after a random second or two. */
export const hintIgnored: Kind = {
  name: "retry-after-ignored",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(2, 4));
    const perMinute = random.integer(40, 120);
    const limit = requests(perMinute, random.between(0.08, 0.15));
    const lengthMs = 8 * MINUTE;
    const retry = random.pick([
      fixed(5, 2000, 6000),
      { ...RETRIES.tenacity, maxAttempts: 5, baseMs: 3000 },
      RETRIES.backoff,
    ]);
    const agents = [
      ...quietAgents(random, others, perMinute * 0.15, lengthMs, RETRIES.polite),
      agentOf(
        agent,
        [2, 5].map((at) => burst(at * MINUTE, limit.capacity * 2 + 10, 3000)),
        { retry },
      ),
    ];
    const server = serverOf(random, [limit], {
      hint: { kind: "fixed", ms: random.integer(20, 58) * SECOND },
    });
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [{ rule: "retry-after-ignored", agent }], may: [...RETRY_MAY, "retry-storm"] },
      broken: (truth) =>
        unless([
          refusedOf(truth.attempts.filter(by(agent))).filter(({ attempt }) => attempt > 1).length >= 5,
          "coming early cost nothing",
        ]),
    };
  },
};

function retryKind(
  name: string,
  rule: string,
  retryOf: (random: Random) => RetrySpec,
  more: readonly string[],
): Kind {
  return {
    name,
    draw: (random): Draft => {
      const [agent, ...others] = names(random, random.integer(2, 4));
      const perMinute = random.integer(20, 60);
      const limit = requests(perMinute, random.between(0.1, 0.2));
      const lengthMs = 8 * MINUTE;
      const agents = [
        ...quietAgents(random, others, perMinute * 0.1, lengthMs, RETRIES.polite),
        agentOf(agent, [burst(3 * MINUTE, limit.capacity + random.integer(15, 35), 2 * SECOND)], {
          retry: retryOf(random),
        }),
      ];
      const server = serverOf(random, [limit], { hint: { kind: "none" } });
      return {
        spec: worldFrom(random, { servers: [server], agents }),
        labels: { must: [{ rule }], may: [...RETRY_MAY, "retry-storm", ...more] },
        broken: (truth) => {
          const chains = [...chainsOf(truth).values()].filter((chain) => chain.every(by(agent)));
          return unless(
            [refusedOf(truth.attempts).length >= 20, "hardly any refusal"],
            [
              chains.filter((chain) => chain.length > 2 && chain.some(isRefused)).length >= 8,
              "hardly any long chain",
            ],
            [rule !== "retry-budget-too-short" || failedOf(truth).length >= 8, "too many passed"],
            [rule !== "excessive-retries" || chains.some((chain) => chain.length > 8), "nobody tried often"],
          );
        },
      };
    },
  };
}

/** Nobody says how long to wait, and the client tries ten times and more. */
export const excessive: Kind = retryKind(
  "excessive-retries",
  "excessive-retries",
  (random) => ({ ...RETRIES.backoff, maxAttempts: random.integer(12, 18), capMs: 5000, jitterMs: 2500 }),
  [],
);

/** All waits of a call together are shorter than the limit needs to refill. */
export const budgetTooShort: Kind = retryKind(
  "retry-budget-too-short",
  "retry-budget-too-short",
  (random) =>
    random.pick([RETRIES.openaiNode, RETRIES.vercelAi, { ...RETRIES.anthropicSdk, maxAttempts: 4 }]),
  ["transient-as-fatal"],
);

/** Two retry layers multiply: three times three attempts with two clearly different gaps. */
export const stacked: Kind = retryKind(
  "stacked-retries",
  "stacked-retries",
  (random) => ({ ...RETRIES.openaiNode, layer: { rounds: 3, pauseMs: random.integer(8, 15) * SECOND } }),
  ["transient-as-fatal", "excessive-retries"],
);

/** The breaker stays open long after the limit would take traffic again. */
export const breakerTooLong: Kind = {
  name: "breaker-outlives-limit",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, 3);
    const perMinute = random.integer(30, 80);
    const limit = requests(perMinute, 0.15);
    const lengthMs = 14 * MINUTE;
    const agents = [
      ...quietAgents(random, others, perMinute * 0.1, lengthMs, RETRIES.polite),
      ...quietAgents(random, [agent], perMinute * 0.4, lengthMs, { ...RETRIES.never, on: [] }).map((one) => ({
        ...one,
        arrivals: [...one.arrivals, burst(3 * MINUTE, limit.capacity + 15, SECOND)],
        breaker: {
          openAfter: 5,
          windowMs: MINUTE,
          pauseMs: random.integer(5, 8) * MINUTE,
          whenOpen: "refuse" as const,
        },
      })),
    ];
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], agents }),
      labels: {
        must: [{ rule: "breaker-outlives-limit", agent }],
        may: [...RETRY_MAY, "transient-as-fatal"],
      },
      broken: (truth) =>
        unless([
          truth.attempts.filter(({ outcome }) => outcome === "local").length >= 20,
          "it was hardly open",
        ]),
    };
  },
};
