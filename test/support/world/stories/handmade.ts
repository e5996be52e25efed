import { obeying } from "../client/retries.ts";
import { agentOf, MINUTE, poisson, serverOf } from "../kinds/scenery.ts";
import { createRandom } from "../random.ts";
import type { WorldRecord } from "../record.ts";
import type { WorldSpec } from "../spec.ts";

const LENGTH = 7 * MINUTE;
const RETRY = obeying(6, 0.4, 1500);

/** One agent with long prompts uses up the tokens of a minute with a tenth of the requests. */
export const handmade: WorldSpec = {
  seed: 12,
  startMs: Date.UTC(2026, 5, 29, 10, 0),
  servers: [
    {
      ...serverOf(createRandom("samples", "handmade"), [], { wording: "openai" }),
      model: "gpt-4o",
      org: null,
      texts: "short",
      limits: [
        { id: "requests", amount: 500, capacity: 60 },
        { id: "tokens", amount: 60_000, capacity: 45_000 },
      ],
      service: { median: 1900, sigma: 0.3 },
    },
  ],
  limiters: [],
  agents: [
    agentOf("chat", [poisson(14, 0, LENGTH, "day")], {
      retry: RETRY,
      inputTokens: { median: 500, sigma: 0.3 },
    }),
    agentOf("digest", [poisson(8, 2 * MINUTE, 5 * MINUTE, "day")], {
      retry: RETRY,
      inputTokens: { median: 11_000, sigma: 0.2 },
    }),
  ],
  pipelines: [],
  log: { omit: [], keep: null, order: "end" },
};

/** What a team's own logger calls the things; times as people write them, without a zone. */
const COLUMNS: readonly (readonly [column: string, field: string])[] = [
  ["timestamp", "ts"],
  ["worker", "agent"],
  ["session_id", "run_id"],
  ["request_id", "call_id"],
  ["model_name", "model"],
  ["status_code", "status"],
  ["latency_ms", "duration_ms"],
  ["prompt_tokens", "input_tokens"],
  ["completion_tokens", "output_tokens"],
  ["error", "error_message"],
];

export function handmadeCsv(records: readonly WorldRecord[]): string {
  const rows = records.map((record) => COLUMNS.map(([, field]) => cell(field, record[field])).join(","));
  return `${[COLUMNS.map(([column]) => column).join(","), ...rows].join("\n")}\n`;
}

function cell(field: string, value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return "";
  const text = field === "ts" ? value.replace("T", " ").replace("Z", "") : value;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
