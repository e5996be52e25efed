import { agentAt } from "../../src/measure/attempts.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { type GivenUpWait, givenUpWaits } from "../../src/measure/waits.ts";
import { bucketAt } from "../../src/measure/attempts.ts";
import { incidentsOf } from "../../src/measure/incidents.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

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
      "{waiter} gave up waiting for {awaited} after {timeout}; the chain below it ({refusals} refusals, {asked} of waiting asked for) needed {needed}. {times} waits ended so.",
  },
  check(log, options) {
    if (incidentsOf(log).length === 0)
      return { outcome: "clear", because: "nothing was refused by a rate limit" };
    if (log.waits.length === 0) return { outcome: "unknown", because: log.facts.waits.because };
    const short = givenUpWaits(log).filter((given) => isShort(given));
    if (short.length === 0)
      return { outcome: "clear", because: "no waiter gave up on a call that only a refusal had delayed" };
    const groups = groupBy(short, ({ wait }) => `${wait.agent}\0${wait.waitsFor}`);
    const findings = [...groups.values()].map((all) => finding(log, all, options));
    return { outcome: "found", findings, because: "a timeout was shorter than the retry chain below it" };
  },
};

/** Late because of the refusals: with them it took longer than the timeout, without them it would have been in time. */
function isShort({ wait, neededMs, lostMs }: GivenUpWait): boolean {
  if (neededMs === null) return false;
  const allowed = wait.timeoutMs ?? wait.durationMs;
  return neededMs > allowed && neededMs - lostMs <= allowed;
}

function finding(log: RequestLog, all: readonly GivenUpWait[], options: OptionValues<Option>): RuleFinding {
  const [worst] = all.toSorted((a, b) => (b.neededMs ?? 0) - (a.neededMs ?? 0));
  if (worst === undefined || worst.chain === null) throw new RangeError("a short wait has a chain");
  const { wait, chain } = worst;
  const needed = worst.neededMs ?? 0;
  const [first = 0] = chain.rows;
  const incident = incidentsOf(log).find((one) => chain.rows.some((row) => one.rows.includes(row)));
  const timeoutMs = Math.ceil((needed * options.headroom) / options.roundToMs) * options.roundToMs;
  return {
    subject: { waiter: wait.agent, agent: worst.bottom, bucket: bucketId(log, bucketAt(log, first)) },
    ...(incident === undefined ? {} : { incident: incident.id }),
    message: "short",
    numbers: {
      timeout: { value: wait.timeoutMs ?? wait.durationMs, unit: "ms", limit: needed },
      needed: { value: needed, unit: "ms" },
      refusals: { value: chain.refusals, unit: "count" },
      asked: { value: chain.waitMs, unit: "ms" },
      service: { value: chain.serviceMs, unit: "ms" },
      times: { value: all.length, unit: "count" },
    },
    words: { awaited: wait.waitsFor },
    evidence: [
      { source: wait.source, line: wait.line, atMs: wait.startMs, note: `${wait.agent} begins to wait` },
      { attempt: first, note: `${agentAt(log, first)}'s call begins` },
      {
        attempt: chain.rows.at(-1) ?? first,
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
