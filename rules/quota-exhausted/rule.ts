import { isOk, isThrottled } from "../../src/measure/attempts.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { limitsOf } from "../../src/measure/limits.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { type BucketTraffic, bucketTraffic } from "../../src/measure/traffic.ts";
import { NOT_TOLD, type RequestLog } from "../../src/model/log.ts";
import { OUTCOME } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "nearMs" | "minUnexplained" | "calmPerMinute";

/** Money, not rate: no pacing brings an answer. */
export const rule: Rule<Option> = {
  id: "quota-exhausted",
  symptom: 6,
  title: "The account is out of quota or credit",
  why: "A billing refusal looks like a 429 and never passes: retries and limiters only hide who has to pay.",
  severity: "error",
  needs: ["status"],
  options: {
    nearMs: {
      default: 600_000,
      unit: "ms",
      reason:
        "a success within ten minutes before and after shows that the code stood for a limit that refills",
    },
    minUnexplained: {
      default: 5,
      unit: "count",
      reason: "without a billing code, fewer refusals show nothing",
    },
    calmPerMinute: {
      default: 30,
      unit: "per-minute",
      reason: "slower than one send in two seconds is no burst for any paid tier",
    },
  },
  messages: {
    billing: "{refused} attempts on {bucket} were refused for billing ({error}){key}; {successes} passed.",
    unexplained:
      "All {refused} attempts on {bucket} were refused from the first one on, without a burst and without a word about a rate. Probably billing or an entitlement; the log does not say.",
  },
  check(log, options) {
    const findings = bucketTraffic(log).flatMap((traffic) => [
      ...billingFindings(log, traffic, options),
      ...unexplainedFinding(log, traffic, options),
    ]);
    if (findings.length > 0)
      return { outcome: "found", findings, because: "the provider refuses for money, not for rate" };
    return { outcome: "clear", because: "no refusal names billing or quota" };
  },
};

function billingFindings(
  log: RequestLog,
  traffic: BucketTraffic,
  options: OptionValues<Option>,
): RuleFinding[] {
  const keyOf = (row: number): string => log.origins[log.attempts.origin[row] ?? 0]?.key ?? "";
  return [...groupBy(traffic.rows, keyOf)].flatMap(([key, rows]): RuleFinding[] => {
    const refused = rows.filter((row) => log.attempts.outcome[row] === OUTCOME.quota);
    const passed = rows.filter((row) => isOk(log.attempts, row));
    const real = refused.filter((row) => !betweenSuccesses(log, row, passed, options.nearMs));
    const [first] = real;
    if (first === undefined) return [];
    const error = log.errors[log.attempts.error[first] ?? 0];
    return [
      {
        subject: { bucket: bucketId(log, traffic.bucket), ...(key === "" ? {} : { key }) },
        message: "billing",
        numbers: {
          refused: { value: real.length, unit: "count" },
          successes: { value: passed.length, unit: "count" },
        },
        words: {
          error: error?.code || error?.type || `HTTP ${log.attempts.status[first]}`,
          key: key === "" ? "" : ` with key ${key}`,
        },
        evidence: [
          { attempt: first, note: "first billing refusal" },
          { attempt: real.at(-1) ?? first, note: "last billing refusal" },
        ],
        fixes: [billingFix],
        harm: { refusals: real.length, lostMs: 0, failedCalls: real.length },
      },
    ];
  });
}

const billingFix = {
  kind: "billing",
  advice:
    "Look at the billing page of this account: credit, spend limit, payment. Stop retrying this error; nothing in a limiter helps.",
} as const;

/** Some providers use a billing code for a limit per minute: then the key works minutes before and minutes after. */
function betweenSuccesses(log: RequestLog, row: number, passed: readonly number[], nearMs: number): boolean {
  const at = log.attempts.sentMs[row] ?? 0;
  const times = passed.map((one) => log.attempts.sentMs[one] ?? 0);
  return times.some((t) => t < at && t >= at - nearMs) && times.some((t) => t > at && t <= at + nearMs);
}

/** Refused from the first send on, calmly, with nothing that names a rate: no hint, no limit, no dimension. */
function unexplainedFinding(
  log: RequestLog,
  traffic: BucketTraffic,
  options: OptionValues<Option>,
): RuleFinding[] {
  const { attempts } = log;
  const { rows } = traffic;
  const blind = rows.every(
    (row) =>
      isThrottled(attempts, row) && attempts.dimension[row] === 0 && attempts.retryAfterMs[row] === NOT_TOLD,
  );
  const limits = limitsOf(log).some((limit) => limit.bucket === traffic.bucket && limit.source === "headers");
  const [first] = rows;
  if (
    first === undefined ||
    !blind ||
    limits ||
    rows.length < options.minUnexplained ||
    traffic.peakPerMinute > options.calmPerMinute
  )
    return [];
  return [
    {
      severity: "warning",
      subject: { bucket: bucketId(log, traffic.bucket) },
      message: "unexplained",
      numbers: { refused: { value: rows.length, unit: "count", limit: options.minUnexplained } },
      evidence: [{ attempt: first, note: "the first attempt of the log" }],
      fixes: [billingFix],
      harm: { refusals: rows.length, lostMs: 0, failedCalls: traffic.calls },
    },
  ];
}
