import type { Format, JsonObject, Sniff } from "../format.ts";
import type { PlanField } from "../plan.ts";

/** The tool's own record: what `normalize` writes. Names are exact, unknown fields are ignored. */
export const canonical: Format = {
  id: "canonical",
  title: "why429's own record, one HTTP request each (NDJSON, JSON or CSV)",
  granularity: "attempt",
  plan: {
    names: "exact",
    needsSign: false,
    fields: [
      own("ts", "time"),
      own("duration_ms", "duration-ms"),
      { field: "agent", kind: "text", paths: ["agent", "metadata.agent"] },
      own("run_id", "text"),
      own("call_id", "text"),
      own("attempt", "integer"),
      own("provider", "text"),
      own("model", "text"),
      own("org_id", "text"),
      own("workspace_id", "text"),
      own("api_key_id", "text"),
      own("status", "status"),
      own("error_type", "text"),
      own("error_code", "text"),
      own("error_message", "text"),
      own("headers", "headers"),
      own("retry_after_ms", "duration-ms"),
      own("input_tokens", "integer"),
      own("output_tokens", "integer"),
      own("cached_input_tokens", "integer"),
      own("max_tokens", "integer"),
      own("priority", "priority"),
      own("queued_ms", "duration-ms"),
      own("local", "flag"),
      own("event", "text"),
      own("waits_for", "text"),
      own("timeout_ms", "duration-ms"),
      own("outcome", "text"),
      own("action", "text"),
      { field: "tags", kind: "tags", paths: ["tags"] },
      { field: "user", kind: "text", paths: ["user_id", "metadata.user_id"] },
    ],
  },
  sniff,
};

function own(field: PlanField["field"], kind: PlanField["kind"]): PlanField {
  return { field, kind, paths: [field] };
}

/** Of these, one beside `ts` makes a record: other logs have a `ts` too. */
const TELLING = [
  "duration_ms",
  "status",
  "agent",
  "run_id",
  "call_id",
  "attempt",
  "model",
  "provider",
  "event",
] as const;

function sniff(records: readonly JsonObject[]): Sniff {
  const timed = records.filter((record) => record["ts"] !== undefined);
  const telling = timed.filter((record) => TELLING.some((name) => record[name] !== undefined));
  const why = `${telling.length} of the first ${records.length} records have ts and other canonical names`;
  if (2 * telling.length >= records.length) return { score: 0.95, why };
  return {
    score: 2 * timed.length >= records.length ? 0.3 : 0,
    why: `${timed.length} of the first ${records.length} records have ts`,
  };
}
