import { bucketAt } from "../../src/measure/attempts.ts";
import { type CallChain, isRefusedForNow } from "../../src/measure/chains.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { incidentAt } from "../../src/measure/incident-at.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { type GivenUpWait, givenUpWaits } from "../../src/measure/waits.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding, Subject } from "../../src/model/rule.ts";

type Option = "headroom" | "roundToMs";

/**
 *   review  |---- waits 120 s ----x            gives up
 *   code    |429 .. 60 s .. 429 .. 70 s .. ok  would have answered at 131 s
 */
export const rule: Rule<Option> = {
  id: "short-timeout",
  symptom: 4,
  title: "A waiter gives up before the retry it waits for can succeed",
  why: "The rate limit is temporary, the timeout is final: the delay below turns into a failure above, and into one more at every stage that waits.",
  severity: "error",
  needs: ["status"],
  options: {
    headroom: {
      default: 1.2,
      unit: "ratio",
      reason: "the worst chain seen is not the worst there is: a fifth on top",
    },
    roundToMs: { default: 5_000, unit: "ms", reason: "a timeout is a setting that people read" },
  },
  messages: {
    short:
      "{waiter} gave up waiting for {awaited} after {timeout}; {agent} needed {needed}, of which refusals cost {lost} (refusals: {refusals}; waiting asked for: {asked}). Waits that ended so: {times}.",
    carried:
      "{waiter} failed with the stage it waits for, and would have given up by itself: its timeout is {timeout}, and {agent} needed {needed}, of which refusals cost {lost} (refusals: {refusals}). Waits that ended so: {times}.",
  },
  check(log, options) {
    const refusals = countRefusals(log);
    if (refusals === 0) return { outcome: "clear", because: "no attempt was refused for now" };
    if (log.waits.length === 0)
      return { outcome: "unknown", because: `${refusals} refusals, but ${log.facts.waits.because}` };
    const given = givenUpWaits(log);
    const short = given.filter(isShort);
    const direct = new Set(short.map(({ wait }) => wait));
    const carried = given.filter((one) => isCarried(one) && one.below.some((wait) => direct.has(wait)));
    if (short.length === 0) return withoutShort(log, given);
    const groups = groupBy([...short, ...carried], (one) => JSON.stringify(subjectOf(log, one)));
    const findings = [...groups.values()].map((all) => finding(log, all, options));
    return {
      outcome: "found",
      findings,
      because: `${short.length} of ${log.waits.length} waits ended before the retry below them could succeed`,
    };
  },
};

function countRefusals({ attempts }: RequestLog): number {
  let count = 0;
  for (let row = 0; row < attempts.length; row++) if (isRefusedForNow(attempts, row)) count++;
  return count;
}

/** Late because of the refusals: with them it took longer than the timeout, without them it would have been in time. */
function isTooShort({ neededMs, lostMs }: GivenUpWait, allowedMs: number | null): boolean {
  return neededMs !== null && allowedMs !== null && neededMs > allowedMs && neededMs - lostMs <= allowedMs;
}

function isShort(given: GivenUpWait): boolean {
  return given.timedOut && isTooShort(given, given.wait.timeoutMs ?? given.wait.durationMs);
}

function isCarried(given: GivenUpWait): boolean {
  return !given.timedOut && isTooShort(given, given.wait.timeoutMs);
}

function withoutShort(log: RequestLog, given: readonly GivenUpWait[]): ReturnType<(typeof rule)["check"]> {
  const late = given.filter(({ timedOut }) => timedOut);
  const unseen = late.find(({ wait, below }) =>
    [wait, ...below].every(({ waitsFor }) => !log.agents.includes(waitsFor)),
  );
  if (unseen !== undefined)
    return {
      outcome: "unknown",
      because: `no attempt names ${unseen.wait.waitsFor}, which a waiter gave up on`,
    };
  const because = `${late.length} of ${log.waits.length} waits ran into their timeout, none because of a refusal`;
  return { outcome: "clear", because };
}

function subjectOf(log: RequestLog, given: GivenUpWait): Subject {
  const bucket = bucketId(log, bucketAt(log, firstRefusal(log, given)));
  return { waiter: given.wait.agent, agent: given.bottom, bucket };
}

function firstRefusal({ attempts }: RequestLog, { refused }: GivenUpWait): number {
  const rows = refused.flatMap((call) => call.rows.filter((row) => isRefusedForNow(attempts, row)));
  return rows.reduce((first, row) => Math.min(first, row), rows[0] ?? 0);
}

function finding(log: RequestLog, all: readonly GivenUpWait[], options: OptionValues<Option>): RuleFinding {
  const direct = all.filter(({ timedOut }) => timedOut);
  const [worst] = (direct.length > 0 ? direct : all).toSorted(
    (a, b) => (b.neededMs ?? 0) - (a.neededMs ?? 0),
  );
  if (worst?.chain == null) throw new RangeError("a short wait has a chain");
  const { wait, chain, neededMs, lostMs } = worst;
  const needed = neededMs ?? 0;
  const refused = firstRefusal(log, worst);
  const ofRefused = (valueOf: (call: CallChain) => number): number =>
    worst.refused.reduce((total, call) => total + valueOf(call), 0);
  const incident = incidentAt(log, refused);
  const timeoutMs = Math.ceil((needed * options.headroom) / options.roundToMs) * options.roundToMs;
  return {
    subject: subjectOf(log, worst),
    ...(incident === null ? {} : { incident: incident.id }),
    message: direct.length > 0 ? "short" : "carried",
    numbers: {
      timeout: { value: wait.timeoutMs ?? wait.durationMs, unit: "ms", limit: needed },
      needed: { value: needed, unit: "ms" },
      lost: { value: lostMs, unit: "ms" },
      refusals: { value: ofRefused((call) => call.refusals), unit: "count" },
      asked: { value: ofRefused((call) => call.askedMs), unit: "ms" },
      times: { value: all.length, unit: "count" },
    },
    words: { awaited: wait.waitsFor },
    evidence: [
      { source: wait.source, line: wait.line, atMs: wait.startMs, note: `${wait.agent} begins to wait` },
      { attempt: refused, note: `the first refusal that kept ${worst.bottom}` },
      {
        attempt: chain.rows.at(-1) ?? refused,
        note: chain.succeeded ? "it succeeds, too late" : "its last attempt",
      },
    ],
    fixes: [{ kind: "timeout", waiter: wait.agent, waitsFor: wait.waitsFor, timeoutMs }],
    harm: {
      refusals: 0,
      lostMs: all.reduce((sum, given) => sum + given.wait.durationMs, 0),
      failedCalls: all.length,
    },
  };
}
