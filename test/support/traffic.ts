import type { ToldLimit } from "../../src/model/log.ts";
import type { RateDimension } from "../../src/model/outcome.ts";
import type { RecordInput } from "./cases.ts";

/** Times of the cases are counted from here. */
const START = Date.UTC(2026, 2, 2, 9);

/** What every attempt carries unless a case says otherwise: one model, so one bucket. */
const COMMON = { provider: "anthropic", model: "claude-sonnet-4-6", status: 200, duration_ms: 200 };

/** The bucket of every attempt without other fields. */
export const BUCKET = "anthropic/default/claude-sonnet-4.x";

/** `ms` after the start, as a log writes it. */
export function at(ms: number): string {
  return new Date(START + ms).toISOString();
}

/** One attempt at `ms`; `fields` replace what is common to all, and `undefined` takes a field away. */
export function attempt(ms: number, fields: { readonly [field: string]: unknown } = {}): RecordInput {
  return { ts: at(ms), ...COMMON, ...fields };
}

export interface Sends {
  /** Left out = untagged. */
  readonly agent?: string;
  readonly fromMs: number;
  readonly everyMs: number;
  readonly count: number;
  readonly fields?: { readonly [field: string]: unknown };
}

/** Calls of one attempt each, at equal distances, all answered: `count` of them from `fromMs` on. */
export function attempts({ agent, fromMs, everyMs, count, fields = {} }: Sends): RecordInput[] {
  return Array.from({ length: count }, (_, i) =>
    attempt(fromMs + i * everyMs, {
      ...(agent === undefined ? {} : { agent }),
      call_id: `${agent ?? "untagged"}-${fromMs}-${i}`,
      attempt: 1,
      ...fields,
    }),
  );
}

/** As `attempts`, each refused by the request limit. */
export function refused(sends: Sends): RecordInput[] {
  return attempts({ ...sends, fields: { ...REFUSED, ...sends.fields } });
}

/** A refusal by a limit, and nothing that says which. */
export const REFUSED = { status: 429, duration_ms: 50, error_type: "rate_limit_error" };

export interface Chain {
  readonly agent?: string;
  readonly id: string;
  readonly fromMs: number;
  /** From the end of each failed attempt to the next send; so one attempt more than waits. */
  readonly waitsMs: readonly number[];
  /** Of every attempt but the last. */
  readonly failed?: { readonly [field: string]: unknown };
  /** Of the last attempt; a success unless told. */
  readonly last?: { readonly [field: string]: unknown };
}

/** One call with all its attempts. */
export function chain({ agent, id, fromMs, waitsMs, failed = REFUSED, last = {} }: Chain): RecordInput[] {
  const records: RecordInput[] = [];
  let sentMs = fromMs;
  for (const [i, waitMs] of [...waitsMs, null].entries()) {
    const fields: { readonly [field: string]: unknown } = waitMs === null ? last : failed;
    const record = attempt(sentMs, {
      ...(agent === undefined ? {} : { agent }),
      call_id: id,
      attempt: i + 1,
      ...fields,
    });
    records.push(record);
    sentMs += Number(record["duration_ms"] ?? 0) + (waitMs ?? 0);
  }
  return records;
}

export interface Waiting {
  readonly agent: string;
  readonly waitsFor: string;
  readonly fromMs: number;
  readonly durationMs: number;
  readonly timeoutMs?: number;
  readonly outcome?: "ok" | "timeout" | "cancelled" | "error";
  readonly run?: string;
}

/** One stage waits for another, in vain unless told. */
export function wait(waiting: Waiting): RecordInput {
  const { agent, waitsFor, fromMs, durationMs, timeoutMs, outcome = "timeout", run } = waiting;
  return {
    event: "wait",
    ts: at(fromMs),
    duration_ms: durationMs,
    agent,
    waits_for: waitsFor,
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
    ...(run === undefined ? {} : { run_id: run }),
    outcome,
  };
}

/** What the orchestrator did; `fields` name the run or the call. */
export function action(
  ms: number,
  agent: string,
  what: string,
  fields: { readonly [field: string]: unknown } = {},
): RecordInput {
  return { event: "action", ts: at(ms), agent, action: what, ...fields };
}

/** A limit that the user told, for every bucket. */
export function told(
  perMinute: number,
  burst: number | null,
  dimension: RateDimension = "requests",
): ToldLimit {
  return { model: "*", dimension, perMinute, burst, source: "config" };
}
