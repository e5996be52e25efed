import { endMs, isOk, isThrottled, tokensAt, wantedMs } from "../../measure/attempts.ts";
import { type Calls, callsOf, NONE } from "../../measure/calls.ts";
import { groupBy } from "../../measure/grouping.ts";
import type { Incident } from "../../measure/incidents.ts";
import { lowerBound, quantile } from "../../measure/statistics.ts";
import { bucketTraffic } from "../../measure/traffic.ts";
import { NOT_TOLD, type RequestLog } from "../../model/log.ts";
import type { DurationMs, EpochMs } from "../../model/time.ts";
import { chainsIn } from "./chains.ts";

/** A call of an incident as the log tells it, and what a replay needs to let it happen again. */
export interface EpisodeCall {
  /** As in the calls measure. */
  readonly call: number;
  readonly agent: number;
  /** When it first wanted to be sent. */
  readonly wantedMs: EpochMs;
  /** Its end in the log. */
  readonly endMs: EpochMs;
  /** From sending to answer, without refusals and the waits after them. */
  readonly serviceMs: DurationMs;
  /** From sending to a refusal. */
  readonly refusalMs: DurationMs;
  /** Waits after its refusals, in order, without the client's own queue. */
  readonly waits: readonly { readonly waitedMs: DurationMs; readonly askedMs: DurationMs | null }[];
  readonly refusals: number;
  /** The log's last attempt was refused: the client gave up there. */
  readonly gaveUp: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** 0 is most urgent; 1 where the log tells none. */
  readonly priority: number;
  /** Starts right after this one of the same task (index into the list) ended, by the delay. */
  readonly after: { readonly index: number; readonly delayMs: DurationMs } | null;
}

/** The calls around an incident, in order of wanting. */
export interface Episode {
  readonly incident: Incident;
  readonly calls: readonly EpisodeCall[];
  /** Attempts and refusals of these calls in the log. */
  readonly attempts: number;
  readonly throttled: number;
}

/** Calls before the first refusal loaded the bucket, and calls after the last still find it low. */
const LEAD: DurationMs = 60_000;
const TAIL: DurationMs = 30_000;
/** A call that queued longer than this on the client's side is not looked for. */
const LONGEST_QUEUE: DurationMs = 600_000;

/** The calls of the incident's bucket that wanted to be sent from a minute before it to half a minute after. */
export function episodeOf(log: RequestLog, incident: Incident): Episode {
  const calls = callsOf(log);
  const drafts = firstRows(log, calls, incident).map((row) => draftOf(log, calls, row));
  const typical = typicalOf(drafts);
  const told = drafts
    .map((draft) => withTypical(draft, typical))
    .toSorted((a, b) => a.wantedMs - b.wantedMs || a.call - b.call);
  const after = chainsIn(told);
  const own = told.map((call, i): EpisodeCall => ({ ...call, after: after[i] ?? null }));
  const throttled = own.reduce((sum, call) => sum + call.refusals, 0);
  return { incident, calls: own, attempts: throttled + own.filter((call) => !call.gaveUp).length, throttled };
}

function firstRows(log: RequestLog, calls: Calls, incident: Incident): number[] {
  const [from, to] = [incident.from - LEAD, incident.to + TAIL];
  const traffic = bucketTraffic(log)[incident.bucket];
  if (traffic === undefined) return [];
  // Sent no earlier than wanted, and at most a queue later.
  const near = traffic.rows.subarray(
    lowerBound(traffic.times, from),
    lowerBound(traffic.times, to + LONGEST_QUEUE),
  );
  return Array.from(near).filter((row) => {
    const wanted = wantedMs(log.attempts, row);
    return calls.first[calls.of[row] ?? 0] === row && wanted >= from && wanted < to;
  });
}

type Draft = Omit<EpisodeCall, "after" | "serviceMs" | "refusalMs" | "inputTokens" | "outputTokens"> & {
  readonly serviceMs: DurationMs | null;
  readonly refusalMs: DurationMs | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
};

