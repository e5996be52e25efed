import { obeying } from "../client/retries.ts";
import type { Random } from "../random.ts";
import type { AgentSpec } from "../spec.ts";
import { refusedOf, share } from "../truth.ts";
import { NOTHING } from "./healthy.ts";
import { type Draft, type Kind, type Labels, unless } from "./kind.ts";
import { MINUTE, names, quietAgents, requests, serverOf, worldFrom } from "./scenery.ts";

function untaggedOf(
  name: string,
  labels: Labels,
  tag: (random: Random, agents: AgentSpec[]) => AgentSpec[],
  least: number,
  most: number,
): Kind {
  return {
    name,
    draw: (random): Draft => {
      const who = names(random, random.integer(3, 5));
      const perMinute = random.integer(100, 400);
      const lengthMs = random.integer(7, 12) * MINUTE;
      const load = perMinute * random.between(0.12, 0.4);
      const agents = tag(random, quietAgents(random, who, load, lengthMs, obeying(4, 0.3, 500)));
      return {
        spec: worldFrom(random, { servers: [serverOf(random, [requests(perMinute, 0.15)])], agents }),
        labels,
        broken: (truth) => {
          const untagged = share(truth.attempts, ({ tagged }) => !tagged);
          return unless(
            [refusedOf(truth.attempts).length === 0, "something was refused"],
            [untagged >= least && untagged <= most, "another share is untagged"],
          );
        },
      };
    },
  };
}

/** Much of the traffic carries no name: one agent's, or a part of everybody's. */
export const untagged: Kind = untaggedOf(
  "untagged",
  { must: [{ rule: "untagged-traffic" }], may: [] },
  (random, agents) =>
    random.chance(0.5)
      ? agents.map((agent, i) => (i === 0 ? { ...agent, name: "" } : agent))
      : agents.map((agent) => ({ ...agent, taggedShare: random.between(0.2, 0.7) })),
  0.2,
  0.9,
);

/** A few calls without a name, under the tenth that matters. */
export const nearlyTagged: Kind = untaggedOf(
  "healthy-nearly-tagged",
  NOTHING,
  (random, agents) => agents.map((agent) => ({ ...agent, taggedShare: random.between(0.93, 0.98) })),
  0.01,
  0.085,
);
