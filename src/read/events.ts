import type { ActionRecord, WaitRecord } from "../model/record.ts";
import { who } from "./attempts.ts";
import type { Extract } from "./extract.ts";
import type { FieldReader } from "./fields.ts";
import { type Rejection, rejected, type Timing } from "./reading.ts";
import { durationBy } from "./timing.ts";
import { toDuration, toText } from "./values.ts";

const OUTCOMES: ReadonlyMap<string, WaitRecord["outcome"]> = new Map([
  ["ok", "ok"],
  ["success", "ok"],
  ["completed", "ok"],
  ["timeout", "timeout"],
  ["timed_out", "timeout"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
  ["error", "error"],
  ["failed", "error"],
]);

/** A wait without its parties, its length or its outcome says nothing: such a record is rejected, not half kept. */
export function readWait(extract: Extract, fields: FieldReader, timing: Timing): WaitRecord | Rejection {
  const { agent, runId } = who(extract, fields);
  const waitsFor = fields.told(extract, "waits_for", toText);
  const outcome = fields.told(extract, "outcome", toOutcome);
  const { sentMs, durationMs } = settled(timing);
  if (agent === null) return rejected("bad-value", "a wait without agent");
  if (waitsFor === null) return rejected("bad-value", "a wait without waits_for");
  if (durationMs === null) return rejected("bad-value", "a wait without duration_ms");
  if (outcome === null)
    return rejected("bad-value", "a wait without outcome: ok, timeout, cancelled or error");
  const timeoutMs = fields.told(extract, "timeout_ms", (value, target) => durationBy(target)(value));
  return { kind: "wait", startMs: sentMs, durationMs, agent, waitsFor, timeoutMs, outcome, runId };
}

export function readAction(extract: Extract, fields: FieldReader, timing: Timing): ActionRecord | Rejection {
  const { agent, runId } = who(extract, fields);
  const action = fields.told(extract, "action", toText);
  if (action === null) return rejected("bad-value", "an action without its name");
  const callId = fields.told(extract, "call_id", toText);
  return { kind: "action", atMs: settled(timing).sentMs, agent: agent ?? "", action, runId, callId };
}

/** Waits are few: a bare duration follows the rule for single values instead of waiting for the column. */
function settled(timing: Timing): Pick<Timing, "sentMs" | "durationMs"> {
  if (timing.bare === null) return timing;
  const { value, fraction, fromEnd } = timing.bare;
  const durationMs = toDuration(value, fraction && value < 1_000 ? 1_000 : 1) ?? null;
  return { sentMs: fromEnd ? timing.sentMs - (durationMs ?? 0) : timing.sentMs, durationMs };
}

function toOutcome(value: unknown): WaitRecord["outcome"] | undefined {
  return typeof value === "string" ? OUTCOMES.get(value.toLowerCase()) : undefined;
}
