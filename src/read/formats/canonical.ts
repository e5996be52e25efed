import type { Format, JsonObject, Sniff } from "../format.ts";
import { type Field, KIND_OF, type PlanField } from "../plan.ts";

/** The tool's own record: what `normalize` writes. Names are exact, unknown fields are ignored. */
export const canonical: Format = {
  id: "canonical",
  title: "why429's own record, one HTTP request each (NDJSON, JSON or CSV)",
  granularity: "attempt",
  plan: {
    names: "exact",
    needsSign: false,
    fields: [
      own("ts"),
      own("duration_ms"),
      { field: "agent", kind: "text", paths: ["agent", "metadata.agent"] },
      own("run_id"),
      own("call_id"),
      own("attempt"),
      own("provider"),
      own("model"),
      own("org_id"),
      own("workspace_id"),
      own("api_key_id"),
      own("status"),
      own("error_type"),
      own("error_code"),
      own("error_message"),
      own("headers"),
      own("retry_after_ms"),
      own("input_tokens"),
      own("output_tokens"),
      own("cached_input_tokens"),
      own("max_tokens"),
      own("priority"),
      own("queued_ms"),
      own("local"),
      own("event"),
      own("waits_for"),
      own("timeout_ms"),
      own("outcome"),
      own("action"),
      { field: "tags", kind: "tags", paths: ["tags"] },
      { field: "user", kind: "text", paths: ["user_id", "metadata.user_id"] },
    ],
  },
  sniff,
};

function own(field: Field): PlanField {
  return { field, kind: KIND_OF[field], paths: [field] };
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
