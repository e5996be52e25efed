import { exactly, obeying, RETRIES } from "../client/retries.ts";
import { applyFix } from "../fix.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { PipelineSpec, StageSpec } from "../spec.ts";
import { by, failedOf, inIncidents, refusedOf, share } from "../truth.ts";
import { greedy } from "./greedy.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  INCIDENT_MAY,
  MINUTE,
  names,
  poisson,
  quietAgents,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

function stage(agent: string, calls: number, more: Partial<StageSpec> = {}): StageSpec {
  return { agent, calls, scales: false, overMs: 2 * SECOND, afterMs: 0, ...more };
}

/** Five stages; the third fans out, the fourth gives up on it, the fifth on the fourth, the run is rolled back. */
export const cascade: Kind = {
  name: "cascade",
  draw: (random): Draft => {
    const who = names(random, 5);
    const [first, second = "", worker = "", waiter = "", last = ""] = who;
    const limit = requests(random.integer(30, 80), random.between(0.08, 0.16));
    const hintMs = random.integer(45, 80) * SECOND;
    const timeoutMs = Math.round(hintMs * random.between(1.3, 1.6));
    const small = Math.max(2, Math.floor(limit.capacity * 0.5));
    const big = limit.capacity * 3 + random.integer(2, 8);
    const afterMs = random.integer(8, 14) * SECOND;
    const pipeline: PipelineSpec = {
      runs: [
        ...[0, 1].map((i) => ({ id: `run_${i + 1}`, atMs: i * 4 * MINUTE, scale: 1 })),
        { id: "run_3", atMs: 8 * MINUTE, scale: big / small },
      ],
      stages: [
        stage(first, 2),
        stage(second, 1, { waitsFor: first }),
        stage(worker, small, { scales: true, overMs: random.integer(0, 800), waitsFor: second }),
        stage(waiter, 2, { afterMs, waitsFor: worker, timeoutMs }),
        stage(last, 1, { afterMs, waitsFor: waiter, timeoutMs: timeoutMs + random.integer(5, 30) * SECOND }),
      ],
      failure: random.pick(["told", "silent"]),
      onFailure: [{ agent: "orchestrator", action: random.pick(["rollback", "fail"]) }],
    };
    const retry = random.pick([exactly(7), obeying(7, 0.1, 2000)]);
    const server = serverOf(random, [limit], { hint: { kind: "fixed", ms: hintMs } });
    const agents = [
      ...who.map((name) => agentOf(name, [], { retry })),
      ...quietAgents(random, ["metrics"], 4, 12 * MINUTE, retry),
    ];
    return {
      spec: worldFrom(random, { servers: [server], agents, pipelines: [pipeline] }),
      labels: {
        must: [
          { rule: "short-timeout", agent: waiter },
          { rule: "fan-out-over-limit", agent: worker },
        ],
        may: [...INCIDENT_MAY, "greedy-agent", "blocking-stages", "short-timeout"],
      },
      broken: (truth) => fellOver(truth, worker, waiter),
    };
  },
};

function fellOver(truth: Journal, worker: string, waiter: string): string | null {
  const gaveUp = truth.waits.filter(({ agent, outcome }) => agent === waiter && outcome === "timeout");
  return unless(
    [gaveUp.length === 1 && gaveUp[0]?.run === "run_3", "the waiter gave up in another run"],
    [
      refusedOf(truth.attempts).every(({ run, agent }) => run === "run_3" || agent.name === "metrics"),
      "small runs hit",
    ],
    [refusedOf(truth.attempts).filter(by(worker)).length >= 8, "hardly any refusal"],
    [failedOf(truth).length === 0, "a call was really lost"],
    [truth.actions.length > 0, "nothing final followed"],
  );
}

/** The provider has no room in one part of the log; in another an agent crowds out the rest. */
export const overloadAndGreedy: Kind = {
  name: "overload-and-greedy",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, random.integer(3, 5));
    const perMinute = random.integer(40, 120);
    const lengthMs = 14 * MINUTE;
    const retry = obeying(9, 0.6, 2500);
    const overload = {
      fromMs: MINUTE,
      toMs: 4 * MINUTE,
      share: random.between(0.4, 0.6),
      status: 529 as const,
    };
    const server = serverOf(random, [requests(perMinute, 0.15)], {
      wording: "anthropic",
      overloads: [overload],
      hint: { kind: "fixed", ms: random.integer(5, 12) * SECOND },
    });
    const agents = [
      ...quietAgents(random, others, perMinute * 0.15, lengthMs, retry),
      agentOf(agent, [poisson(perMinute * random.between(1.6, 2.2), 8 * MINUTE, 10 * MINUTE)], { retry }),
    ];
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [{ rule: "greedy-agent", agent }, { rule: "provider-overloaded" }],
        may: [...INCIDENT_MAY, "fan-out-over-limit"],
      },
      broken: (truth) => {
        const incidents = inIncidents(truth, "main");
        return unless(
          [
            truth.attempts.filter(({ outcome }) => outcome === "overloaded").length >= 20,
            "hardly an overload",
          ],
          [share(incidents, by(agent)) > 0.84, "nobody stands out"],
          [refusedOf(incidents).some((one) => !by(agent)(one)), "nobody else was hurt"],
        );
      },
    };
  },
};

/** A greedy world after its cure: a limiter shared by all, at the server's rate. What is left to say is how full it is. */
export const cured: Kind = {
  name: "cured-by-limiter",
  draw: (random): Draft => {
    const draft = greedy.draw(random);
    const limit = draft.spec.servers[0]?.limits[0];
    if (limit === undefined) throw new Error("a greedy world has a limit");
    const { amount, capacity } = limit;
    const spec = applyFix(draft.spec, pace(random, amount, capacity), "main");
    if (spec === null) throw new Error("a world knows limiters");
    return {
      spec,
      labels: { must: [], may: ["no-headroom", "priority-inversion"] },
      broken: (truth) => unless([refusedOf(truth.attempts).length === 0, "something was refused"]),
    };
  },
};

function pace(random: Random, amount: number, capacity: number): Parameters<typeof applyFix>[1] {
  const ratePerMinute = Math.round(amount * random.between(0.93, 1));
  return {
    kind: "pace",
    scope: "bucket",
    bucket: "main",
    ratePerMinute,
    burst: Math.max(1, Math.floor(capacity * 0.8)),
  };
}

/** Credit runs out in the middle of an incident that one agent had caused. */
export const greedyThenQuota: Kind = {
  name: "greedy-then-quota",
  draw: (random): Draft => {
    const draft = greedy.draw(random);
    const lengthMs = 16 * MINUTE;
    const servers = draft.spec.servers.map((server) => ({
      ...server,
      wording: "openai" as const,
      provider: "openai",
      model: "gpt-4o",
      billings: [{ fromMs: lengthMs, toMs: Number.MAX_SAFE_INTEGER, words: "insufficient-quota" as const }],
    }));
    const after = poisson(random.between(15, 30), lengthMs - MINUTE, lengthMs + 4 * MINUTE);
    const agents = draft.spec.agents.map((agent, i) =>
      i === 0 ? { ...agent, arrivals: [...agent.arrivals, after], retry: RETRIES.openaiNode } : agent,
    );
    return {
      spec: { ...draft.spec, servers, agents },
      labels: {
        must: [...draft.labels.must, { rule: "quota-exhausted" }],
        may: [...draft.labels.may, "permanent-error-retried", "retry-after-ignored"],
      },
      broken: (truth) =>
        draft.broken(truth) ??
        unless([truth.attempts.filter(({ outcome }) => outcome === "quota").length >= 20, "money lasted"]),
    };
  },
};
