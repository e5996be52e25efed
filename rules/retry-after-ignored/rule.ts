import { agentAt, bucketAt, isOk } from "../../src/measure/attempts.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { areNegligible, incidentsAt } from "../../src/measure/incident-at.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { politeRetry } from "../../src/measure/remedies.ts";
import { earliness, ownerOf, type Retry } from "../../src/measure/retries.ts";
import { quantile } from "../../src/measure/statistics.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding, Verdict } from "../../src/model/rule.ts";

type Option = "toleranceShare" | "toleranceMs" | "minEarly" | "minShareEarly" | "manyAgents";

/**
 *   429, retry-after 20 s |------- asked -------|
 *                         |1 s|429  |1 s|429      came back too soon, refused again
 */
export const rule: Rule<Option> = {
  id: "retry-after-ignored",
  title: "Retries come sooner than the server asked",
  why: "An attempt before the hint is refused again: it costs a request, and on some providers it pushes the moment back.",
  severity: "error",
  needs: ["status"],
  options: {
    toleranceShare: { default: 0.05, unit: "share", reason: "of the hint: clocks and rounding" },
    toleranceMs: {
      default: 100,
      unit: "ms",
      reason: "timers fire a little early, and durations are rounded",
    },
    minEarly: {
      default: 5,
      unit: "count",
      reason: "a stray early retry is another client with the same name",
    },
    minShareEarly: { default: 0.2, unit: "share", reason: "a client that mostly obeys has another problem" },
    manyAgents: {
      default: 3,
      unit: "count",
      reason: "when more agents than this do the same, it is one shared client: one finding",
    },
  },
  messages: {
    agent:
      "{agent} repeated {early} of {hinted} refused attempts sooner than the server asked, by {medianEarly} at the median and {worstEarly} at worst (asked {asked}, waited {waited}); {again} were refused again.",
    shared:
      "{agents} repeated {early} of {hinted} refused attempts sooner than the server asked, by {medianEarly} at the median and {worstEarly} at worst (asked {asked}, waited {waited}); {again} were refused again.",
  },
  check(log, options) {
    // A chain that was guessed from the hint cannot show that the hint was ignored; one with numbered attempts can.
    const hinted = [...earliness(log).keys()].filter(
      (retry) => !retry.inferred || (log.attempts.attempt[retry.to] ?? 0) > 1,
    );
    if (hinted.length === 0) return withoutRetries(log);
    const early = new Set(hinted.filter((retry) => isEarly(log, retry, options)));
    const owners = [...groupBy(hinted, (retry) => ownerOf(log, retry)).values()];
    const guilty = owners.filter((own) => {
      const count = own.filter((retry) => early.has(retry)).length;
      return count >= options.minEarly && count >= options.minShareEarly * own.length;
    });
    const because = `${early.size} of ${hinted.length} retries came sooner than the server asked`;
    if (guilty.length === 0) return { outcome: "clear", because };
    const byBucket = groupBy(guilty, ([first]) => bucketAt(log, first?.to ?? 0));
    const findings = [...byBucket.values()].flatMap((agents) =>
      agents.length > options.manyAgents
        ? [finding(log, agents.flat(), early, options)]
        : agents.map((one) => finding(log, one, early, options)),
    );
    return { outcome: "found", findings, because };
  },
};

function withoutRetries({ facts }: RequestLog): Verdict {
  const isTold = facts.calls.present || facts.attempts.present;
  if (isTold || !facts["retry-after"].present)
    return { outcome: "clear", because: "no refusal with a hint was repeated" };
  return { outcome: "unknown", because: `hints ${facts["retry-after"].because}, but ${facts.calls.because}` };
}

function isEarly(log: RequestLog, retry: Retry, options: OptionValues<Option>): boolean {
  const tolerance = Math.max(options.toleranceShare * (retry.hintMs ?? 0), options.toleranceMs);
  return (earliness(log).get(retry) ?? 0) > tolerance;
}

function finding(
  log: RequestLog,
  retries: readonly Retry[],
  tooSoon: ReadonlySet<Retry>,
  options: OptionValues<Option>,
): RuleFinding {
  const early = retries.filter((retry) => tooSoon.has(retry));
  const worst = early.reduce<Retry | undefined>((a, b) => (earlyBy(b) > earlyBy(a) ? b : a), early[0]);
  const { from = 0, to = 0 } = worst ?? {};
  const agents = [...new Set(early.map((retry) => agentAt(log, retry.to)))].toSorted();
  const agent = agents.length === 1 ? (agents[0] ?? "") : "";
  const bucket = bucketAt(log, to);
  const middle = (valueOf: (retry: Retry) => number): number => quantile(early.map(valueOf), 0.5) ?? 0;
  const again = early.filter((retry) => !isOk(log.attempts, retry.to)).length;
  const incidents = incidentsAt(
    log,
    early.map((retry) => retry.from),
  );
  // Sooner than asked and never refused for it: the hint was longer than need be.
  const isHarmless = again === 0 || (incidents.length > 0 && areNegligible(log, incidents));
  return {
    ...(isHarmless ? { severity: "info" as const } : {}),
    subject: { ...(agent === "" ? {} : { agent }), bucket: bucketId(log, bucket) },
    ...(incidents[0] === undefined ? {} : { incident: incidents[0].id }),
    message: agent === "" ? "shared" : "agent",
    numbers: {
      early: { value: early.length, unit: "count", limit: options.minEarly },
      hinted: { value: retries.length, unit: "count" },
      medianEarly: { value: middle(earlyBy), unit: "ms" },
      worstEarly: { value: earlyBy(worst), unit: "ms" },
      asked: { value: middle((retry) => retry.hintMs ?? 0), unit: "ms" },
      waited: { value: middle((retry) => retry.gapMs), unit: "ms" },
      again: { value: again, unit: "count" },
    },
    words: { agents: agents.map((name) => name || "untagged traffic").join(", ") },
    evidence: [
      { attempt: from, note: "the refusal with the hint" },
      { attempt: to, note: "the attempt that came furthest ahead of it" },
    ],
    fixes: [politeRetry(log, bucket, agent, 0)],
    harm: { refusals: again, lostMs: 0, failedCalls: 0 },
  };
}

/** As the log tells it, without any tolerance. */
function earlyBy(retry: Retry | undefined): number {
  return retry === undefined ? 0 : (retry.hintMs ?? 0) - retry.gapMs;
}
