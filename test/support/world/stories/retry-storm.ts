import { fixed } from "../client/retries.ts";
import { agentOf, burst, MINUTE, poisson, requests, SECOND, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldSpec } from "../spec.ts";

const LENGTH = 5 * MINUTE;
const SPARK = 2 * MINUTE + 10 * SECOND;

/** A short rush of work, and everybody refused comes back after one second, twelve times, whatever the server asks for. */
export const retryStorm: WorldSpec = {
  seed: 20,
  startMs: Date.UTC(2026, 5, 19, 7, 0),
  servers: [
    {
      ...serverOf(createRandom("samples", "retry-storm"), [requests(60, 0.1)], { wording: "anthropic" }),
      model: "claude-haiku-4-5",
      org: null,
      texts: "short",
      hint: { kind: "fixed", ms: 20 * SECOND },
      service: { median: 1100, sigma: 0.3 },
    },
  ],
  limiters: [],
  agents: ["extract", "classify", "summarize"].map((name) =>
    agentOf(name, [poisson(8, 0, LENGTH), burst(SPARK, 9, 5 * SECOND)], { retry: fixed(12, SECOND) }),
  ),
  pipelines: [],
  log: { omit: [], keep: null, order: "end" },
};