function draftOf(log: RequestLog, calls: Calls, first: number): Draft {
  const { attempts } = log;
  const waits: { waitedMs: number; askedMs: number | null }[] = [];
  const refusalTimes: number[] = [];
  let [refusals, refusedMs, last] = [0, 0, first];
  for (let row = first; row !== NONE; row = calls.next[row] ?? NONE) {
    last = row;
    if (!isThrottled(attempts, row)) continue;
    refusals++;
    const took = Math.max(0, attempts.durationMs[row] ?? NOT_TOLD);
    refusalTimes.push(took);
    const next = calls.next[row] ?? NONE;
    const waited = next === NONE ? 0 : Math.max(0, wantedMs(attempts, next) - endMs(attempts, row));
    const queued = next === NONE ? 0 : Math.max(0, attempts.queuedMs[next] ?? NOT_TOLD);
    const asked = attempts.retryAfterMs[row] ?? NOT_TOLD;
    if (next !== NONE) waits.push({ waitedMs: waited, askedMs: asked === NOT_TOLD ? null : asked });
    refusedMs += took + waited + queued;
  }
  const gaveUp = isThrottled(attempts, last);
  const tokens = (column: Int32Array): number | null => {
    const value = column[last] ?? NOT_TOLD;
    return value === NOT_TOLD || tokensAt(attempts, last) === NOT_TOLD ? null : value;
  };
  return {
    call: calls.of[first] ?? 0,
    agent: attempts.agent[first] ?? 0,
    wantedMs: wantedMs(attempts, first),
    endMs: endMs(attempts, last),
    serviceMs: isOk(attempts, last)
      ? Math.max(0, endMs(attempts, last) - (attempts.sentMs[first] ?? 0) - refusedMs)
      : null,
    refusalMs: quantile(refusalTimes, 0.5),
    waits,
    refusals,
    gaveUp,
    inputTokens: tokens(attempts.inputTokens),
    outputTokens: tokens(attempts.outputTokens),
    priority: Math.max(0, attempts.priority[first] === NOT_TOLD ? 1 : (attempts.priority[first] ?? 1)),
  };
}

interface Typical {
  readonly serviceMs: ReadonlyMap<number, number>;
  readonly refusalMs: number;
  readonly inputTokens: ReadonlyMap<number, number>;
  readonly outputTokens: ReadonlyMap<number, number>;
}

/** Medians, for calls that the log never saw answered. */
function typicalOf(drafts: readonly Draft[]): Typical {
  const byAgent = (valueOf: (draft: Draft) => number | null): ReadonlyMap<number, number> => {
    const told = (some: readonly Draft[]): number[] => some.map(valueOf).filter((value) => value !== null);
    const all = quantile(told(drafts), 0.5) ?? 0;
    const byOwn = groupBy(drafts, (draft) => draft.agent);
    return new Map([...byOwn].map(([agent, own]) => [agent, quantile(told(own), 0.5) ?? all]));
  };
  const refusals = drafts.flatMap((draft) => (draft.refusalMs === null ? [] : [draft.refusalMs]));
  return {
    serviceMs: byAgent((draft) => draft.serviceMs),
    refusalMs: quantile(refusals, 0.5) ?? 0,
    inputTokens: byAgent((draft) => draft.inputTokens),
    outputTokens: byAgent((draft) => draft.outputTokens),
  };
}

function withTypical(draft: Draft, typical: Typical): Omit<EpisodeCall, "after"> {
  const { agent } = draft;
  return {
    ...draft,
    serviceMs: draft.serviceMs ?? typical.serviceMs.get(agent) ?? 0,
    refusalMs: draft.refusalMs ?? typical.refusalMs,
    inputTokens: draft.inputTokens ?? typical.inputTokens.get(agent) ?? 0,
    outputTokens: draft.outputTokens ?? typical.outputTokens.get(agent) ?? 0,
  };
}
