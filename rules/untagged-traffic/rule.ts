import { isThrottled } from "../../src/measure/attempts.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { type AgentTraffic, agentTraffic, bucketTraffic } from "../../src/measure/traffic.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { EvidenceRef, OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

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
    some: "{untagged} of {attempts} attempts on {bucket} name no agent ({share}); {refused} of these were refused. No share of an agent is known better than that.",
    all: "None of {attempts} attempts on {bucket} names an agent; {refused} of them were refused. Nobody can be named as the cause.",
  },
  check(log, options) {
    const busy = bucketTraffic(log).filter(({ rows }) => rows.length >= options.minAttempts);
    if (busy.length === 0)
      return { outcome: "not-applicable", because: `no bucket has ${options.minAttempts} attempts` };
    const untagged = agentTraffic(log).filter(
      (one) => one.agent === 0 && busy.some(({ bucket }) => bucket === one.bucket),
    );
    const findings = untagged
      .filter((one) => one.shareOfAttempts > options.maxShare)
      .map((one) => finding(log, one, options));
    const most = percent(untagged.reduce((max, one) => Math.max(max, one.shareOfAttempts), 0));
    const limit = `the threshold is ${percent(options.maxShare)}`;
    return findings.length > 0
      ? { outcome: "found", findings, because: `${most} of a busy bucket's attempts name no agent; ${limit}` }
      : { outcome: "clear", because: `at most ${most} of a busy bucket's attempts name no agent; ${limit}` };
  },
};

function finding(log: RequestLog, untagged: AgentTraffic, options: OptionValues<Option>): RuleFinding {
  const attempts = bucketTraffic(log)[untagged.bucket]?.rows.length ?? 0;
  return {
    subject: { bucket: bucketId(log, untagged.bucket) },
    message: untagged.rows.length === attempts ? "all" : "some",
    numbers: {
      share: { value: untagged.shareOfAttempts, unit: "share", limit: options.maxShare },
      untagged: { value: untagged.rows.length, unit: "count" },
      attempts: { value: attempts, unit: "count" },
      refused: { value: untagged.throttled, unit: "count" },
    },
    evidence: evidenceIn(log, untagged),
    fixes: [{ kind: "tag", advice: adviceFor(log.buckets[untagged.bucket]?.provider ?? "") }],
    // A missing name refuses nothing: it hides who did.
    harm: { refusals: 0, lostMs: 0, failedCalls: 0 },
  };
}

function evidenceIn(log: RequestLog, { rows }: AgentTraffic): EvidenceRef[] {
  const [first = 0] = rows;
  const refused = rows.find((row) => isThrottled(log.attempts, row));
  return [
    { attempt: first, note: "first attempt without an agent" },
    ...(refused === undefined || refused === first
      ? []
      : [{ attempt: refused, note: "first of them to be refused" }]),
  ];
}

/** Where each provider's requests can carry a name that the reader finds again in the log. */
const CARRIERS: { readonly [provider: string]: string } = {
  anthropic: 'metadata {"user_id": "agent:NAME:run:ID"}',
  openai: 'metadata {"agent": "NAME", "run": "ID"}',
};

function adviceFor(provider: string): string {
  const carrier = CARRIERS[provider] ?? 'the tag "agent:NAME"';
  return `Send ${carrier} with every request and log it; where the log has the name under another field, read it with --map agent=FIELD.`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
