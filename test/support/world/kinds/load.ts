import { obeying, RETRIES } from "../client/retries.ts";
import type { AgentSpec, LimitSpec } from "../spec.ts";
import { by, firsts, incidentsOf, inIncidents, isRefused, peakOf, refusedOf, share } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import {
  agentOf,
  burst,
  equalAgents,
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

const QUIET_HERD = INCIDENT_MAY.filter((rule) => rule !== "unjittered-retries");

/** All agents send the same and all are refused: nobody is greedy. */
export const equalThrottled: Kind = {
  name: "equal-agents-throttled",
  draw: (random): Draft => {
    const who = names(random, random.integer(3, 6));
    const perMinute = random.integer(40, 150);
    const lengthMs = random.integer(5, 8) * MINUTE;
    const retry = obeying(random.integer(3, 5), 0.8, 3000);
    const agents = equalAgents(
      who,
      perMinute * random.between(1.5, 2.2),
      { fromMs: 0, toMs: lengthMs },
      { retry },
    );
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [requests(perMinute, 0.15)])], agents }),
      labels: { must: [{ rule: "high-429-ratio" }], may: QUIET_HERD },
      broken: (truth) =>
        unless(
          [share(truth.attempts, isRefused) > 0.2, "hardly any refusal"],
          [who.every((name) => share(inIncidents(truth, "main"), by(name)) < 0.6), "one stands out"],
        ),
    };
  },
};

/** Only one agent uses the limit: too much, but at nobody's cost. */
export const loneAgent: Kind = {
  name: "lone-agent-throttled",
  draw: (random): Draft => {
    const perMinute = random.integer(30, 120);
    const lengthMs = random.integer(5, 8) * MINUTE;
    const agents = equalAgents(
      names(random, 1),
      perMinute * random.between(1.4, 2),
      { fromMs: 0, toMs: lengthMs },
      { retry: obeying(4, 0.8, 3000) },
    );
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [requests(perMinute, 0.15)])], agents }),
      labels: { must: [{ rule: "high-429-ratio" }], may: [...QUIET_HERD, "fan-out-over-limit"] },
      broken: (truth) => unless([share(truth.attempts, isRefused) > 0.15, "hardly any refusal"]),
    };
  },
};

/** Four fifths of the traffic in the incident are one agent's repeats of calls that were no more than anybody's. */
export const greedyByRepeats: Kind = {
  name: "share-by-repeats",
  draw: (random): Draft => {
    const [agent, ...others] = names(random, 3);
    const perMinute = random.integer(40, 90);
    const lengthMs = 7 * MINUTE;
    const atMs = 3 * MINUTE;
    const count = Math.round(perMinute * random.between(0.35, 0.5));
    const impatient = {
      ...RETRIES.backoff,
      maxAttempts: 14,
      baseMs: 700,
      factor: 1,
      capMs: 700,
      jitterMs: 1400,
    };
    const agents = [
      agentOf(agent, [burst(atMs, count, 2000)], { retry: impatient }),
      ...others.map((name) => agentOf(name, [burst(atMs, count, 2000)], { retry: RETRIES.polite })),
      ...quietAgents(random, ["metrics"], perMinute * 0.05, lengthMs, RETRIES.polite),
    ];
    const server = serverOf(random, [requests(perMinute, 0.1)], {
      hint: { kind: "fixed", ms: random.integer(15, 25) * SECOND },
    });
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: {
        must: [{ rule: "retry-after-ignored", agent }],
        may: [...QUIET_HERD, "retry-storm", "fan-out-over-limit"],
      },
      broken: (truth) => {
        const incident = incidentsOf(truth, "main")[0]?.attempts ?? [];
        return unless(
          [share(incident, by(agent)) > 0.55, "too few repeats"],
          [share(firsts(incident), by(agent)) < 0.5, "it has most of the calls too"],
        );
      },
    };
  },
};

