import type { ActionEvent, Journal, SentAttempt, WaitEvent } from "./journal.ts";
import type { ServerSpec, WorldSpec } from "./spec.ts";

/** A canonical record as a log line holds it. */
export type WorldRecord = { readonly ts: string; readonly [field: string]: unknown };

interface Line {
  readonly sentMs: number;
  readonly endMs: number;
  readonly record: WorldRecord;
}

/** What the log tells of what happened. */
export function recordsOf(journal: Journal, spec: WorldSpec): WorldRecord[] {
  const { log, startMs } = spec;
  const servers = new Map(spec.servers.map((server) => [server.id, server]));
  const lines: readonly Line[] = [
    ...journal.attempts.map((attempt) => ({
      sentMs: attempt.sentMs,
      endMs: attempt.endMs,
      record: attemptRecord(attempt, servers.get(attempt.agent.server), spec),
    })),
    ...journal.waits.map((wait) => ({
      sentMs: wait.fromMs,
      endMs: wait.toMs,
      record: waitRecord(wait, startMs),
    })),
    ...journal.actions.map((action) => ({
      sentMs: action.atMs,
      endMs: action.atMs,
      record: actionRecord(action, startMs),
    })),
  ];
  const key = ({ sentMs, endMs }: Line): number => (log.order === "end" ? endMs : sentMs);
  return lines
    .filter(({ endMs }) => log.keep === null || (endMs >= log.keep.fromMs && endMs < log.keep.toMs))
    .toSorted((a, b) => key(a) - key(b))
    .map(({ record }) => record);
}

function iso(startMs: number, ms: number): string {
  return new Date(startMs + ms).toISOString();
}

function attemptRecord(attempt: SentAttempt, server: ServerSpec | undefined, spec: WorldSpec): WorldRecord {
  const { agent, answer } = attempt;
  const { status, headers, ...error } = answer;
  const queues = agent.cap !== undefined || agent.limiter !== undefined;
  const fields = {
    duration_ms: attempt.endMs - attempt.sentMs,
    agent: attempt.tagged ? agent.name : null,
    run_id: attempt.run,
    call_id: attempt.callId,
    attempt: attempt.attempt,
    provider: server?.provider ?? null,
    model: server?.model ?? null,
    org_id: server?.org ?? null,
    api_key_id: agent.key,
    status: status === 0 ? null : status,
    local: attempt.outcome === "local" ? true : null,
    priority: agent.priority ?? null,
    queued_ms: queues ? attempt.sentMs - attempt.readyMs : null,
    input_tokens: attempt.outcome === "ok" ? attempt.inputTokens : null,
    output_tokens: attempt.outcome === "ok" ? attempt.outputTokens : null,
    max_tokens: agent.maxTokens ?? null,
    ...error,
    headers: headers ?? null,
  };
  const record: { readonly ts: string; [field: string]: unknown } = { ts: iso(spec.startMs, attempt.sentMs) };
  for (const [name, value] of Object.entries(fields))
    if (value !== null && !spec.log.omit.includes(name)) record[name] = value;
  return record;
}

function waitRecord(wait: WaitEvent, startMs: number): WorldRecord {
  return {
    event: "wait",
    ts: iso(startMs, wait.fromMs),
    duration_ms: wait.toMs - wait.fromMs,
    agent: wait.agent,
    run_id: wait.run,
    waits_for: wait.waitsFor,
    ...(wait.timeoutMs === null ? {} : { timeout_ms: wait.timeoutMs }),
    outcome: wait.outcome,
  };
}

function actionRecord({ atMs, agent, run, action, callId }: ActionEvent, startMs: number): WorldRecord {
  const cause = callId === null ? {} : { call_id: callId };
  return { event: "action", ts: iso(startMs, atMs), agent, run_id: run, action, ...cause };
}

export function ndjson(records: readonly WorldRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}
