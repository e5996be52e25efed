import { obeying, RETRIES } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { RetrySpec } from "../spec.ts";
import { refusedOf } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import { MINUTE, names, quietAgents, requests, serverOf, worldFrom } from "./scenery.ts";

export const NOTHING = { must: [], may: [] } as const;

/** Any client: with nothing refused its retries do not show. */
function anyRetry(random: Random): RetrySpec {
  return random.pick([RETRIES.never, RETRIES.openaiNode, RETRIES.tenacity, obeying(5, 0.2, 500)]);
}

export function neverRefused(truth: Journal): string | null {
  return unless(
    [truth.attempts.length > 0, "nothing happened"],
    [refusedOf(truth.attempts).length === 0, "something was refused"],
  );
}

/** Several agents well under the limit. */
export const healthySteady: Kind = {
  name: "healthy-steady",
  draw: (random): Draft => {
    const perMinute = random.integer(60, 600);
    const lengthMs = random.integer(6, 15) * MINUTE;
    const server = serverOf(random, [requests(perMinute, random.between(0.08, 0.3))]);
    const load = perMinute * random.between(0.15, 0.5);
    const agents = quietAgents(random, names(random, random.integer(2, 6)), load, lengthMs, anyRetry(random));
    return { spec: worldFrom(random, { servers: [server], agents }), labels: NOTHING, broken: neverRefused };
  },
};
