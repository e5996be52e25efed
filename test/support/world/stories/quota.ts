import { RETRIES } from "../client/retries.ts";
import { agentOf, MINUTE, poisson, requests, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldSpec } from "../spec.ts";

const LENGTH = 8 * MINUTE;

/** The credit is used up in the middle of quiet work: every request is a 429 from then on, at any pace. */
export const quota: WorldSpec = {
  seed: 61,
  startMs: Date.UTC(2026, 5, 25, 22, 10),
  servers: [
    {
      ...serverOf(createRandom("samples", "quota"), [requests(500, 0.2)], { wording: "openai" }),
      model: "gpt-5.2",
      org: null,
      texts: "short",
      service: { median: 1700, sigma: 0.3 },
      billings: [{ fromMs: 3 * MINUTE, toMs: Number.MAX_SAFE_INTEGER, words: "insufficient-quota" }],
    },
  ],
  limiters: [],
  agents: [
    agentOf("research", [poisson(8, 0, LENGTH)], { retry: RETRIES.openaiNode }),
    agentOf("review", [poisson(5, 0, LENGTH)], { retry: RETRIES.openaiNode }),
  ],
  pipelines: [],
  log: { omit: [], keep: null, order: "end" },
};
