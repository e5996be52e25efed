import {
  type Action,
  type ErrorName,
  type InputSummary,
  NOT_TOLD,
  PROBLEM_CODES,
  type Problem,
  type ProblemCode,
  type Problems,
  type RequestLog,
  type Wait,
} from "../model/log.ts";
import { DIMENSION, OUTCOME } from "../model/outcome.ts";
import type { ActionRecord, AttemptRecord, LogRecord, WaitRecord } from "../model/record.ts";
import type { Span } from "../model/time.ts";
import { providerOf } from "../providers/lookup.ts";
import { createBucketBook } from "./buckets.ts";
import { emptyColumns, type GrowingColumns, permuteColumns, resizeColumns } from "./columns.ts";
import { createFactCounts } from "./facts.ts";
import { createIdTable, createInterner } from "./ids.ts";
import { orderByTime } from "./order.ts";

const FIRST_CAPACITY = 1_024;
const GROWTH = 1.5;
const SAMPLES_PER_CODE = 20;
const MAX_INT32 = 2 ** 31 - 1;
const MAX_SOURCES = 0xffff;

export interface FinishOptions {
  /** One a source, in the order of `addInput`. */
  readonly inputs: readonly InputSummary[];
  /** The ids came from a field that only sometimes names the call: keep them only if one repeats. */
  readonly callIdsMayBeRequestIds?: boolean;
}

/** Takes records in any order and makes one `RequestLog` of them. */
export interface LogBuilder {
  /** Numbers an input; records and problems refer to it. At most 65,535. */
  addInput(): number;
  add(record: LogRecord, source: number, line: number): void;
  problem(problem: Problem): void;
  readonly attempts: number;
  finish(options: FinishOptions): RequestLog;
}

export function createLogBuilder(): LogBuilder {
  let capacity = FIRST_CAPACITY;
  const columns = emptyColumns(capacity);
  let rows = 0;
  let sources = 0;
  const agents = createInterner();
  const runs = createInterner();
  const calls = createIdTable();
  const errors = createErrorNames();
  const buckets = createBucketBook();
  const waits: Wait[] = [];
  const actions: Action[] = [];
  const problems = createProblems();
  const facts = createFactCounts();

  const addAttempt = (record: AttemptRecord, source: number, line: number): void => {
    if (rows === capacity) {
      capacity = Math.ceil(capacity * GROWTH);
      resizeColumns(columns, capacity);
    }
    const provider = providerOf(record);
    const reading = provider.read(record);
    const row = rows++;
    facts.count(record, reading);
    columns.sentMs[row] = record.sentMs;
    columns.agent[row] = agents.idOf(record.agent);
    columns.run[row] = runs.idOf(record.runId);
    columns.call[row] = calls.idOf(record.callId);
    columns.origin[row] = buckets.originOf(provider, record, reading);
    buckets.sight(columns.origin[row] ?? 0, reading, record.sentMs);
    columns.outcome[row] = OUTCOME[reading.outcome];
    columns.dimension[row] = DIMENSION[reading.dimension];
    columns.error[row] = errors.idOf(record.errorType, record.errorCode);
    columns.retryAfterMs[row] = told(reading.retryAfterMs);
    columns.remainingRequests[row] = told(reading.remainingRequests);
    columns.remainingTokens[row] = told(reading.remainingTokens);
    columns.source[row] = source;
    columns.line[row] = line;
    setPlainNumbers(columns, row, record);
  };

  return {
    addInput() {
      if (sources === MAX_SOURCES) throw new RangeError(`more than ${MAX_SOURCES} inputs`);
      return sources++;
    },
    add(record, source, line) {
      if (record.kind === "attempt") addAttempt(record, source, line);
      else if (record.kind === "wait") waits.push(waitOf(record, source, line));
      else actions.push(actionOf(record, calls.idOf(record.callId), source, line));
    },
    problem: (problem) => problems.add(problem),
    get attempts() {
      return rows;
    },
    finish(options) {
      if (options.callIdsMayBeRequestIds === true && calls.size() >= facts.withCallId()) {
        columns.call.fill(0);
        facts.dropCallIds();
      }
      const attempts = permuteColumns(columns, orderByTime(columns.sentMs.subarray(0, rows)));
      waits.sort((a, b) => a.startMs - b.startMs || a.source - b.source || a.line - b.line);
      actions.sort((a, b) => a.atMs - b.atMs || a.source - b.source || a.line - b.line);
      return {
        attempts,
        agents: agents.texts(),
        runs: runs.texts(),
        ...buckets.finish(),
        errors: errors.names(),
        waits,
        actions,
        facts: facts.finish(rows, waits.length, actions.length),
        problems: problems.finish(),
        inputs: options.inputs,
        span: spanOf(attempts, waits, actions),
        told: { limits: [] },
      };
    },
  };
}

