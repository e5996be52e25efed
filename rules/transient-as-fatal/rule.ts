import { agentAt, bucketAt, endMs, isRetryable } from "../../src/measure/attempts.ts";
import { callsOf } from "../../src/measure/calls.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { incidentsOf } from "../../src/measure/incidents.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { type Action, NOT_TOLD, type RequestLog } from "../../src/model/log.ts";
import { OUTCOME } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "enoughAttempts" | "actionWithinMs" | "quietRunMs" | "minNeverRetried";

/** A refusal that a short wait would have cured ends the call, and something final follows. */
export const rule: Rule<Option> = {
  id: "transient-as-fatal",
  symptom: 5,
  title: "A refusal that would have passed is treated as final",
  why: "429, 500, 503 and 529 are temporary. Handled like 400 or 401 they set off rollbacks and alerts for a wait of seconds.",
  severity: "error",
  needs: ["status"],
  options: {
    enoughAttempts: {
      default: 3,
      unit: "count",
      reason: "the common SDKs try three times; whoever did has tried",
    },
    actionWithinMs: {
      default: 10_000,
      unit: "ms",
      reason: "an orchestrator reacts to a failure within seconds",
    },
    quietRunMs: {
      default: 60_000,
      unit: "ms",
      reason: "a run that sends nothing for a minute while others do has ended",
    },
    minNeverRetried: {
      default: 5,
      unit: "count",
      reason: "fewer unrepeated refusals can be the end of the work",
    },
  },
  messages: {
    action:
      "{agent} gave up {calls} calls on a temporary refusal after {attempts} attempts at most, and {action} followed ({actions} times); the server had asked to wait {asked}.",
    ended:
      "{agent} gave up {calls} calls on a temporary refusal after {attempts} attempts at most, and the run ended there.",
    never: "{agent} never repeated a refused call ({calls} of them) while other agents do.",
  },
  check(log, options) {
    const given = givenUpCalls(log, options);
    if (given.length === 0)
      return { outcome: "clear", because: "no call ended early on a temporary refusal" };
    const findings = [...groupBy(given, (call) => call.agent).values()].flatMap((calls) =>
      judge(log, calls, options),
    );
    if (findings.length > 0)
      return { outcome: "found", findings, because: "a temporary refusal was the end of a call" };
    if (log.actions.length === 0 && !log.facts.runs.present)
      return { outcome: "unknown", because: `${log.facts.actions.because}; ${log.facts.runs.because}` };
    return { outcome: "clear", because: "nothing final followed the calls that gave up early" };
  },
};

interface GivenUpCall {
  readonly agent: string;
  readonly last: number;
  readonly attempts: number;
}

/** Calls whose last attempt was refused for now, with few attempts made, well before the log ends. */
function givenUpCalls(log: RequestLog, options: OptionValues<Option>): GivenUpCall[] {
  const { attempts } = log;
  const calls = callsOf(log);
  const end = log.span?.to ?? 0;
  const found: GivenUpCall[] = [];
  for (let call = 0; call < calls.count; call++) {
    const last = calls.last[call] ?? 0;
    if (!isRetryable(attempts, last) || attempts.outcome[last] === OUTCOME.timeout) continue;
    const made = Math.max(calls.size[call] ?? 1, attempts.attempt[last] ?? 0);
    const asked = Math.max(0, attempts.retryAfterMs[last] ?? NOT_TOLD);
    const cutOff = endMs(attempts, last) + Math.max(asked * 2, options.quietRunMs / 2) > end;
    if (made < options.enoughAttempts && !cutOff)
      found.push({ agent: agentAt(log, last), last, attempts: made });
  }
  return found;
}

function judge(log: RequestLog, calls: readonly GivenUpCall[], options: OptionValues<Option>): RuleFinding[] {
  const [first] = calls;
  if (first === undefined) return [];
  const byCall = actionsByCall(log);
  const actions = calls.flatMap((call) => actionsAfter(log, call, byCall, options));
  if (actions.length > 0) return [finding(log, calls, "action", [...new Set(actions)])];
  const ended = calls.filter((call) => runEndedAt(log, call, options));
  if (ended.length > 0) return [finding(log, ended, "ended", [])];
  return first.agent !== "" && neverRetries(log, calls, options) ? [finding(log, calls, "never", [])] : [];
}

