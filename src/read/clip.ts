import {
  type AttemptColumns,
  type Fact,
  FACTS,
  type FactId,
  type Facts,
  type InputSummary,
  NOT_TOLD,
  type RequestLog,
} from "../model/log.ts";
import type { EpochMs, Span } from "../model/time.ts";
import { spanOf } from "./builder.ts";
import { permuteColumns } from "./columns.ts";

/**
 * The part of a log that was sent within the span. Agents, runs, errors, origins and buckets that do not occur in it are
 * gone, and the facts are those of the part. Limits that responses stated stay with their buckets, whenever they were
 * stated. What falls outside is counted for each input.
 */
export function clip(log: RequestLog, span: Span): RequestLog {
  const from = firstAtOrAfter(log.attempts.sentMs, span.from);
  const to = Math.max(from, firstAtOrAfter(log.attempts.sentMs, span.to));
  const rows = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  const { length: _, ...columns } = log.attempts;
  const kept = permuteColumns(columns, rows);
  const waits = log.waits.filter(({ startMs }) => startMs >= span.from && startMs < span.to);
  const actions = log.actions.filter(({ atMs }) => atMs >= span.from && atMs < span.to);

  const origins = usedOnly(kept.origin, log.origins, []);
  const bucketOf = Uint32Array.from(origins.texts, (origin) => origin.bucket);
  const buckets = usedOnly(bucketOf, log.buckets, []);
  const agents = usedOnly(kept.agent, log.agents, [0]);
  const runs = usedOnly(kept.run, log.runs, [0]);
  const errors = usedOnly(kept.error, log.errors, [0]);
  const attempts: AttemptColumns = {
    ...kept,
    agent: agents.column,
    run: runs.column,
    error: errors.column,
    origin: origins.column,
  };
  const part = {
    ...log,
    attempts,
    agents: agents.texts,
    runs: runs.texts,
    errors: errors.texts,
    origins: origins.texts.map((origin, i) => ({ ...origin, bucket: buckets.column[i] ?? 0 })),
    buckets: buckets.texts,
    limits: log.limits.flatMap((limit) => {
      const bucket = buckets.numberOf.get(limit.bucket);
      return bucket === undefined ? [] : [{ ...limit, bucket }];
    }),
    waits,
    actions,
    span: spanOf(attempts, waits, actions),
  };
  return { ...part, inputs: withOutside(log, part), facts: factsOf(log.facts, part) };
}

/** Half-open spans make both ends the same question. */
function firstAtOrAfter(times: Float64Array, at: EpochMs): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Used<T> {
  readonly column: Uint32Array;
  readonly texts: readonly T[];
  /** Old number -> new number. */
  readonly numberOf: ReadonlyMap<number, number>;
}

/** The table without the entries that the column does not name, in its old order, and the column with the new numbers. */
function usedOnly<T>(column: Uint32Array, table: readonly T[], always: readonly number[]): Used<T> {
  const used = [...new Set([...always, ...new Set(column)])].toSorted((a, b) => a - b);
  const numberOf = new Map(used.map((old, number) => [old, number]));
  const texts = table.filter((_, old) => numberOf.has(old));
  return { column: column.map((old) => numberOf.get(old) ?? 0), texts, numberOf };
}

function withOutside(whole: RequestLog, part: RequestLog): InputSummary[] {
  const [all, inside] = [recordsPerInput(whole), recordsPerInput(part)];
  return whole.inputs.map((input, i) => ({ ...input, outside: (all[i] ?? 0) - (inside[i] ?? 0) }));
}

function recordsPerInput(log: RequestLog): number[] {
  const counts = log.inputs.map(() => 0);
  const add = (source: number): void => {
    counts[source] = (counts[source] ?? 0) + 1;
  };
  for (let i = 0; i < log.attempts.length; i++) add(log.attempts.source[i] ?? 0);
  for (const wait of log.waits) add(wait.source);
  for (const action of log.actions) add(action.source);
  return counts;
}

function factsOf(before: Facts, part: RequestLog): Facts {
  const { attempts, origins } = part;
  const rows = (carries: (row: number) => boolean): number => {
    let count = 0;
    for (let row = 0; row < attempts.length; row++) if (carries(row)) count++;
    return count;
  };
  const told = (column: Int32Array | Int8Array) => (): number =>
    rows((row) => (column[row] ?? NOT_TOLD) >= 0);
  const named = (column: Uint32Array | Uint16Array) => (): number => rows((row) => (column[row] ?? 0) > 0);
  const { status, error, inputTokens, outputTokens } = attempts;
  const counts: { readonly [F in FactId]: () => number } = {
    status: () => rows((row) => (status[row] ?? 0) > 0 || (error[row] ?? 0) > 0),
    durations: told(attempts.durationMs),
    agents: named(attempts.agent),
    runs: named(attempts.run),
    calls: named(attempts.call),
    attempts: named(attempts.attempt),
    "retry-after": told(attempts.retryAfterMs),
    limits: () => part.limits.reduce((sum, limit) => sum + limit.count, 0),
    tokens: () => rows((row) => (inputTokens[row] ?? -1) >= 0 || (outputTokens[row] ?? -1) >= 0),
    waits: () => part.waits.length,
    actions: () => part.actions.length,
    "queue-times": told(attempts.queuedMs),
    priorities: told(attempts.priority),
    keys: () => rows((row) => origins[attempts.origin[row] ?? 0]?.key !== ""),
  };
  const factOf = (id: FactId): Fact => factAfter(before[id], id, counts[id](), attempts.length);
  // Boundary: Object.fromEntries cannot say that FACTS names every key.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(FACTS.map((id) => [id, factOf(id)])) as Facts;
}

function factAfter(before: Fact, id: FactId, count: number, attempts: number): Fact {
  if (!before.present) return before;
  if (count === 0) return { present: false, because: "no record between --since and --until carries it" };
  if (id === "waits" || id === "actions") return { present: true, because: `${count} records` };
  return id === "limits" ? before : { present: true, because: `on ${count} of ${attempts} attempts` };
}
