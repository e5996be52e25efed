import { createExtractor } from "../extract.ts";
import type { Format, JsonObject, Sniff } from "../format.ts";
import { createNameTree } from "../names.ts";
import type { Field, Plan } from "../plan.ts";

/**
 * People's own logs: the canonical fields under other names. Case, `_`, `-` and camelCase do not matter; dotted paths
 * reach into objects. The canonical name comes first in each row and is taken without a question.
 */
const PLAN: Plan = {
  names: "loose",
  needsSign: true,
  fields: [
    {
      field: "ts",
      kind: "time",
      weak: true,
      paths: [
        "ts",
        "timestamp",
        "time",
        "@timestamp",
        "start_time",
        "started_at",
        "created_at",
        "datetime",
        "date",
      ],
    },
    {
      field: "end",
      kind: "time",
      weak: true,
      paths: ["end_time", "ended_at", "finished_at", "completed_at"],
    },
    {
      field: "duration_ms",
      kind: "duration-ms",
      paths: ["duration_ms", "latency_ms", "elapsed_ms", "response_time_ms", "duration_millis"],
    },
    {
      field: "duration_ms",
      kind: "duration-s",
      paths: [
        "duration_s",
        "latency_s",
        "elapsed_s",
        "duration_seconds",
        "latency_seconds",
        "elapsed_seconds",
      ],
    },
    {
      field: "duration_ms",
      kind: "duration-s-or-ms",
      paths: ["duration", "latency", "response_time", "elapsed"],
    },
    {
      field: "agent",
      kind: "text",
      paths: ["agent", "agent_name", "agent.name", "gen_ai.agent.name", "metadata.agent"],
    },
    { field: "agent", kind: "text", weak: true, paths: ["worker", "stage", "node", "component"] },
    {
      field: "run_id",
      kind: "text",
      weak: true,
      paths: ["run_id", "run", "session_id", "conversation_id", "trace_id"],
    },
    { field: "call_id", kind: "text", paths: ["call_id"] },
    { field: "call_id", kind: "text", weak: true, paths: ["request_id", "call", "id"] },
    { field: "attempt", kind: "integer", paths: ["attempt", "attempt_number"] },
    { field: "provider", kind: "text", paths: ["provider", "gen_ai.provider.name", "gen_ai.system"] },
    { field: "model", kind: "text", paths: ["model", "model_name", "request.model", "gen_ai.request.model"] },
    { field: "org_id", kind: "text", weak: true, paths: ["org_id", "organization_id", "organization"] },
    { field: "workspace_id", kind: "text", weak: true, paths: ["workspace_id", "project_id"] },
    { field: "api_key_id", kind: "text", paths: ["api_key_id", "api_key_name", "key_id"] },
    {
      field: "status",
      kind: "status",
      paths: [
        "status",
        "status_code",
        "http_status",
        "http.status_code",
        "http.response.status_code",
        "response.status",
        "response.status_code",
        "response_status",
      ],
    },
    { field: "error_type", kind: "text", paths: ["error_type", "error.type"] },
    { field: "error_code", kind: "text", paths: ["error_code", "error.code"] },
    { field: "error_message", kind: "text", weak: true, paths: ["error_message", "error.message"] },
    { field: "error", kind: "error", weak: true, paths: ["error"] },
    {
      field: "headers",
      kind: "headers",
      paths: ["headers", "response_headers", "response.headers", "raw_headers"],
    },
    { field: "retry_after_ms", kind: "duration-ms", paths: ["retry_after_ms"] },
    {
      field: "retry_after_ms",
      kind: "duration-s",
      paths: ["retry_after", "retry_after_s", "retry_after_seconds"],
    },
    {
      field: "input_tokens",
      kind: "integer",
      paths: [
        "input_tokens",
        "prompt_tokens",
        "tokens_in",
        "usage.input_tokens",
        "usage.prompt_tokens",
        "response.usage.input_tokens",
        "response.usage.prompt_tokens",
        "gen_ai.usage.input_tokens",
      ],
    },
    {
      field: "output_tokens",
      kind: "integer",
      paths: [
        "output_tokens",
        "completion_tokens",
        "tokens_out",
        "usage.output_tokens",
        "usage.completion_tokens",
        "response.usage.output_tokens",
        "response.usage.completion_tokens",
        "gen_ai.usage.output_tokens",
      ],
    },
    {
      field: "cached_input_tokens",
      kind: "integer",
      paths: [
        "cached_input_tokens",
        "cached_tokens",
        "cache_read_input_tokens",
        "usage.cached_tokens",
        "usage.cache_read_input_tokens",
        "usage.prompt_tokens_details.cached_tokens",
        "usage.input_tokens_details.cached_tokens",
      ],
    },
    {
      field: "max_tokens",
      kind: "integer",
      paths: [
        "max_tokens",
        "max_output_tokens",
        "max_completion_tokens",
        "request.max_tokens",
        "gen_ai.request.max_tokens",
      ],
    },
    { field: "priority", kind: "priority", weak: true, paths: ["priority"] },
    { field: "queued_ms", kind: "duration-ms", paths: ["queued_ms", "queue_ms", "queue_time_ms"] },
    { field: "local", kind: "flag", weak: true, paths: ["local"] },
    { field: "event", kind: "text", weak: true, paths: ["event"] },
    { field: "waits_for", kind: "text", weak: true, paths: ["waits_for"] },
    { field: "timeout_ms", kind: "duration-ms", weak: true, paths: ["timeout_ms"] },
    { field: "outcome", kind: "text", weak: true, paths: ["outcome"] },
    { field: "action", kind: "text", weak: true, paths: ["action"] },
    { field: "tags", kind: "tags", weak: true, paths: ["tags"] },
    { field: "user", kind: "text", weak: true, paths: ["user_id", "metadata.user_id"] },
  ],
};

export const spelled: Format = {
  id: "spelled",
  title: "hand-made logs with other names for the same things (NDJSON, JSON or CSV)",
  granularity: "attempt",
  plan: PLAN,
  sniff,
};

function sniff(records: readonly JsonObject[]): Sniff {
  const extractor = createExtractor(createNameTree(PLAN));
  const otherNames = new Map<Field, number>();
  let usable = 0;
  for (const record of records) {
    const { targets, sign } = extractor.fromObject(record);
    const told = targets.filter((target) => target !== null);
    if (!sign || !told.some(({ field }) => field === "ts" || field === "end")) continue;
    usable++;
    for (const { field, sure, weak } of told) {
      if (!sure && (!weak || field === "ts")) otherNames.set(field, (otherNames.get(field) ?? 0) + 1);
    }
  }
  // Requests may follow later: rather this format than one that knows fewer names.
  if (usable === 0) {
    const timed = records.filter((record) =>
      extractor.fromObject(record).targets.some((target) => target?.field === "ts"),
    );
    return { score: timed.length === 0 ? 0 : 0.05, why: "no record with a time and a sign of a request" };
  }
  const others = [...otherNames].filter(([, count]) => 2 * count >= usable).map(([field]) => field);
  const why = `${usable} of the first ${records.length} records tell a time and a request`;
  // Above the canonical format only where that would miss something.
  return { score: (others.length > 0 ? 0.97 : 0.6) * (0.5 + usable / records.length / 2), why };
}
