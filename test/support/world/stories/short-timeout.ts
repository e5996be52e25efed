import { obeying } from "../client/retries.ts";
import { agentOf, MINUTE, requests, SECOND, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldSpec } from "../spec.ts";

const RETRY = obeying(4, 0.1, 1500);

/** Rank gives translate 30 s; the server asks translate for 45 s. Every other night a few calls too many meet. */
export const shortTimeout: WorldSpec = {
  seed: 30,
  startMs: Date.UTC(2026, 5, 23, 1, 0),
  servers: [
    {
      ...serverOf(createRandom("samples", "short-timeout"), [requests(40, 0.2)], { wording: "anthropic" }),
      model: "claude-sonnet-4-6",
      org: "org-2291",
      texts: "full",
      hint: { kind: "fixed", ms: 45 * SECOND },
      service: { median: 2600, sigma: 0.3 },
    },
  ],
  limiters: [],
  agents: ["translate", "rank", "publish"].map((name) => agentOf(name, [], { retry: RETRY })),
  pipelines: [
    {
      runs: Array.from({ length: 6 }, (_, i) => ({
        id: `night-${i + 1}`,
        atMs: i * 5 * MINUTE,
        scale: i % 2 === 0 ? 0.6 : 1,
      })),
      stages: [
        { agent: "translate", calls: 11, scales: true, overMs: 900, afterMs: 0 },
        {
          agent: "rank",
          calls: 2,
          scales: false,
          overMs: 2 * SECOND,
          afterMs: 0,
          waitsFor: "translate",
          timeoutMs: 30 * SECOND,
        },
        {
          agent: "publish",
          calls: 1,
          scales: false,
          overMs: 0,
          afterMs: 0,
          waitsFor: "rank",
          timeoutMs: 90 * SECOND,
        },
      ],
      failure: "told",
      onFailure: [{ agent: "orchestrator", action: "fail" }],
    },
  ],
  log: { omit: [], keep: null, order: "end" },
};
