import { agentAt } from "../measure/attempts.ts";
import { callsOf } from "../measure/calls.ts";
import type { Incident, IncidentAgent } from "../measure/incidents.ts";
import { limitOf } from "../measure/limits.ts";
import { type Peak, peakCount } from "../measure/rates.ts";
import { lowerBound } from "../measure/statistics.ts";
import { bucketTraffic, timesOf } from "../measure/traffic.ts";
import { type GivenUpWait, givenUpWaits } from "../measure/waits.ts";
import type { Action, RequestLog } from "../model/log.ts";
import type { ReportCascadeStep } from "../model/report.ts";
import type { DurationMs } from "../model/time.ts";
import { formatNumber } from "../words/numbers.ts";
import { evidenceOf, isoTime } from "./evidence.ts";

/** What the orchestrator does this long after the last refusal or the last waiter that gave up still belongs to it. */
const AFTERMATH: DurationMs = 60_000;
/** Calls started within this window of each other are told as one burst. */
const BURST: DurationMs = 10_000;

/**
 * The story of one incident, in order of time: who loaded the bucket, who was refused beside it, who waited below and gave
 * up, and what the orchestrator then did. cause -> carrier (passes the failure on) -> victim.
 */
export function cascadeOf(log: RequestLog, incident: Incident): readonly ReportCascadeStep[] {
  const waits = givenUpWaits(log).filter((given) => belongs(log, given, incident));
  const awaited = new Set(waits.flatMap((given) => [given.wait.waitsFor]));
  const causes = causesOf(incident, awaited);
  const agents = incident.agents.filter((agent) => causes.includes(agent) || agent.throttled > 0);
  const steps = [
    ...agents.map((agent) =>
      agentStep(log, incident, agent, causes.includes(agent), awaited.has(agent.name)),
    ),
    ...firstOfEach(waits).map((given) => waitStep(log, given.example, given.count, awaited)),
    ...actionSteps(log, incident, waits),
  ];
  return steps.toSorted(
    (a, b) => ROLE_RANK[a.role] - ROLE_RANK[b.role] || order(a.at, b.at) || order(a.agent, b.agent),
  );
}

const ROLE_RANK = { cause: 0, carrier: 1, victim: 2 };

/**
 * Who had most of what ran out: tokens where tokens did, else attempts. Those with nearly as much caused it as well: in a
 * storm of five equal agents no single one is to blame. An agent that others wait for wins a tie.
 */
function causesOf(incident: Incident, awaited: ReadonlySet<string>): readonly IncidentAgent[] {
  const byTokens = incident.dimension.includes("tokens");
  const weight = (agent: IncidentAgent): number => (byTokens ? agent.tokens : agent.attempts);
  const sorted = incident.agents.toSorted(
    (a, b) =>
      weight(b) - weight(a) ||
      Number(awaited.has(b.name)) - Number(awaited.has(a.name)) ||
      order(a.name, b.name),
  );
  const [first] = sorted;
  return first === undefined ? [] : sorted.filter((agent) => weight(agent) >= NEARLY * weight(first));
}

/** Part of the largest load that counts as much the same. */
const NEARLY = 0.6;

function agentStep(
  log: RequestLog,
  incident: Incident,
  agent: IncidentAgent,
  isCause: boolean,
  isAwaited: boolean,
): ReportCascadeStep {
  const { attempts } = log;
  const own = incident.rows.filter((row) => attempts.agent[row] === agent.agent);
  const first = own[0] ?? incident.firstRefusal;
  const burst = largestBurst(log, incident, agent);
  // In a token incident what the bucket holds of requests is beside the point.
  const limit = incident.dimension.includes("tokens") ? null : limitOf(log, incident.bucket, "requests");
  const holds = limit?.burst == null ? "" : `; the bucket holds ${limit.burst}`;
  const started =
    burst.value > 1
      ? `started ${burst.value} calls within ${formatNumber(BURST, "ms")}${holds}`
      : `sent ${agent.attempts} attempts`;
  const refused = `${formatNumber(agent.throttled, "count")} of its ${formatNumber(agent.attempts, "count")} attempts were refused`;
  return {
    agent: agent.name,
    role: isCause ? "cause" : isAwaited ? "carrier" : "victim",
    what: isCause ? `${started}; ${refused}` : refused,
    at: isoTime(attempts.sentMs[first] ?? 0),
    evidence: evidenceOf(log, { attempt: first, note: "first attempt of this agent in the incident" }),
  };
}

