import { obeying, RETRIES } from "../client/retries.ts";
import type { Journal, SentAttempt } from "../journal.ts";
import type { Random } from "../random.ts";
import type { LimitSpec, RetrySpec, ServerSpec, WordingId } from "../spec.ts";
import { by, refusedOf, share } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  burst,
  INCIDENT_MAY,
  mayOfRetry,
  MINUTE,
  names,
  poisson,
  quietAgents,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

const TOKEN_MAY = [...INCIDENT_MAY, "greedy-agent", "fan-out-over-limit"];

function tokenServer(random: Random, wording: WordingId, tokens: LimitSpec): ServerSpec {
  const perMinute = random.integer(300, 1000);
  const requests: LimitSpec = { id: "requests", amount: perMinute, capacity: Math.round(perMinute / 10) };
  return serverOf(random, [requests, tokens], { wording });
}

function tokensOf({ inputTokens, outputTokens }: SentAttempt): number {
  return inputTokens + outputTokens;
}

function refusedByTokens(truth: Journal): string | null {
  const refused = refusedOf(truth.attempts);
  return unless(
    [refused.length >= 20, "hardly any refusal"],
    [share(refused, ({ dimension }) => dimension.includes("tokens")) === 1, "requests were refused too"],
  );
}

function politeRetry(random: Random): RetrySpec {
  return random.pick([obeying(7, 0.4, 500), obeying(5, 1, 1000), RETRIES.openaiNode, RETRIES.polite]);
}

function tokenLimitOf(name: string, wordings: readonly WordingId[], id: LimitSpec["id"]): Kind {
  return {
    name,
    draw: (random): Draft => {
      const [agent, ...others] = names(random, random.integer(3, 4));
      const median = random.integer(3, 9) * 1000;
      const amount = Math.round((median * random.integer(4, 8)) / 1000) * 1000;
      const tokens: LimitSpec = { id, amount, capacity: Math.round(amount * random.between(0.6, 1)) };
      const lengthMs = random.integer(8, 15) * MINUTE;
      const retry = politeRetry(random);
      const heavy = { median, sigma: 0.25 };
      const light = { median: Math.round(median / 8), sigma: 0.3 };
      const perMinute = (amount / median) * random.between(1.2, 1.9);
      const byOutput = id === "output-tokens";
      const agents = [
        agentOf(agent, [poisson(perMinute, 0, lengthMs)], {
          retry,
          ...(byOutput ? { outputTokens: heavy } : { inputTokens: heavy }),
        }),
        ...quietAgents(random, others, random.integer(6, 14), lengthMs, retry).map((one) => ({
          ...one,
          inputTokens: light,
          outputTokens: { median: 250, sigma: 0.3 },
        })),
      ];
      const server = tokenServer(random, random.pick(wordings), tokens);
      return {
        spec: worldFrom(random, { servers: [server], agents }),
        labels: { must: [{ rule: "token-limit" }], may: [...TOKEN_MAY, ...mayOfRetry(retry, server)] },
        broken: refusedByTokens,
      };
    },
  };
}

export const tokenLimit: Kind = tokenLimitOf("token-limit", ["openai", "openai", "groq"], "tokens");
export const inputTokenLimit: Kind = tokenLimitOf("token-limit-input", ["anthropic"], "input-tokens");
export const outputTokenLimit: Kind = tokenLimitOf("token-limit-output", ["anthropic"], "output-tokens");

/** A tenth of the calls, nine tenths of the tokens: the calls point at the wrong agents. */
export const greedyByTokens: Kind = {
  name: "greedy-by-tokens",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(3, 5));
    const median = random.integer(8, 15) * 1000;
    const amount = median * random.integer(4, 8);
    const wording = random.pick(["openai", "anthropic"] as const);
    const id = wording === "openai" ? "tokens" : "input-tokens";
    const lengthMs = random.integer(8, 12) * MINUTE;
    const perMinute = (amount / median) * random.between(1.15, 1.4);
    const retry = obeying(5, 0.5, 2000);
    const agents = [
      agentOf(agent, [poisson(perMinute, 0, lengthMs)], { retry, inputTokens: { median, sigma: 0.15 } }),
      ...quietAgents(random, others, perMinute * random.between(9, 11), lengthMs, retry).map((one) => ({
        ...one,
        inputTokens: { median: median / 150, sigma: 0.3 },
        outputTokens: { median: 60, sigma: 0.3 },
      })),
    ];
    const server = tokenServer(random, wording, { id, amount, capacity: amount });
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [
          { rule: "token-limit", agent },
          { rule: "greedy-agent", agent },
        ],
        may: TOKEN_MAY,
      },
      broken: (truth) => refusedByTokens(truth) ?? tokensButNotCalls(truth, agent),
    };
  },
};

function tokensButNotCalls(truth: Journal, agent: string): string | null {
  const passed = truth.attempts.filter(({ outcome }) => outcome === "ok");
  const sum = (list: readonly SentAttempt[]): number => list.reduce((total, one) => total + tokensOf(one), 0);
  return unless(
    [share(passed, by(agent)) < 0.2, "it has too many calls"],
    [sum(passed.filter(by(agent))) / sum(passed) > 0.84, "it has too few tokens"],
  );
}

/** One call needs more than the bucket holds: it can never pass. */
export const oversizedCall: Kind = {
  name: "oversized-call",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, 3);
    const amount = random.integer(20, 60) * 1000;
    const lengthMs = 8 * MINUTE;
    const retry = obeying(random.integer(3, 5), 0.3, 1500);
    const agents = [
      agentOf(agent, [poisson(2, 0, lengthMs)], { retry, inputTokens: { median: amount * 1.8, sigma: 0.1 } }),
      ...quietAgents(random, others, 8, lengthMs, retry).map((one) => ({
        ...one,
        inputTokens: { median: Math.round(amount / 60), sigma: 0.2 },
      })),
    ];
    const server = tokenServer(random, "openai", { id: "tokens", amount, capacity: amount });
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [{ rule: "oversized-call", agent }],
        may: [...TOKEN_MAY, "token-limit", "permanent-error-retried", "request-not-rate"],
      },
      broken: (truth) =>
        unless(
          [truth.calls.filter(by(agent)).every(({ outcome }) => outcome !== "ok"), "one passed"],
          [truth.calls.filter(by(agent)).length >= 6, "hardly a call"],
          [
            truth.calls.filter((call) => !by(agent)(call)).every(({ outcome }) => outcome === "ok"),
            "others failed",
          ],
        ),
    };
  },
};

/** Nearly all tokens are one agent's, in bursts even, and the limit is far away. */
export const healthyHeavyTokens: Kind = {
  name: "healthy-heavy-tokens",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, 4);
    const lengthMs = 10 * MINUTE;
    const retry = RETRIES.openaiNode;
    const agents = [
      agentOf(agent, [poisson(4, 0, lengthMs), burst(4 * MINUTE, 4, 2 * SECOND)], {
        retry,
        inputTokens: { median: 12_000, sigma: 0.2 },
      }),
      ...quietAgents(random, others, 30, lengthMs, retry).map((one) => ({
        ...one,
        inputTokens: { median: 150, sigma: 0.3 },
      })),
    ];
    const server = tokenServer(random, "openai", { id: "tokens", amount: 450_000, capacity: 450_000 });
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [], may: [] },
      broken: (truth) => unless([refusedOf(truth.attempts).length === 0, "something was refused"]),
    };
  },
};
