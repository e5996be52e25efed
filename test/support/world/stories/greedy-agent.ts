import { obeying } from "../client/retries.ts";
import { agentOf, burst, MINUTE, poisson, requests, SECOND, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldSpec } from "../spec.ts";

const LENGTH = 6 * MINUTE;
const RETRY = obeying(8, 0.5, 3000);

/** A crawler comes twice with fifty pages at once; the two agents that answer people are refused for it. */
export const greedyAgent: WorldSpec = {
  seed: 80,
  startMs: Date.UTC(2026, 5, 18, 9, 30),
  servers: [
    {
      ...serverOf(createRandom("samples", "greedy-agent"), [requests(60, 0.2)], { wording: "openai" }),
      model: "gpt-5.2",
      org: null,
      texts: "short",
      hint: { kind: "fixed", ms: 8 * SECOND },
      service: { median: 1400, sigma: 0.3 },
    },
  ],
  limiters: [],
  agents: [
    agentOf("support", [poisson(7, 0, LENGTH, "chat")], { retry: RETRY, priority: "critical" }),
    agentOf("triage", [poisson(3, 0, LENGTH, "chat")], { retry: RETRY, priority: "critical" }),
    agentOf(
      "crawler",
      [burst(2 * MINUTE, 50, 3 * SECOND, "crawl-1"), burst(4 * MINUTE, 50, 3 * SECOND, "crawl-2")],
      { retry: RETRY, priority: "background" },
    ),
  ],
  pipelines: [],
  log: { omit: [], keep: null, order: "end" },
};
