import { exactly, obeying, RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { RetrySpec } from "../spec.ts";
import { by, refusedOf } from "../truth.ts";
import { type Draft, type Kind, type Labels, unless } from "./kind.ts";
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

/** Groups of at least four repeats within 100 ms of which one at least was refused again. */
function herds(truth: Journal, agent: string): number {
  const repeats = truth.attempts
    .filter((one) => by(agent)(one) && one.attempt > 1)
    .toSorted((a, b) => a.sentMs - b.sentMs);
  let count = 0;
  let left = 0;
  for (const [right, { sentMs }] of repeats.entries()) {
    const start = repeats[left];
    if (start === undefined || sentMs - start.sentMs <= 100) continue;
    const group = repeats.slice(left, right);
    if (group.length >= 4 && refusedOf(group).length > 0) count++;
    left = right;
  }
  return count;
}

function herd(
  name: string,
  retryOf: (random: Random) => RetrySpec,
  herdsWanted: boolean,
  labels: (agent: string) => Labels,
): Kind {
  return {
    name,
    draw: (random): Draft => {
      const [agent, ...others] = names(random, random.integer(2, 4));
      const perMinute = random.integer(30, 120);
      const limit = requests(perMinute, random.between(0.05, 0.12));
      const lengthMs = random.integer(6, 10) * MINUTE;
      const hintMs = random.integer(6, 25) * SECOND;
      const retry = retryOf(random);
      const gapMs = lengthMs / 3;
      const bursts = Array.from({ length: random.integer(2, 3) }, (_, i) =>
        burst(MINUTE + i * gapMs, limit.capacity * random.integer(3, 5) + 6, random.integer(0, 120)),
      );
      const agents = [
        ...quietAgents(random, others, perMinute * random.between(0.05, 0.12), lengthMs, retry),
        agentOf(agent, bursts, { retry }),
      ];
      const server = serverOf(random, [limit], { hint: { kind: "fixed", ms: hintMs } });
      return {
        spec: worldFrom(random, { servers: [server], agents }),
        labels: labels(agent),
        broken: (truth) =>
          unless(
            [refusedOf(truth.attempts).length >= 20, "hardly any refusal"],
            [
              herdsWanted ? herds(truth, agent) >= 3 : herds(truth, agent) === 0,
              "herds or none, but not as wanted",
            ],
          ),
      };
    },
  };
}

const HERD_MAY = [...INCIDENT_MAY, "greedy-agent", "fan-out-over-limit", "retry-storm"];

/** Everybody obeys the hint to the millisecond and comes back together. */
export const unjittered: Kind = herd(
  "unjittered",
  (random) =>
    random.pick([
      exactly(8),
      obeying(8, 0, 30),
      RETRIES.anthropicSdk,
      { ...RETRIES.openaiNode, maxAttempts: 6 },
    ]),
  true,
  (agent) => ({ must: [{ rule: "unjittered-retries", agent }], may: HERD_MAY }),
);

/** Everybody obeys the hint and adds a random part: nothing to say about how they retry. */
export const jittered: Kind = herd(
  "obeying-with-jitter",
  (random) => obeying(random.integer(6, 8), random.between(0.9, 1.4), 3000),
  false,
  () => ({
    must: [],
    may: HERD_MAY.filter((rule) => rule !== "unjittered-retries" && rule !== "retry-storm"),
  }),
);
