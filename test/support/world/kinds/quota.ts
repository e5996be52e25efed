import { obeying, RETRIES } from "../client/retries.ts";
import type { BillingSpec, WordingId } from "../spec.ts";
import { refusedOf, share } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import { MINUTE, names, quietAgents, requests, SECOND, serverOf, worldFrom } from "./scenery.ts";

const MONEY_WORDS: readonly (readonly [WordingId, BillingSpec["words"]])[] = [
  ["openai", "insufficient-quota"],
  ["openai", "insufficient-quota"],
  ["openai", "credit-balance"],
  ["openai", "spend-limit"],
  ["anthropic", "credit-balance"],
  ["anthropic", "spend-limit"],
  ["bare", "insufficient-quota"],
];

const MONEY_MAY = [
  "permanent-error-retried",
  "excessive-retries",
  "high-429-ratio",
  "no-headroom",
  "fan-out-over-limit",
  "burst-over-capacity",
  "retry-budget-too-short",
  "unjittered-retries",
  "synchronised-start",
];

/** No money from the first call on, or from some moment on; one agent sends again all the same. */
export const quota: Kind = {
  name: "quota",
  draw: (random): Draft => {
    const who = names(random, random.integer(2, 4));
    const lengthMs = random.integer(4, 8) * MINUTE;
    const [wording, words] = random.pick(MONEY_WORDS);
    const fromMs = random.chance(0.6) ? 0 : Math.round(lengthMs * random.between(0.2, 0.6));
    const server = serverOf(random, [requests(random.integer(100, 500), 0.2)], {
      wording,
      billings: [{ fromMs, toMs: Number.MAX_SAFE_INTEGER, words }],
    });
    const agents = quietAgents(random, who, random.integer(6, 20), lengthMs, RETRIES.never).map((agent, i) =>
      i > 0
        ? agent
        : { ...agent, retry: random.pick([RETRIES.backoff, RETRIES.openaiNode, RETRIES.tenacity]) },
    );
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [{ rule: "quota-exhausted" }], may: MONEY_MAY },
      broken: (truth) => {
        const late = truth.attempts.filter(({ sentMs }) => sentMs >= fromMs);
        return unless(
          [late.length >= 15, "hardly an attempt"],
          [share(late, ({ outcome }) => outcome === "quota") === 1, "something passed"],
        );
      },
    };
  },
};

/** The money code for a limit per minute: calls on the same key pass shortly before and after. */
export const quotaCodeForRate: Kind = {
  name: "quota-code-for-a-rate",
  draw: (random): Draft => {
    const who = names(random, random.integer(2, 4));
    const lengthMs = random.integer(6, 10) * MINUTE;
    const spans = Array.from({ length: random.integer(3, 6) }, (_, i) => {
      const fromMs = Math.round(((i + random.between(0.2, 0.6)) * lengthMs) / 6);
      return { fromMs, toMs: fromMs + random.integer(4, 12) * SECOND, words: "insufficient-quota" as const };
    });
    const server = serverOf(random, [requests(random.integer(200, 400), 0.2)], {
      wording: "openai",
      billings: spans,
    });
    const agents = quietAgents(random, who, random.integer(30, 60), lengthMs, obeying(7, 0, 0)).map(
      (agent) => ({
        ...agent,
        retry: { ...agent.retry, baseMs: 3000, jitterMs: 3000 },
      }),
    );
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      // Sending again is right here, so `permanent-error-retried` would be false.
      labels: { must: [], may: MONEY_MAY.filter((rule) => rule !== "permanent-error-retried") },
      broken: (truth) =>
        unless(
          [truth.attempts.filter(({ outcome }) => outcome === "quota").length >= 5, "hardly a refusal"],
          [refusedOf(truth.attempts).length === 0, "a real limit was hit"],
          [truth.calls.every(({ outcome }) => outcome === "ok"), "a call failed"],
        ),
    };
  },
};
