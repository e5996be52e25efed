import { exactly } from "../client/retries.ts";
import { agentOf, MINUTE, requests, SECOND, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { PipelineSpec, ServerSpec, WorldSpec } from "../spec.ts";

const STAGES = ["research", "summarize", "code", "review", "deploy"] as const;

/** The tier that allows 50 requests a minute; whoever is refused is told to come back after 70 s. */
export const TIER_50: ServerSpec = {
  ...serverOf(createRandom("samples", "cascade"), [requests(50, 0.16)], { wording: "anthropic" }),
  model: "claude-sonnet-4-6",
  org: null,
  texts: "short",
  hint: { kind: "fixed", ms: 70 * SECOND },
  service: { median: 2200, sigma: 0.25 },
};

/** Code splits into subtasks, 4 in the runs that pass and 20 in the last; review and deploy wait with timeouts. */
const PIPELINE: PipelineSpec = {
  runs: [
    { id: "run-101", atMs: 0, scale: 0.2 },
    { id: "run-102", atMs: 5 * MINUTE, scale: 0.2 },
    { id: "run-103", atMs: 10 * MINUTE, scale: 1 },
  ],
  stages: [
    { agent: "research", calls: 2, scales: false, overMs: 9 * SECOND, afterMs: 0 },
    { agent: "summarize", calls: 2, scales: false, overMs: 5 * SECOND, afterMs: 0, waitsFor: "research" },
    { agent: "code", calls: 20, scales: true, overMs: 400, afterMs: 0, waitsFor: "summarize" },
    {
      agent: "review",
      calls: 2,
      scales: false,
      overMs: 4 * SECOND,
      afterMs: 12 * SECOND,
      waitsFor: "code",
      timeoutMs: 120 * SECOND,
    },
    {
      agent: "deploy",
      calls: 1,
      scales: false,
      overMs: 0,
      afterMs: 12 * SECOND,
      waitsFor: "review",
      timeoutMs: 130 * SECOND,
    },
  ],
  failure: "silent",
  onFailure: [
    { agent: "orchestrator", action: "rollback" },
    { agent: "orchestrator", action: "alert" },
  ],
};

/** One agent's fan-out drags a pipeline of five down although every call of it passes in the end. */
export const cascade: WorldSpec = {
  seed: 50,
  startMs: Date.UTC(2026, 5, 17, 14, 0),
  servers: [TIER_50],
  limiters: [],
  agents: STAGES.map((name) => agentOf(name, [], { retry: exactly(6) })),
  pipelines: [PIPELINE],
  log: { omit: [], keep: null, order: "end" },
};