/** The most calls that an agent started together; what passed just before the first refusal belongs to the burst. */
function largestBurst(log: RequestLog, incident: Incident, agent: IncidentAgent): Peak {
  const { attempts } = log;
  const { repeated } = callsOf(log);
  const traffic = bucketTraffic(log)[incident.bucket];
  if (traffic === undefined) return { value: 0, fromMs: 0 };
  const near = traffic.rows.subarray(
    lowerBound(traffic.times, incident.from - BURST),
    lowerBound(traffic.times, incident.to),
  );
  const starts = near.filter((row) => attempts.agent[row] === agent.agent && repeated[row] === 0);
  return peakCount(timesOf(log, starts), BURST);
}

function waitStep(
  log: RequestLog,
  given: GivenUpWait,
  count: number,
  awaited: ReadonlySet<string>,
): ReportCascadeStep {
  const { wait, chain, neededMs } = given;
  const after = formatNumber(wait.durationMs, "ms");
  const times = count > 1 ? ` (${count} times)` : "";
  const late =
    neededMs === null
      ? ""
      : `; ${given.bottom} needed ${formatNumber(neededMs, "ms")}${chain?.succeeded === true ? " and then succeeded" : ""}`;
  return {
    agent: wait.agent,
    role: "victim",
    what: `${wait.outcome === "error" ? "failed with" : "gave up waiting for"} ${wait.waitsFor} after ${after}${times}${late}${awaited.has(wait.agent) ? ", and failed those who waited for it" : ""}`,
    at: isoTime(given.gaveUpMs),
    evidence: evidenceOf(log, { source: wait.source, line: wait.line, atMs: wait.startMs, note: "the wait" }),
  };
}

/** One entry a pair of waiter and awaited: the first, and how many there were. */
function firstOfEach(
  waits: readonly GivenUpWait[],
): { readonly example: GivenUpWait; readonly count: number }[] {
  const groups = new Map<string, { example: GivenUpWait; count: number }>();
  for (const given of waits) {
    const key = `${given.wait.agent}\0${given.wait.waitsFor}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { example: given, count: 1 });
    else known.count++;
  }
  return [...groups.values()];
}

/** One entry an agent and kind of action. */
function actionSteps(
  log: RequestLog,
  incident: Incident,
  waits: readonly GivenUpWait[],
): ReportCascadeStep[] {
  const until = Math.max(incident.to, ...waits.map((given) => given.gaveUpMs)) + AFTERMATH;
  const runs = new Set([...incident.rows].map((row) => log.runs[log.attempts.run[row] ?? 0] ?? ""));
  const own = log.actions.filter(
    (action) =>
      action.atMs >= incident.from && action.atMs < until && (action.run === "" || runs.has(action.run)),
  );
  const groups = new Map<string, Action[]>();
  for (const action of own) {
    const key = `${action.agent}\0${action.action}`;
    groups.set(key, [...(groups.get(key) ?? []), action]);
  }
  return [...groups.values()].flatMap((actions): ReportCascadeStep[] => {
    const [first] = actions;
    if (first === undefined) return [];
    const times = actions.length > 1 ? ` (${actions.length} times)` : "";
    const what = `${first.action}${first.run === "" ? "" : ` of ${first.run}`}${times}`;
    const evidence = evidenceOf(log, {
      source: first.source,
      line: first.line,
      atMs: first.atMs,
      note: "the action",
    });
    return [{ agent: first.agent, role: "carrier", what, at: isoTime(first.atMs), evidence }];
  });
}

/** The call at the bottom of the wait was refused in this incident. */
function belongs(log: RequestLog, given: GivenUpWait, incident: Incident): boolean {
  if (given.chain === null) return false;
  const inside = new Set(incident.agents.map((agent) => agent.name));
  return (
    inside.has(given.bottom) &&
    given.chain.rows.some((row) => {
      const sent = log.attempts.sentMs[row] ?? 0;
      return sent >= incident.from && sent < incident.to && agentAt(log, row) === given.bottom;
    })
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
