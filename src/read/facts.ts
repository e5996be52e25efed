import type { Fact, FactId, Facts } from "../model/log.ts";
import type { AttemptRecord } from "../model/record.ts";
import type { Reading } from "../providers/provider.ts";

export interface FactCounts {
  count(record: AttemptRecord, reading: Reading): void;
  withCallId(): number;
  /** The ids turned out to name single requests. */
  dropCallIds(): void;
  finish(attempts: number, waits: number, actions: number): Facts;
}

/** What is missing, in words that tell the user which field to add. */
const ABSENT: { readonly [F in FactId]: string } = {
  status: "no record has a status or an error",
  durations: "no record has duration_ms or an end time",
  agents: "no record names its agent",
  runs: "no record has run_id",
  calls: "no record has a call_id that attempts share; retries are inferred",
  attempts: "no record numbers its attempt",
  "retry-after": "no refusal carries retry-after",
  limits: "no response states a limit",
  tokens: "no record has input_tokens or output_tokens",
  waits: 'no line has event "wait"',
  actions: 'no line has event "action"',
  "queue-times": "no record has queued_ms",
  priorities: "no record has a priority",
  keys: "no record has api_key_id",
};

/** Counts who carries what, while records pass by. */
export function createFactCounts(): FactCounts {
  const counts: { [F in FactId]: number } = {
    status: 0,
    durations: 0,
    agents: 0,
    runs: 0,
    calls: 0,
    attempts: 0,
    "retry-after": 0,
    limits: 0,
    tokens: 0,
    waits: 0,
    actions: 0,
    "queue-times": 0,
    priorities: 0,
    keys: 0,
  };
  return {
    count(record, reading) {
      if (
        record.status !== null ||
        record.errorType !== null ||
        record.errorCode !== null ||
        record.errorMessage !== null
      )
        counts.status++;
      if (record.durationMs !== null) counts.durations++;
      if (record.agent !== null) counts.agents++;
      if (record.runId !== null) counts.runs++;
      if (record.callId !== null) counts.calls++;
      if (record.attempt !== null) counts.attempts++;
      if (reading.retryAfterMs !== null) counts["retry-after"]++;
      if (reading.limits.length > 0) counts.limits++;
      if (record.inputTokens !== null || record.outputTokens !== null) counts.tokens++;
      if (record.queuedMs !== null) counts["queue-times"]++;
      if (record.priority !== null) counts.priorities++;
      if (record.apiKeyId !== null) counts.keys++;
    },
    withCallId: () => counts.calls,
    dropCallIds() {
      counts.calls = 0;
    },
    finish(attempts, waits, actions) {
      counts.waits = waits;
      counts.actions = actions;
      const factOf = (id: FactId): Fact => factFrom(id, counts[id], attempts);
      return {
        status: factOf("status"),
        durations: factOf("durations"),
        agents: factOf("agents"),
        runs: factOf("runs"),
        calls: factOf("calls"),
        attempts: factOf("attempts"),
        "retry-after": factOf("retry-after"),
        limits: factOf("limits"),
        tokens: factOf("tokens"),
        waits: factOf("waits"),
        actions: factOf("actions"),
        "queue-times": factOf("queue-times"),
        priorities: factOf("priorities"),
        keys: factOf("keys"),
      };
    },
  };
}

function factFrom(id: FactId, count: number, attempts: number): Fact {
  if (count === 0) return { present: false, because: ABSENT[id] };
  if (id === "waits" || id === "actions") return { present: true, because: `${count} records` };
  return { present: true, because: `on ${count} of ${attempts} attempts` };
}
