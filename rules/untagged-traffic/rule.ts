import { bucketId } from "../../src/measure/pacing.ts";
import { agentTraffic, bucketTraffic } from "../../src/measure/traffic.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "maxShare" | "minAttempts";

/** Attempts that nobody signed: whoever sent them cannot be named, slowed or excused. */
export const rule: Rule<Option> = {
  id: "untagged-traffic",
  title: "Part of the traffic names no agent",
  why: "Untagged attempts draw on the same limit, so shares, culprits and fixes are wrong by as much as is untagged.",
  severity: "warning",
  needs: [],
  options: {
    maxShare: {
      default: 0.1,
      unit: "share",
      reason: "below a tenth the shares of the agents stay right within a tenth",
    },
    minAttempts: { default: 50, unit: "count", reason: "a bucket with less traffic cannot be a busy one" },
  },
  messages: {
    untagged: "{untagged} of {attempts} attempts on {bucket} name no agent ({share}).",
  },
  check(log, options) {
    const findings = bucketTraffic(log).flatMap(({ bucket }) => {
      const found = untaggedIn(log, bucket, options);
      return found === null ? [] : [found];
    });
    if (findings.length > 0)
      return { outcome: "found", findings, because: "more than the allowed share is untagged" };
    const most = agentTraffic(log).reduce(
      (max, one) => Math.max(max, one.agent === 0 ? one.shareOfAttempts : 0),
      0,
    );
    return {
      outcome: "clear",
      because: `at most ${(most * 100).toFixed(0)} % of a busy bucket's attempts are untagged`,
    };
  },
};

function untaggedIn(log: RequestLog, bucket: number, options: OptionValues<Option>): RuleFinding | null {
  const attempts = bucketTraffic(log)[bucket]?.rows.length ?? 0;
  const untagged = agentTraffic(log).find((one) => one.bucket === bucket && one.agent === 0);
  if (
    untagged === undefined ||
    attempts < options.minAttempts ||
    untagged.shareOfAttempts <= options.maxShare
  )
    return null;
  const [first = 0] = untagged.rows;
  return {
    subject: { bucket: bucketId(log, bucket) },
    message: "untagged",
    numbers: {
      share: { value: untagged.shareOfAttempts, unit: "share", limit: options.maxShare },
      untagged: { value: untagged.rows.length, unit: "count" },
      attempts: { value: attempts, unit: "count" },
    },
    evidence: [{ attempt: first, note: "first attempt without an agent" }],
    fixes: [
      {
        kind: "tag",
        advice:
          'Send the agent and the run with every request, e.g. metadata.user_id "agent:NAME:run:ID", and write both into the log.',
      },
    ],
    harm: { refusals: untagged.throttled, lostMs: 0, failedCalls: 0 },
  };
}