function setPlainNumbers(columns: GrowingColumns, row: number, record: AttemptRecord): void {
  columns.durationMs[row] = told(record.durationMs);
  columns.queuedMs[row] = told(record.queuedMs);
  columns.attempt[row] = Math.min(record.attempt ?? 0, 0xffff);
  columns.status[row] = record.status ?? 0;
  columns.inputTokens[row] = told(record.inputTokens);
  columns.outputTokens[row] = told(record.outputTokens);
  columns.cachedTokens[row] = told(record.cachedTokens);
  columns.maxTokens[row] = told(record.maxTokens);
  columns.priority[row] = record.priority === null ? NOT_TOLD : Math.min(record.priority, 127);
}

/** Column value of a number that may be missing: whole, not negative, capped at 2^31-1. */
function told(value: number | null): number {
  if (value === null || !(value >= 0)) return NOT_TOLD;
  return Math.min(Math.round(value), MAX_INT32);
}

function waitOf(record: WaitRecord, source: number, line: number): Wait {
  const { startMs, durationMs, agent, waitsFor, timeoutMs, outcome, runId } = record;
  return { startMs, durationMs, agent, waitsFor, timeoutMs, outcome, run: runId ?? "", source, line };
}

function actionOf(record: ActionRecord, call: number, source: number, line: number): Action {
  const { atMs, agent, action, runId } = record;
  return { atMs, agent, action, run: runId ?? "", call, source, line };
}

function createErrorNames(): {
  idOf(type: string | null, code: string | null): number;
  names(): readonly ErrorName[];
} {
  const ids = new Map<string, number>();
  const names: ErrorName[] = [{ type: "", code: "" }];
  return {
    idOf(type, code) {
      if (type === null && code === null) return 0;
      const key = `${type ?? ""}\0${code ?? ""}`;
      const known = ids.get(key);
      if (known !== undefined) return known;
      ids.set(key, names.length);
      names.push({ type: type ?? "", code: code ?? "" });
      return names.length - 1;
    },
    names: () => names,
  };
}

function createProblems(): { add(problem: Problem): void; finish(): Problems } {
  const samples: Problem[] = [];
  const totals = new Map<ProblemCode, number>();
  return {
    add(problem) {
      const before = totals.get(problem.code) ?? 0;
      totals.set(problem.code, before + 1);
      if (before < SAMPLES_PER_CODE) samples.push(problem);
    },
    finish: () => ({
      samples,
      totals: Object.fromEntries(
        PROBLEM_CODES.filter((code) => totals.has(code)).map((code) => [code, totals.get(code) ?? 0]),
      ),
    }),
  };
}

/** From the first sent time to just after the last thing that the log tells: its "now". */
export function spanOf(
  attempts: RequestLog["attempts"],
  waits: readonly Wait[],
  actions: readonly Action[],
): Span | null {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  const cover = (start: number, durationMs: number): void => {
    from = Math.min(from, start);
    to = Math.max(to, start + Math.max(0, durationMs) + 1);
  };
  for (let i = 0; i < attempts.length; i++) cover(attempts.sentMs[i] ?? 0, attempts.durationMs[i] ?? 0);
  for (const wait of waits) cover(wait.startMs, wait.durationMs);
  for (const action of actions) cover(action.atMs, 0);
  return from < to ? { from, to } : null;
}