function actionsByCall(log: RequestLog): ReadonlyMap<number, readonly Action[]> {
  return groupBy(
    log.actions.filter((action) => action.call !== 0),
    (action) => action.call,
  );
}

/** Named by call, or of the same run within seconds of the last attempt and with no call named. */
function actionsAfter(
  log: RequestLog,
  { last }: GivenUpCall,
  byCall: ReadonlyMap<number, readonly Action[]>,
  options: OptionValues<Option>,
): readonly Action[] {
  const { attempts } = log;
  const named = byCall.get(attempts.call[last] ?? 0);
  if (named !== undefined) return named;
  const run = log.runs[attempts.run[last] ?? 0] ?? "";
  const end = endMs(attempts, last);
  return log.actions.filter(
    (action) =>
      action.call === 0 &&
      action.run === run &&
      action.atMs >= end &&
      action.atMs <= end + options.actionWithinMs,
  );
}

/** Nothing of the run comes later, although the log goes on. */
function runEndedAt(log: RequestLog, { last }: GivenUpCall, options: OptionValues<Option>): boolean {
  const { attempts } = log;
  const run = attempts.run[last] ?? 0;
  const end = endMs(attempts, last);
  if (run === 0 || end + options.quietRunMs > (log.span?.to ?? 0)) return false;
  for (let row = last + 1; row < attempts.length; row++) if (attempts.run[row] === run) return false;
  return !log.waits.some(
    (wait) => wait.run === log.runs[run] && wait.outcome === "ok" && wait.startMs + wait.durationMs > end,
  );
}

/** None of this agent's refused calls was repeated, while somebody else's were. */
function neverRetries(
  log: RequestLog,
  given: readonly GivenUpCall[],
  options: OptionValues<Option>,
): boolean {
  if (given.length < options.minNeverRetried || (!log.facts.calls.present && !log.facts.attempts.present))
    return false;
  const { attempts } = log;
  const calls = callsOf(log);
  let othersRepeat = false;
  for (let row = 0; row < attempts.length; row++) {
    if (calls.repeated[row] === 0) continue;
    if (agentAt(log, row) === given[0]?.agent) return false;
    othersRepeat = true;
  }
  return othersRepeat;
}

function finding(
  log: RequestLog,
  calls: readonly GivenUpCall[],
  message: "action" | "ended" | "never",
  actions: readonly Action[],
): RuleFinding {
  const { attempts } = log;
  const [first] = calls;
  const last = first?.last ?? 0;
  const bucket = bucketId(log, bucketAt(log, last));
  const asked = Math.max(0, ...calls.map((call) => attempts.retryAfterMs[call.last] ?? NOT_TOLD));
  const incident = incidentsOf(log).find((one) => one.rows.includes(last));
  const agent = first?.agent ?? "";
  const named = agent === "" ? {} : { agent };
  return {
    subject: { ...named, bucket },
    ...(incident === undefined ? {} : { incident: incident.id }),
    message,
    numbers: {
      calls: { value: calls.length, unit: "count" },
      attempts: { value: Math.max(...calls.map((call) => call.attempts)), unit: "count" },
      actions: { value: actions.length, unit: "count" },
      asked: { value: asked, unit: "ms" },
    },
    words: { action: [...new Set(actions.map((action) => action.action))].join(" and ") },
    evidence: [
      { attempt: last, note: "the refusal that ended the call" },
      ...actions.slice(0, 2).map(({ source, line, atMs, action }) => ({ source, line, atMs, note: action })),
    ],
    fixes: [
      {
        kind: "classify",
        ...named,
        transient: [408, 429, 500, 502, 503, 504, 529],
        permanent: [400, 401, 403, 404, 413, 422],
      },
      {
        kind: "retry",
        ...named,
        bucket,
        obeyRetryAfter: true,
        baseMs: 1_000,
        factor: 2,
        capMs: 60_000,
        jitter: "added",
        jitterMs: 5_000,
        maxAttempts: 6,
      },
    ],
    harm: { refusals: calls.length, lostMs: 0, failedCalls: calls.length },
  };
}
