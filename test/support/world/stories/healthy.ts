import { obeying } from "../client/retries.ts";
import { agentOf, MINUTE, poisson, requests, SECOND, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldSpec } from "../spec.ts";

const LENGTH = 6 * MINUTE;
const RETRY = obeying(5, 0.3, 800);

/** The opening story with room: the same fan-out under a wider limit, and waiters that are served in time. */
export const healthy: WorldSpec = {
  seed: 7,
  startMs: Date.UTC(2026, 5, 26, 14, 0),
  servers: [
    {
      ...serverOf(createRandom("samples", "healthy"), [requests(400, 0.2)], { wording: "anthropic" }),
      model: "claude-sonnet-4-6",
      org: null,
      texts: "short",
      service: { median: 2200, sigma: 0.25 },
    },
  ],
  limiters: [],
  agents: [
    agentOf("research", [poisson(20, 0, LENGTH, "watch")], { retry: RETRY }),
    ...["code", "review", "deploy"].map((name) => agentOf(name, [], { retry: RETRY })),
  ],
  pipelines: [
    {
      runs: Array.from({ length: 5 }, (_, i) => ({ id: `run-${201 + i}`, atMs: i * MINUTE, scale: 1 })),
      stages: [
        { agent: "code", calls: 20, scales: true, overMs: 400, afterMs: 0 },
        {
          agent: "review",
          calls: 2,
          scales: false,
          overMs: 2 * SECOND,
          afterMs: 0,
          waitsFor: "code",
          timeoutMs: 120 * SECOND,
        },
        {
          agent: "deploy",
          calls: 1,
          scales: false,
          overMs: 0,
          afterMs: 0,
          waitsFor: "review",
          timeoutMs: 130 * SECOND,
        },
      ],
      failure: "told",
      onFailure: [{ agent: "orchestrator", action: "rollback" }],
    },
  ],
  log: { omit: [], keep: null, order: "end" },
};
