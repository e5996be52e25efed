import type { AttemptColumns } from "../model/log.ts";

type Column = Float64Array | Uint32Array | Int32Array | Uint16Array | Uint8Array | Int8Array;

/** The columns while they grow: the same names as `AttemptColumns`, writable. */
export type GrowingColumns = { -readonly [K in Exclude<keyof AttemptColumns, "length">]: AttemptColumns[K] };

export function emptyColumns(capacity: number): GrowingColumns {
  return {
    sentMs: new Float64Array(capacity),
    durationMs: new Int32Array(capacity),
    queuedMs: new Int32Array(capacity),
    agent: new Uint32Array(capacity),
    run: new Uint32Array(capacity),
    call: new Uint32Array(capacity),
    attempt: new Uint16Array(capacity),
    origin: new Uint32Array(capacity),
    status: new Uint16Array(capacity),
    outcome: new Uint8Array(capacity),
    dimension: new Uint8Array(capacity),
    retryAfterMs: new Int32Array(capacity),
    error: new Uint32Array(capacity),
    inputTokens: new Int32Array(capacity),
    outputTokens: new Int32Array(capacity),
    cachedTokens: new Int32Array(capacity),
    maxTokens: new Int32Array(capacity),
    priority: new Int8Array(capacity),
    remainingRequests: new Int32Array(capacity),
    remainingTokens: new Int32Array(capacity),
    source: new Uint16Array(capacity),
    line: new Uint32Array(capacity),
  };
}

/** Column by column, so that old and new exist twice for one column only. */
export function resizeColumns(columns: GrowingColumns, capacity: number): void {
  eachColumn(columns, (column, make) => {
    const larger = new make(capacity);
    larger.set(column.subarray(0, Math.min(column.length, capacity)));
    return larger;
  });
}

/** The first `length` rows in the given order. */
export function permuteColumns(columns: GrowingColumns, order: Uint32Array): AttemptColumns {
  eachColumn(columns, (column, make) => {
    const sorted = new make(order.length);
    for (let i = 0; i < order.length; i++) sorted[i] = column[order[i] ?? 0] ?? 0;
    return sorted;
  });
  return { length: order.length, ...columns };
}

type Make<C> = new (length: number) => C;

function eachColumn(
  columns: GrowingColumns,
  change: <C extends Column>(column: C, make: Make<C>) => C,
): void {
  columns.sentMs = change(columns.sentMs, Float64Array);
  columns.durationMs = change(columns.durationMs, Int32Array);
  columns.queuedMs = change(columns.queuedMs, Int32Array);
  columns.agent = change(columns.agent, Uint32Array);
  columns.run = change(columns.run, Uint32Array);
  columns.call = change(columns.call, Uint32Array);
  columns.attempt = change(columns.attempt, Uint16Array);
  columns.origin = change(columns.origin, Uint32Array);
  columns.status = change(columns.status, Uint16Array);
  columns.outcome = change(columns.outcome, Uint8Array);
  columns.dimension = change(columns.dimension, Uint8Array);
  columns.retryAfterMs = change(columns.retryAfterMs, Int32Array);
  columns.error = change(columns.error, Uint32Array);
  columns.inputTokens = change(columns.inputTokens, Int32Array);
  columns.outputTokens = change(columns.outputTokens, Int32Array);
  columns.cachedTokens = change(columns.cachedTokens, Int32Array);
  columns.maxTokens = change(columns.maxTokens, Int32Array);
  columns.priority = change(columns.priority, Int8Array);
  columns.remainingRequests = change(columns.remainingRequests, Int32Array);
  columns.remainingTokens = change(columns.remainingTokens, Int32Array);
  columns.source = change(columns.source, Uint16Array);
  columns.line = change(columns.line, Uint32Array);
}
