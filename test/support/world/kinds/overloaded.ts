import { fixed, RETRIES } from "../client/retries.ts";
import type { WordingId } from "../spec.ts";
import { refusedOf } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import { MINUTE, names, quietAgents, requests, serverOf, worldFrom } from "./scenery.ts";

function overload(name: string, wordings: readonly WordingId[], status: 529 | 503, most: number): Kind {
  return {
    name,
    draw: (random): Draft => {
      const who = names(random, random.integer(2, 5));
      const perMinute = random.integer(250, 600);
      const lengthMs = random.integer(7, 10) * MINUTE;
      const fromMs = random.integer(2, 3) * MINUTE;
      const server = serverOf(random, [requests(perMinute, 0.2)], {
        wording: random.pick(wordings),
        overloads: [
          { fromMs, toMs: fromMs + random.integer(2, 4) * MINUTE, share: random.between(0.25, most), status },
        ],
      });
      const retry = random.pick([{ ...RETRIES.backoff, maxAttempts: 9 }, fixed(12, 1500, 4000)]);
      const agents = quietAgents(random, who, random.integer(25, 70), lengthMs, retry);
      return {
        spec: worldFrom(random, { servers: [server], agents }),
        labels: { must: [{ rule: "provider-overloaded" }], may: ["excessive-retries"] },
        broken: (truth) =>
          unless(
            [
              truth.attempts.filter(({ outcome }) => outcome === "overloaded").length >= 20,
              "hardly an overload",
            ],
            [refusedOf(truth.attempts).length === 0, "the limit was hit too"],
            [truth.calls.every(({ outcome }) => outcome === "ok"), "a call failed"],
          ),
      };
    },
  };
}

/** The provider has no room for some minutes; nobody's limit is near. */
export const overloaded: Kind = overload("overloaded", ["anthropic"], 529, 0.5);
export const overloaded503: Kind = overload("overloaded-503", ["openai", "bare"], 503, 0.5);
/** So much that repeated sends double the traffic: still not a limit of the client's. */
export const overloadStorm: Kind = overload("overload-storm", ["anthropic"], 529, 0.75);
