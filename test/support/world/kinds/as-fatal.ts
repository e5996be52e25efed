import { fixed, obeying, RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { AgentSpec, ServerSpec } from "../spec.ts";
import { failedOf } from "../truth.ts";
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

const FINAL = [["alert", "rollback"], ["rollback"], ["fail", "alert"], ["compensate", "fail"]] as const;
const FATAL_MAY = [...INCIDENT_MAY, "fan-out-over-limit", "greedy-agent"];

function finalAction(random: Random): NonNullable<AgentSpec["onFailure"]> {
  return { by: random.pick(["orchestrator", "supervisor", "pipeline"]), actions: random.pick(FINAL) };
}

/** An agent that gives up at the first refusal among agents that retry, and an orchestrator that acts on it. */
export const asFatal: Kind = {
  name: "as-fatal",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(3, 5));
    const perMinute = random.integer(30, 150);
    const lengthMs = random.integer(6, 12) * MINUTE;
    const limit = requests(perMinute, random.between(0.08, 0.2));
    const retry = obeying(random.integer(5, 7), random.between(0.2, 0.6), 500);
    const bursts = Array.from({ length: random.integer(1, 3) }, (_, i) =>
      burst(MINUTE + i * 2 * MINUTE, limit.capacity + random.integer(4, 14), random.integer(0, 600)),
    );
    const agents = [
      ...quietAgents(random, others, perMinute * random.between(0.3, 0.6), lengthMs, retry),
      agentOf(agent, bursts, { retry: RETRIES.never, onFailure: finalAction(random) }),
    ];
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], agents }),
      labels: { must: [{ rule: "transient-as-fatal", agent }], may: FATAL_MAY },
      broken: (truth) => gaveUpAtOnce(truth, agent),
    };
  },
};

function gaveUpAtOnce(truth: Journal, agent: string): string | null {
  const failed = failedOf(truth);
  return unless(
    [failed.length >= 3 && failed.every((call) => call.agent.name === agent), "others failed, or nobody"],
    [failed.every(({ outcome, attempts }) => outcome === "throttled" && attempts === 1), "it did retry"],
    [truth.actions.length >= 3, "nothing final followed"],
  );
}

/** The same with a 500 or an overload: just as temporary, just as fatal. */
export const overloadAsFatal: Kind = {
  name: "overload-as-fatal",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, 4);
    const lengthMs = 10 * MINUTE;
    const [fromMs, toMs] = [3 * MINUTE, random.integer(5, 7) * MINUTE];
    const perMinute = random.integer(200, 500);
    const server = serverOf(random, [requests(perMinute, 0.2)], {
      wording: "anthropic",
      overloads: [{ fromMs, toMs, share: random.between(0.3, 0.5), status: 529 }],
    });
    const load = random.between(15, 40);
    const agents = [
      ...quietAgents(random, others, load, lengthMs, fixed(8, 1500, 3000)),
      ...quietAgents(random, [agent], load / 2, lengthMs, RETRIES.never).map((one) => ({
        ...one,
        onFailure: finalAction(random),
      })),
    ];
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [{ rule: "transient-as-fatal", agent }, { rule: "provider-overloaded" }],
        may: ["excessive-retries"],
      },
      broken: (truth) =>
        unless(
          [failedOf(truth).length >= 3, "hardly a call failed"],
          [failedOf(truth).every((call) => call.agent.name === agent), "others failed too"],
        ),
    };
  },
};

/** A refusal for money is final: giving up at once, and saying so, is right. */
export const billingGiveUp: Kind = {
  name: "billing-give-up",
  draw: (random): Draft => {
    const who = names(random, random.integer(2, 4));
    const lengthMs = random.integer(5, 9) * MINUTE;
    const fromMs = Math.round(lengthMs * random.between(0.3, 0.6));
    const server = moneyServer(random, fromMs);
    const agents = quietAgents(random, who, random.integer(15, 40), lengthMs, RETRIES.never).map((agent) => ({
      ...agent,
      onFailure: { by: "orchestrator", actions: ["fail", "alert"] },
    }));
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [{ rule: "quota-exhausted" }], may: ["high-429-ratio"] },
      broken: (truth) => unless([failedOf(truth).length >= 10, "hardly any call failed"]),
    };
  },
};

function moneyServer(random: Random, fromMs: number): ServerSpec {
  const wording = random.pick(["anthropic", "openai"] as const);
  const words =
    wording === "anthropic" ? random.pick(["credit-balance", "spend-limit"] as const) : "insufficient-quota";
  return serverOf(random, [requests(random.integer(200, 500), 0.2)], {
    wording,
    billings: [{ fromMs, toMs: Number.MAX_SAFE_INTEGER, words }],
  });
}

/** A call that failed after it had waited as long and as often as anybody could ask. */
export const budgetSpent: Kind = {
  name: "sufficient-budget-spent",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, 3);
    const perMinute = random.integer(20, 60);
    const limit = requests(perMinute, 0.12);
    const lengthMs = 16 * MINUTE;
    const retry = obeying(6, 0.3, 5000);
    const server = serverOf(random, [limit], {
      hint: { kind: "fixed", ms: random.integer(20, 40) * SECOND },
    });
    const count = Math.round(perMinute * random.between(4.5, 6));
    const agents = [
      ...quietAgents(random, others, perMinute * 0.1, lengthMs, retry),
      agentOf(agent, [burst(2 * MINUTE, count, 5 * SECOND)], {
        retry,
        onFailure: { by: "orchestrator", actions: ["fail"] },
      }),
    ];
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [], may: [...INCIDENT_MAY, "fan-out-over-limit", "greedy-agent"] },
      broken: (truth) =>
        unless(
          [failedOf(truth).length >= 3, "hardly a call failed"],
          [
            failedOf(truth).every((call) => call.attempts === 6 && call.agent.name === agent),
            "others failed too",
          ],
        ),
    };
  },
};
