import { obeying } from "../client/retries.ts";
import { agentOf, MINUTE, requests, SECOND, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldSpec } from "../spec.ts";

const RETRY = obeying(8, 0.6, 4000);

/** Four documents at a time pass, then somebody sends seventy: the same code, the same limit. */
export const fanOut: WorldSpec = {
  seed: 3,
  startMs: Date.UTC(2026, 5, 22, 16, 20),
  servers: [
    {
      ...serverOf(createRandom("samples", "fan-out"), [requests(100, 0.15)], { wording: "openai" }),
      model: "gpt-4.1-mini",
      org: null,
      texts: "full",
      hint: { kind: "fixed", ms: 15 * SECOND },
      service: { median: 1800, sigma: 0.3 },
    },
  ],
  limiters: [],
  agents: ["outline", "extract", "merge"].map((name) => agentOf(name, [], { retry: RETRY })),
  pipelines: [
    {
      runs: [
        { id: "test-1", atMs: 0, scale: 4 },
        { id: "test-2", atMs: 3 * MINUTE, scale: 4 },
        { id: "all-documents", atMs: 6 * MINUTE, scale: 70 },
      ],
      stages: [
        { agent: "outline", calls: 1, scales: false, overMs: 0, afterMs: 0 },
        { agent: "extract", calls: 1, scales: true, overMs: 1200, afterMs: 0, waitsFor: "outline" },
        { agent: "merge", calls: 2, scales: false, overMs: 0, afterMs: 0, waitsFor: "extract" },
      ],
      failure: "told",
      onFailure: [{ agent: "orchestrator", action: "fail" }],
    },
  ],
  log: { omit: [], keep: null, order: "end" },
};
