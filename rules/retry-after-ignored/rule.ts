import { agentAt, bucketAt, isOk } from "../../src/measure/attempts.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { earliness, ownerOf, type Retry, transientRetries } from "../../src/measure/retries.ts";
import { quantile } from "../../src/measure/statistics.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "toleranceShare" | "toleranceMs" | "minEarly" | "minShareEarly" | "manyAgents";

/** The server says when to come back; the client comes sooner. */
export const rule: Rule<Option> = {
  id: "retry-after-ignored",
  title: "Retries come sooner than the server asked",
  why: "An attempt before the hint is refused again: it costs a request, and on some providers it pushes the moment back.",
  severity: "error",
  needs: ["status"],
  options: {
    toleranceShare: { default: 0.05, unit: "share", reason: "clocks and rounding" },
    toleranceMs: {
      default: 100,
      unit: "ms",
      reason: "timers fire a little early, and durations are rounded",
    },
    minEarly: {
      default: 5,
      unit: "count",
      reason: "a stray early retry is another caller with the same key",
    },
    minShareEarly: { default: 0.2, unit: "share", reason: "a client that obeys mostly has another problem" },
    manyAgents: {
      default: 3,
      unit: "count",
      reason: "with more agents than this it is one shared client: one finding",
    },
  },
  messages: {
    agent:
      "{agent} repeated {early} of {hinted} refused attempts sooner than the server asked, by {medianEarly} at the median (asked {asked}, waited {waited}); {again} were refused again.",
    shared:
      "{agents} repeated {early} of {hinted} refused attempts sooner than the server asked, by {medianEarly} at the median (asked {asked}, waited {waited}); {again} were refused again.",
  },
  check(log, options) {
    // A chain that was guessed from the hint cannot show that the hint was ignored; one with numbered attempts can.
    const hinted = transientRetries(log).filter(
      (retry) => (retry.hintMs ?? 0) > 0 && (!retry.inferred || (log.attempts.attempt[retry.to] ?? 0) > 1),
    );
    if (hinted.length === 0) return { outcome: "clear", because: "no refusal with a hint was repeated" };
    const byOwner = groupBy(hinted, (retry) => ownerOf(log, retry));
    const guilty = [...byOwner.values()].filter((retries) => {
      const early = retries.filter((retry) => isEarly(log, retry, options)).length;
      return early >= options.minEarly && early >= options.minShareEarly * retries.length;
    });
    if (guilty.length === 0)
      return { outcome: "clear", because: `${hinted.length} retries kept to the hint, apart from strays` };
    const byBucket = groupBy(guilty, ([first]) => bucketAt(log, first?.to ?? 0));
    const findings = [...byBucket.values()].flatMap((agents) =>
      agents.length > options.manyAgents
        ? [finding(log, agents.flat(), options)]
        : agents.map((one) => finding(log, one, options)),
    );
    return { outcome: "found", findings, because: "retries came before the time that the server named" };
  },
};

function isEarly(log: RequestLog, retry: Retry, options: OptionValues<Option>): boolean {
  const tolerance = Math.max(options.toleranceShare * (retry.hintMs ?? 0), options.toleranceMs);
  return (earliness(log).get(retry) ?? 0) > tolerance;
}

function finding(log: RequestLog, retries: readonly Retry[], options: OptionValues<Option>): RuleFinding {
  const early = retries.filter((retry) => isEarly(log, retry, options));
  const [first] = early;
  const to = first?.to ?? 0;
  const agents = [...new Set(early.map((retry) => agentAt(log, retry.to)))].toSorted();
  const [agent = ""] = agents;
  const shared = agents.length > 1 || agent === "";
  const bucket = bucketId(log, bucketAt(log, to));
  const named = shared ? {} : { agent };
  const middle = (valueOf: (retry: Retry) => number): number =>
    Math.max(0, quantile(early.map(valueOf), 0.5) ?? 0);
  const again = early.filter((retry) => !isOk(log.attempts, retry.to)).length;
  return {
    subject: { ...named, bucket },
    message: shared ? "shared" : "agent",
    numbers: {
      early: { value: early.length, unit: "count", limit: options.minEarly },
      hinted: { value: retries.length, unit: "count" },
      medianEarly: { value: middle((retry) => (retry.hintMs ?? 0) - retry.gapMs), unit: "ms" },
      asked: { value: middle((retry) => retry.hintMs ?? 0), unit: "ms" },
      waited: { value: middle((retry) => retry.gapMs), unit: "ms" },
      again: { value: again, unit: "count" },
    },
    words: { agents: agents.map((name) => name || "untagged traffic").join(", ") },
    evidence:
      first === undefined
        ? []
        : [
            { attempt: first.from, note: "the refusal with the hint" },
            { attempt: first.to, note: "the attempt that came too soon" },
          ],
    fixes: [
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
    harm: { refusals: again, lostMs: 0, failedCalls: 0 },
  };
}
