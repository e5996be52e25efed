import { actionsAfter, type GivenUpCall, givenUpCalls } from "../../src/measure/given-up-calls.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { incidentAt } from "../../src/measure/incident-at.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { peakCount } from "../../src/measure/rates.ts";
import { classifyErrors, politeRetry } from "../../src/measure/remedies.ts";
import { neverRetries } from "../../src/measure/retries.ts";
import { isEndOfRun } from "../../src/measure/run-ends.ts";
import type { Action, RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";
import { SECOND_MS } from "../../src/model/time.ts";

type Option =
  | "enoughAttempts"
  | "waitedAttempts"
  | "longestWaitMs"
  | "actionWithinMs"
  | "quietRunMs"
  | "minNeverRetried";

/**
 *   deploy  |429, retry-after 2 s                 one attempt, no retry
 *   orchestrator  |rollback                       0.2 s later
 */
export const rule: Rule<Option> = {
  id: "transient-as-fatal",
  symptom: 5,
  title: "A refusal that would have passed is treated as final",
  why: "429, 500, 503 and 529 are temporary. Handled like 400 or 401 they set off rollbacks and alerts for a wait of seconds.",
  severity: "error",
  needs: ["status"],
  options: {
    enoughAttempts: {
      default: 5,
      unit: "count",
      reason: "five repeats are advised; whoever made four has tried",
    },
    waitedAttempts: {
      default: 3,
      unit: "count",
      reason: "the common SDKs try three times; enough if they waited as long as the server asked",
    },
    longestWaitMs: {
      default: 600_000,
      unit: "ms",
      reason: "a run that must wait longer than ten minutes may as well fail",
    },
    actionWithinMs: {
      default: 10_000,
      unit: "ms",
      reason: "an orchestrator reacts within seconds; later, something else was the cause",
    },
    quietRunMs: {
      default: 60_000,
      unit: "ms",
      reason: "a run that sends nothing for a minute, while the log goes on, has ended",
    },
    minNeverRetried: {
      default: 5,
      unit: "count",
      reason: "fewer unrepeated refusals can be the end of the work",
    },
  },
  messages: {
    action:
      "{agent} gave up {calls} calls on a temporary refusal after {attempts} attempts at most and {tried} of trying, and {action} followed ({actions} times). The server had asked to wait {asked}.",
    ended:
      "{agent} gave up {calls} calls on a temporary refusal after {attempts} attempts at most and {tried} of trying, and the run ended there. The server had asked to wait {asked}.",
    never:
      "{agent} never repeated a refused call ({calls} of them) while other agents do. The server had asked to wait {asked}.",
  },
  check(log, options) {
    const all = givenUpCalls(log);
    const early = all.filter((call) => isEarly(call, options));
    if (early.length === 0)
      return {
        outcome: "clear",
        because: `${all.length} calls ended on a temporary refusal, none of them early`,
      };
    const followed = actionsAfter(log, options.actionWithinMs);
    const groups = groupBy(early, ({ agent, bucket }) => `${agent}\0${bucket}`);
    const findings = [...groups.values()].flatMap((calls) => judge(log, calls, followed, options));
    const count = `${early.length} calls ended early on a temporary refusal`;
    if (findings.length > 0) return { outcome: "found", findings, because: count };
    if (log.actions.length > 0 || log.facts.runs.present)
      return { outcome: "clear", because: `${count}, and nothing final followed` };
    const because = `${count}; what followed is not told: ${log.facts.actions.because}, ${log.facts.runs.because}`;
    return { outcome: "unknown", because };
  },
};

/** Without the attempts, or without the time, that its wait would have allowed. */
function isEarly({ attempts, triedMs, askedMs }: GivenUpCall, options: OptionValues<Option>): boolean {
  const asked = askedMs ?? 0;
  if (attempts >= options.enoughAttempts || asked > options.longestWaitMs) return false;
  return attempts < options.waitedAttempts || triedMs < asked;
}

function judge(
  log: RequestLog,
  calls: readonly GivenUpCall[],
  followed: ReadonlyMap<number, readonly Action[]>,
  options: OptionValues<Option>,
): RuleFinding[] {
  const actions = calls.flatMap(({ last }) => followed.get(last) ?? []);
  if (actions.length > 0) return [finding(log, calls, "action", actions)];
  const end = log.span?.to ?? 0;
  const watched = calls.filter(
    ({ gaveUpMs, askedMs }) => gaveUpMs + Math.max(options.quietRunMs, 2 * (askedMs ?? 0)) <= end,
  );
  const ended = watched.filter(({ last, gaveUpMs }) =>
    isEndOfRun(log, log.attempts.run[last] ?? 0, gaveUpMs),
  );
  if (ended.length > 0) return [finding(log, ended, "ended", [])];
  const isNever = watched.length >= options.minNeverRetried && neverRetries(log, calls[0]?.agent ?? 0);
  return isNever ? [finding(log, watched, "never", [])] : [];
}

function finding(
  log: RequestLog,
  calls: readonly GivenUpCall[],
  message: "action" | "ended" | "never",
  actions: readonly Action[],
): RuleFinding {
  const [first] = calls;
  const { last = 0, bucket = 0 } = first ?? {};
  const agent = log.agents[first?.agent ?? 0] ?? "";
  const worst = (valueOf: (call: GivenUpCall) => number): number =>
    calls.reduce((most, call) => Math.max(most, valueOf(call)), 0);
  const incident = incidentAt(log, last);
  const ends = calls.map(({ gaveUpMs }) => gaveUpMs).toSorted((a, b) => a - b);
  const together = peakCount(ends, SECOND_MS).value;
  return {
    subject: { ...(agent === "" ? {} : { agent }), bucket: bucketId(log, bucket) },
    ...(incident === null ? {} : { incident: incident.id }),
    message,
    numbers: {
      calls: { value: calls.length, unit: "count" },
      attempts: { value: worst((call) => call.attempts), unit: "count" },
      tried: { value: worst((call) => call.triedMs), unit: "ms" },
      asked: { value: worst((call) => call.askedMs ?? 0), unit: "ms" },
      actions: { value: actions.length, unit: "count" },
    },
    words: { action: [...new Set(actions.map((action) => action.action))].toSorted().join(" and ") },
    evidence: [
      { attempt: last, note: "the refusal that ended the call" },
      ...actions.slice(0, 2).map(({ source, line, atMs, action }) => ({ source, line, atMs, note: action })),
    ],
    fixes: [classifyErrors(agent), politeRetry(log, bucket, agent, together)],
    harm: { refusals: calls.length, lostMs: 0, failedCalls: calls.length },
  };
}
