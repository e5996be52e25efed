import { expect } from "vitest";
import type { AttemptRecord } from "../../src/model/record.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { createRecordReader } from "../../src/read/exact.ts";
import type { JsonObject } from "../../src/read/format.ts";
import { canonical } from "../../src/read/formats/canonical.ts";
import { spelled } from "../../src/read/formats/spelled.ts";
import type { Reading } from "../../src/read/reading.ts";
import { readLog, type ReadOptions } from "../../src/read/read.ts";
import { inputOf, type LogInput } from "../../src/read/source.ts";

/** vitest's own is typed `any`. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The bytes in pieces of the given sizes, again and again; always at least one byte. */
export function pieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const cut: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? bytes.length);
    cut.push(bytes.slice(at, at + size));
    at += size;
  }
  return cut;
}

export function inputFrom(
  content: string | Uint8Array,
  sizes: readonly number[] = [],
  name = "log",
): LogInput {
  return inputOf(name, pieces(typeof content === "string" ? bytesOf(content) : content, sizes));
}

export function read(content: string | Uint8Array, options: ReadOptions = {}): Promise<RequestLog> {
  return readLog([inputFrom(content)], options);
}

/** What a log says, apart from the numbers that interning gave: one text an attempt, in the log's order. */
export function told(log: RequestLog): string[] {
  const { attempts } = log;
  return Array.from({ length: attempts.length }, (_, i) => {
    const origin = log.origins[attempts.origin[i] ?? -1];
    const error = log.errors[attempts.error[i] ?? -1];
    return JSON.stringify({
      sentMs: attempts.sentMs[i],
      durationMs: attempts.durationMs[i],
      queuedMs: attempts.queuedMs[i],
      agent: log.agents[attempts.agent[i] ?? -1],
      run: log.runs[attempts.run[i] ?? -1],
      attempt: attempts.attempt[i],
      provider: origin?.provider,
      model: origin?.model,
      key: origin?.key,
      status: attempts.status[i],
      outcome: attempts.outcome[i],
      error: error,
      retryAfterMs: attempts.retryAfterMs[i],
      tokens: [
        attempts.inputTokens[i],
        attempts.outputTokens[i],
        attempts.cachedTokens[i],
        attempts.maxTokens[i],
      ],
      left: [attempts.remainingRequests[i], attempts.remainingTokens[i]],
      priority: attempts.priority[i],
    });
  });
}

/** Everything but the texts that tell where the log came from. */
export function substance(log: RequestLog): unknown {
  return {
    attempts: told(log).toSorted(),
    waits: log.waits.map(({ source: _s, line: _l, ...wait }) => wait),
    actions: log.actions.map(({ source: _s, line: _l, call: _c, ...action }) => action),
    limits: log.limits,
    facts: log.facts,
    span: log.span,
  };
}

export function readRecord(record: JsonObject, map: ReadOptions["map"] = {}): Reading {
  return createRecordReader(spelled.plan, map).fromObject(record);
}

/** One record as the format for hand-made logs reads it. */
export function spelledAttempt(record: JsonObject): AttemptRecord {
  return attemptOf(createRecordReader(spelled.plan).fromObject(record));
}

export function canonicalAttempt(record: JsonObject): AttemptRecord {
  return attemptOf(createRecordReader(canonical.plan).fromObject(record));
}

function attemptOf(reading: Reading): AttemptRecord {
  if (reading.kind !== "attempt") throw new Error(`not an attempt: ${JSON.stringify(reading)}`);
  return reading;
}

/** The sum that every input has to satisfy. */
export function accounts(log: RequestLog): { lines: number; sum: number }[] {
  return log.inputs.map(({ lines, accepted, rejected, blank }) => ({
    lines,
    sum: accepted + rejected + blank,
  }));
}
