import { agentAt, bucketAt, isOk } from "../../src/measure/attempts.ts";
import { callsOf } from "../../src/measure/calls.ts";
import { errorNamesOf } from "../../src/measure/error-names.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { classifyErrors } from "../../src/measure/remedies.ts";
import { type Retry, retriesOf } from "../../src/measure/retries.ts";
import type { AdviceFix } from "../../src/model/fix.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { OUTCOME } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "minRepeats" | "passedShare";

/** The same request, sent again after an answer that will never change. */
export const rule: Rule<Option> = {
  id: "permanent-error-retried",
  title: "Errors that cannot pass are sent again",
  why: "A bad request, a wrong key or an empty account stays so: every repeat costs time and quota and delays the real message.",
  severity: "error",
  needs: ["status"],
  options: {
    minRepeats: { default: 2, unit: "count", reason: "a single repeat can be a person trying again" },
    passedShare: {
      default: 0.5,
      unit: "share",
      reason:
        "where half of the repeated calls pass later, the error was not final (a token that was renewed)",
    },
  },
  messages: {
    retried:
      "{agent} repeated {calls} calls {repeats} times after {errors}; {again} repeats failed again, and {wasted} went by with that.",
  },
  check(log, options) {
    const { facts, attempts } = log;
    const final = attempts.outcome.reduce((sum, _, row) => sum + (isFinal(log, row) ? 1 : 0), 0);
    if (final === 0) return { outcome: "clear", because: "no attempt met an error that cannot pass" };
    if (!facts.calls.present)
      return { outcome: "unknown", because: `${final} errors that cannot pass, but ${facts.calls.because}` };
    const repeats = retriesOf(log).filter((retry) => isFinal(log, retry.from));
    const groups = groupBy(repeats, ({ from }) => `${bucketAt(log, from)}\0${agentAt(log, from)}`);
    const guilty = [...groups.values()].filter((group) => isGuilty(log, group, options));
    const because = `${repeats.length} repeats after ${final} errors that cannot pass`;
    if (guilty.length === 0) return { outcome: "clear", because };
    return { outcome: "found", findings: guilty.map((group) => finding(log, group, options)), because };
  },
};

/** The official clients repeat a conflict: it can pass. */
const CONFLICT = 409;

function isFinal({ attempts }: RequestLog, row: number): boolean {
  if (attempts.outcome[row] === OUTCOME.quota) return true;
  return attempts.outcome[row] === OUTCOME.permanent && attempts.status[row] !== CONFLICT;
}

/** A billing refusal wears the status of a rate limit: telling errors apart by status would not stop its repeats. */
function isUnpaid(log: RequestLog, row: number): boolean {
  return log.attempts.outcome[row] === OUTCOME.quota;
}

const STOP_AT_BILLING: AdviceFix = {
  kind: "billing",
  advice:
    "Stop at billing errors by their code (insufficient_quota, credit balance), not by their status: they come as 429 and never pass.",
};

function isGuilty(log: RequestLog, repeats: readonly Retry[], options: OptionValues<Option>): boolean {
  const calls = callsOf(log);
  const touched = [...new Set(repeats.map((retry) => calls.of[retry.to] ?? 0))];
  const passed = touched.filter((call) => isOk(log.attempts, calls.last[call] ?? 0)).length;
  return failedAgain(log, repeats) >= options.minRepeats && passed < options.passedShare * touched.length;
}

function failedAgain(log: RequestLog, repeats: readonly Retry[]): number {
  return repeats.filter((retry) => !isOk(log.attempts, retry.to)).length;
}

function finding(log: RequestLog, repeats: readonly Retry[], options: OptionValues<Option>): RuleFinding {
  const [{ from, to } = { from: 0, to: 0 }] = repeats;
  const agent = agentAt(log, from);
  const calls = callsOf(log);
  const touched = new Set(repeats.map((retry) => calls.of[retry.to] ?? 0));
  const wasted = repeats.reduce(
    (sum, retry) => sum + Math.max(0, retry.gapMs) + Math.max(0, log.attempts.durationMs[retry.to] ?? 0),
    0,
  );
  const errors = errorNamesOf(
    log,
    repeats.map((retry) => retry.from),
  );
  return {
    subject: { ...(agent === "" ? {} : { agent }), bucket: bucketId(log, bucketAt(log, from)) },
    message: "retried",
    numbers: {
      repeats: { value: repeats.length, unit: "count" },
      again: { value: failedAgain(log, repeats), unit: "count", limit: options.minRepeats },
      calls: { value: touched.size, unit: "count" },
      wasted: { value: wasted, unit: "ms" },
    },
    words: { errors: errors.slice(0, 3).join(", ") },
    evidence: [
      { attempt: from, note: "the error" },
      { attempt: to, note: "sent again" },
    ],
    fixes: isUnpaid(log, from) ? [STOP_AT_BILLING] : [classifyErrors(agent)],
    harm: { refusals: repeats.length, lostMs: wasted, failedCalls: 0 },
  };
}
