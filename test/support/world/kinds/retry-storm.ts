import { fixed, obeying } from "../client/retries.ts";
import type { Journal, SentAttempt } from "../journal.ts";
import type { Random } from "../random.ts";
import type { AgentSpec, RetrySpec } from "../spec.ts";
import { incidentsOf, share, within } from "../truth.ts";
import { type Draft, type Kind, type Labels, unless } from "./kind.ts";
import {
  agentOf,
  burst,
  equalAgents,
  INCIDENT_MAY,
  MINUTE,
  names,
  poisson,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "./scenery.ts";

/** The busiest 30 s of the first incident, against the minute before its first refusal. */
function growthOf(truth: Journal): {
  readonly factor: number;
  readonly repeats: number;
  readonly many: number;
} {
  const first = incidentsOf(truth, "main")[0];
  if (first === undefined) return { factor: 0, repeats: 0, many: 0 };
  const before = within(truth.attempts, first.fromMs - MINUTE, first.fromMs).length;
  let busiest: readonly SentAttempt[] = [];
  for (let ms = first.fromMs; ms < first.toMs; ms += SECOND) {
    const here = within(first.attempts, ms, ms + 30 * SECOND);
    if (here.length > busiest.length) busiest = here;
  }
  const isRepeat = ({ attempt }: SentAttempt): boolean => attempt > 1;
  return {
    factor: (2 * busiest.length) / Math.max(1, before),
    repeats: share(busiest, isRepeat),
    many: busiest.filter(isRepeat).length,
  };
}

/** Steady agents well under the limit, then new work for all of them at once: the spark of the storm. */
function sparked(random: Random, who: readonly string[], perMinute: number, retry: RetrySpec): AgentSpec[] {
  const [lengthMs, sparkMs] = [random.integer(6, 9) * MINUTE, random.integer(90, 240) * SECOND];
  const load = (perMinute * random.between(0.4, 0.7)) / who.length;
  const spark = Math.round((perMinute * random.between(0.7, 1.4)) / who.length);
  const overMs = random.integer(0, 900);
  return who.map((name) =>
    agentOf(name, [poisson(load, 0, lengthMs), burst(sparkMs, spark, overMs)], { retry }),
  );
}

const STORM_MAY = [...INCIDENT_MAY, "fan-out-over-limit", "transient-as-fatal", "acceleration-limit"];

function storm(name: string, jitterShare: number, must: Labels["must"], may: readonly string[]): Kind {
  return {
    name,
    draw: (random): Draft => {
      const who = names(random, random.integer(3, 6));
      const perMinute = random.integer(60, 160);
      const hintMs = random.integer(8, 40) * SECOND;
      const server = serverOf(random, [requests(perMinute, random.between(0.08, 0.2))], {
        hint: { kind: "fixed", ms: hintMs },
      });
      const waitMs = random.integer(8, 25) * 100;
      const agents = sparked(
        random,
        who,
        perMinute,
        fixed(random.integer(7, 13), waitMs, waitMs * jitterShare),
      );
      return {
        spec: worldFrom(random, { servers: [server], agents }),
        labels: { must, may },
        broken: (truth) => {
          const { factor, repeats, many } = growthOf(truth);
          return unless([factor >= 2, "no growth"], [repeats >= 0.6 && many >= 30, "it grew by new work"]);
        },
      };
    },
  };
}

/** After the first refusals everybody repeats after a fixed second, whatever the server says. */
export const retryStorm: Kind = storm(
  "retry-storm",
  0,
  [{ rule: "retry-storm" }, { rule: "retry-after-ignored" }, { rule: "unjittered-retries" }],
  STORM_MAY,
);

/** The same storm with random waits: too soon and too many, but not together. */
export const retryStormJittered: Kind = storm(
  "retry-storm-jittered",
  3,
  [{ rule: "retry-storm" }, { rule: "retry-after-ignored" }],
  STORM_MAY.filter((rule) => rule !== "unjittered-retries"),
);

/** The rate rises over the limit because there is more to do; the few repeats come late and apart. */
export const newWork: Kind = {
  name: "growth-by-new-work",
  draw: (random): Draft => {
    const who = names(random, random.integer(4, 6));
    const perMinute = random.integer(60, 160);
    const fromMs = random.integer(2, 4) * MINUTE;
    const toMs = fromMs + random.integer(90, 180) * SECOND;
    const server = serverOf(random, [requests(perMinute, random.between(0.1, 0.2))], {
      hint: { kind: "fixed", ms: random.integer(25, 50) * SECOND },
    });
    const retry = obeying(random.integer(3, 4), random.between(0.6, 1), 2000);
    const agents = equalAgents(
      who,
      perMinute * random.between(0.3, 0.5),
      { fromMs: 0, toMs: fromMs },
      { retry },
    );
    const rise = (perMinute * random.between(1.5, 2)) / who.length;
    return {
      spec: worldFrom(random, {
        servers: [server],
        agents: agents.map((agent) => ({
          ...agent,
          arrivals: [...agent.arrivals, poisson(rise, fromMs, toMs)],
        })),
      }),
      labels: { must: [], may: INCIDENT_MAY },
      broken: (truth) => {
        const { factor, repeats } = growthOf(truth);
        return unless([factor >= 1.6, "no growth"], [repeats <= 0.35, "much of it was repeats"]);
      },
    };
  },
};
