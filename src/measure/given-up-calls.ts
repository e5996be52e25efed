import { type Action, NOT_TOLD, type RequestLog } from "../model/log.ts";
import { OUTCOME } from "../model/outcome.ts";
import type { DurationMs, EpochMs } from "../model/time.ts";
import { agentAt, bucketAt, endMs, isOk } from "./attempts.ts";
import { callsOf } from "./calls.ts";
import { isRefusedForNow } from "./chains.ts";
import { groupBy } from "./grouping.ts";
import { defineMeasure } from "./measure.ts";
import { transientRetries } from "./retries.ts";
import { lowerBound } from "./statistics.ts";
import { givenUpWaits } from "./waits.ts";

/** A call whose last attempt failed in a way that can pass: refused for now, or a server error. */
export interface GivenUpCall {
  /** Index into `log.agents`. */
  readonly agent: number;
  readonly bucket: number;
  readonly last: number;
  readonly attempts: number;
  /** From the first send to the end of the last attempt. */
  readonly triedMs: DurationMs;
  /** What the server asked to wait in the end; null = no hint. */
  readonly askedMs: DurationMs | null;
  readonly gaveUpMs: EpochMs;
}

/**
 * By last attempt. Calls that a waiter above cut off are left out: their agent did not decide to stop. Where the log tells
 * neither calls nor attempt numbers, so are those of an agent that seems to repeat: its attempts cannot be counted.
 */
export const givenUpCalls: (log: RequestLog) => readonly GivenUpCall[] = defineMeasure((log) => {
  const found = endedForNow(log);
  if (log.facts.calls.present || log.facts.attempts.present) return found;
  const repeats = new Map<number, number>();
  for (const { to } of transientRetries(log)) {
    const agent = log.attempts.agent[to] ?? 0;
    repeats.set(agent, (repeats.get(agent) ?? 0) + 1);
  }
  return [...groupBy(found, (call) => call.agent)].flatMap(([agent, calls]) =>
    2 * (repeats.get(agent) ?? 0) < calls.length ? calls : [],
  );
});

function endedForNow(log: RequestLog): GivenUpCall[] {
  const { attempts } = log;
  const calls = callsOf(log);
  const cutOff = new Set(givenUpWaits(log).flatMap((given) => given.cutOff));
  const found: GivenUpCall[] = [];
  for (let row = 0; row < attempts.length; row++) {
    const call = calls.of[row] ?? 0;
    if (calls.last[call] !== row || !canPass(log, row) || cutOff.has(row)) continue;
    const hint = attempts.retryAfterMs[row] ?? NOT_TOLD;
    found.push({
      agent: attempts.agent[row] ?? 0,
      bucket: bucketAt(log, row),
      last: row,
      attempts: Math.max(calls.size[call] ?? 1, attempts.attempt[row] ?? 0),
      triedMs: endMs(attempts, row) - (attempts.sentMs[calls.first[call] ?? row] ?? 0),
      askedMs: hint === NOT_TOLD ? null : hint,
      gaveUpMs: endMs(attempts, row),
    });
  }
  return found;
}

function canPass({ attempts }: RequestLog, row: number): boolean {
  return isRefusedForNow(attempts, row) || attempts.outcome[row] === OUTCOME["server-error"];
}

/** What the orchestrator does when it is told to try again is no consequence of failure. */
const MILD: readonly string[] = [
  "retry",
  "requeue",
  "resume",
  "pause",
  "defer",
  "reschedule",
  "throttle",
  "backoff",
];

/**
 * The actions behind which each failed call stands, by its last attempt: named by an id that the log knows, or else the
 * failure of the same run that came last before the action, at most `withinMs` before. A waiter that gave up, or an answer
 * that can never pass, is a failure too, and then no call of `givenUpCalls` is behind the action.
 */
export function actionsAfter(log: RequestLog, withinMs: DurationMs): ReadonlyMap<number, readonly Action[]> {
  const final = log.actions.filter(({ action }) => !isMild(action));
  if (final.length === 0) return new Map();
  const lastOfId = lastRowOfId(log);
  const failures = failuresByRun(log);
  const causes = final.flatMap((action) => {
    // An id that no attempt carries tells nothing.
    const row = lastOfId.get(action.call) ?? latestFailure(failures.get(action.run), action, withinMs);
    return row === null ? [] : [{ action, row }];
  });
  const byRow = new Map<number, readonly Action[]>();
  for (const [row, all] of groupBy(causes, (cause) => cause.row))
    byRow.set(
      row,
      all.map(({ action }) => action),
    );
  return byRow;
}

/** Its first word decides: `requeue_task`, but not `alert_throttled`. */
function isMild(action: string): boolean {
  const [word = ""] = action.toLowerCase().match(/[a-z]+/) ?? [];
  return MILD.includes(word);
}

function lastRowOfId({ attempts, actions }: RequestLog): ReadonlyMap<number, number> {
  const wanted = new Set(actions.map((action) => action.call));
  const last = new Map<number, number>();
  for (let row = 0; row < attempts.length; row++) {
    const id = attempts.call[row] ?? 0;
    if (id !== 0 && wanted.has(id)) last.set(id, row);
  }
  return last;
}

/** The failures of one run, by time. */
interface Failures {
  readonly times: readonly EpochMs[];
  /** Last attempt of the call; null = a waiter gave up. */
  readonly rows: readonly (number | null)[];
}

function failuresByRun(log: RequestLog): ReadonlyMap<string, Failures> {
  const { attempts } = log;
  const calls = callsOf(log);
  const timeouts = givenUpWaits(log).flatMap(({ wait, gaveUpMs, timedOut }) =>
    timedOut ? [{ run: wait.run, agent: "", atMs: gaveUpMs, row: null }] : [],
  );
  const ends = Array.from(calls.last).filter((row) => !isOk(attempts, row));
  const failed = ends.map((row) => ({
    run: log.runs[attempts.run[row] ?? 0] ?? "",
    agent: agentAt(log, row),
    atMs: endMs(attempts, row),
    row,
  }));
  const ordered = [...failed, ...timeouts].toSorted(
    (a, b) => a.atMs - b.atMs || (a.agent < b.agent ? -1 : 1),
  );
  const byRun = new Map<string, Failures>();
  for (const [run, all] of groupBy(ordered, (failure) => failure.run))
    byRun.set(run, { times: all.map(({ atMs }) => atMs), rows: all.map(({ row }) => row) });
  return byRun;
}

function latestFailure(failures: Failures | undefined, action: Action, withinMs: DurationMs): number | null {
  if (failures === undefined) return null;
  const index = lowerBound(failures.times, action.atMs + 1) - 1;
  const atMs = failures.times[index] ?? Number.NEGATIVE_INFINITY;
  return atMs < action.atMs - withinMs ? null : (failures.rows[index] ?? null);
}
