import { obeying, RETRIES } from "../client/retries.ts";
import { agentOf, burst, MINUTE, poisson, requests, SECOND, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldSpec } from "../spec.ts";

const LENGTH = 6 * MINUTE;
const RETRY = obeying(6, 0.4, 800);

/** Deploy takes a refusal that lasts two seconds for the end, and the orchestrator rolls the release back. */
export const transientAsFatal: WorldSpec = {
  seed: 42,
  startMs: Date.UTC(2026, 5, 24, 11, 0),
  servers: [
    {
      ...serverOf(createRandom("samples", "transient-as-fatal"), [requests(50, 0.12)], {
        wording: "anthropic",
      }),
      model: "claude-sonnet-4-6",
      org: null,
      texts: "short",
      service: { median: 1500, sigma: 0.3 },
    },
  ],
  limiters: [],
  agents: [
    agentOf("lint", [poisson(9, 0, LENGTH, "watch")], { retry: RETRY }),
    agentOf("test", [poisson(9, 0, LENGTH, "watch")], { retry: RETRY }),
    agentOf(
      "deploy",
      [
        burst(MINUTE, 4, 2 * SECOND, "release-7"),
        burst(3 * MINUTE, 9, 600, "release-8"),
        burst(5 * MINUTE, 10, 600, "release-9"),
      ],
      {
        retry: RETRIES.never,
        onFailure: { by: "orchestrator", actions: ["rollback"] },
      },
    ),
  ],
  pipelines: [],
  log: { omit: [], keep: null, order: "end" },
};