/** The average is far under the limit; the second is not. */
export const burstOverCapacity: Kind = {
  name: "burst-over-capacity",
  draw: (random): Draft => {
    const who = names(random, random.integer(3, 4));
    const perMinute = random.integer(240, 900);
    const limit: LimitSpec = { id: "requests", amount: perMinute, capacity: Math.ceil(perMinute / 60) };
    const lengthMs = 8 * MINUTE;
    const retry = obeying(6, 1, 2500);
    const each = Math.ceil((limit.capacity * random.between(2.2, 3.5)) / who.length);
    const bursts = Array.from({ length: random.integer(5, 9) }, (_, i) =>
      burst((i + 1) * 45 * SECOND, each, 700),
    );
    const agents = who.map((name) =>
      agentOf(name, [...bursts, poisson((perMinute * 0.1) / who.length, 0, lengthMs)], { retry }),
    );
    return {
      spec: worldFrom(random, { servers: [serverOf(random, [limit])], agents }),
      labels: {
        must: [{ rule: "burst-over-capacity" }],
        may: [...QUIET_HERD, "fan-out-over-limit"],
      },
      broken: (truth) =>
        unless(
          [refusedOf(truth.attempts).length >= 20, "hardly any refusal"],
          [peakOf(truth.attempts, MINUTE) < 0.7 * perMinute, "the minute is full too"],
          [truth.calls.every(({ outcome }) => outcome === "ok"), "a call failed"],
        ),
    };
  },
};

/** Everybody is started by the same clock. */
export const synchronisedStart: Kind = {
  name: "synchronised-start",
  draw: (random): Draft => {
    const who = names(random, random.integer(3, 6));
    const perMinute = random.integer(40, 120);
    const limit = requests(perMinute, random.between(0.1, 0.2));
    const each = Math.ceil((limit.capacity * random.between(1.8, 3)) / who.length);
    const everyMs = random.pick([2, 3, 5]) * MINUTE;
    const marks = random.integer(3, 5);
    const retry = obeying(7, 0.8, 4000);
    const agents = who.map(
      (name): AgentSpec =>
        agentOf(
          name,
          Array.from({ length: marks }, (_, i) => burst((i + 1) * everyMs, each, 1200, `run_${i + 1}`)),
          { retry },
        ),
    );
    return {
      spec: worldFrom(random, {
        // The marks are round times of day, as a cron table has them.
        startMs: Date.UTC(2026, random.integer(0, 10), random.integer(1, 28), random.integer(0, 23)),
        servers: [serverOf(random, [limit])],
        agents,
      }),
      labels: {
        must: [{ rule: "synchronised-start" }],
        may: [...QUIET_HERD, "fan-out-over-limit"],
      },
      broken: (truth) =>
        unless(
          [incidentsOf(truth, "main").length >= 3, "too few incidents"],
          [who.every((name) => share(firsts(truth.attempts), by(name)) < 0.6), "one stands out"],
        ),
    };
  },
};

/** Several keys of one organisation: each alone is under the limit, together they are not. */
export const splitKeys: Kind = {
  name: "split-keys",
  draw: (random): Draft => {
    const who = names(random, random.integer(3, 4));
    const perMinute = random.integer(60, 150);
    const lengthMs = 7 * MINUTE;
    const agents = equalAgents(
      who,
      perMinute * random.between(1.4, 1.8),
      { fromMs: 0, toMs: lengthMs },
      { retry: obeying(4, 0.8, 3000) },
    ).map((agent, i) => ({ ...agent, key: `key_${i + 1}` }));
    const server = serverOf(random, [requests(perMinute, 0.15)], { org: `org-${random.integer(100, 999)}` });
    return {
      spec: worldFrom(random, { servers: [server], agents }),
      labels: { must: [{ rule: "split-keys" }], may: QUIET_HERD },
      broken: (truth) =>
        unless(
          [share(truth.attempts, isRefused) > 0.15, "hardly any refusal"],
          [
            who.every((name) => peakOf(firsts(truth.attempts).filter(by(name)), MINUTE) < 0.85 * perMinute),
            "one key alone is over",
          ],
        ),
    };
  },
};
