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
  eachColumn(columns, (column) => {
    const larger = sameKind(column, capacity);
    larger.set(column.subarray(0, Math.min(column.length, capacity)));
    return larger;
  });
}

/** The first `length` rows in the given order. */
export function permuteColumns(columns: GrowingColumns, order: Uint32Array): AttemptColumns {
  eachColumn(columns, (column) => {
    const sorted = sameKind(column, order.length);
    for (let i = 0; i < order.length; i++) sorted[i] = column[order[i] ?? 0] ?? 0;
    return sorted;
  });
  return { length: order.length, ...columns };
}

function eachColumn(columns: GrowingColumns, change: <C extends Column>(column: C) => C): void {
  columns.sentMs = change(columns.sentMs);
  columns.durationMs = change(columns.durationMs);
  columns.queuedMs = change(columns.queuedMs);
  columns.agent = change(columns.agent);
  columns.run = change(columns.run);
  columns.call = change(columns.call);
  columns.attempt = change(columns.attempt);
  columns.origin = change(columns.origin);
  columns.status = change(columns.status);
  columns.outcome = change(columns.outcome);
  columns.dimension = change(columns.dimension);
  columns.retryAfterMs = change(columns.retryAfterMs);
  columns.error = change(columns.error);
  columns.inputTokens = change(columns.inputTokens);
  columns.outputTokens = change(columns.outputTokens);
  columns.cachedTokens = change(columns.cachedTokens);
  columns.maxTokens = change(columns.maxTokens);
  columns.priority = change(columns.priority);
  columns.remainingRequests = change(columns.remainingRequests);
  columns.remainingTokens = change(columns.remainingTokens);
  columns.source = change(columns.source);
  columns.line = change(columns.line);
}

function sameKind<C extends Column>(column: C, length: number): C {
  // Boundary: a typed array's constructor is the one way to make another of its kind, and its type is only `Function`.
  const make = column.constructor as new (length: number) => C;
  return new make(length);
}
