import { blindTraffic, type KeyTraffic, keyTraffic, realUnpaid } from "../../src/measure/accounts.ts";
import { bucketAt } from "../../src/measure/attempts.ts";
import { callsOf } from "../../src/measure/calls.ts";
import { errorNamesOf } from "../../src/measure/error-names.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding, Subject } from "../../src/model/rule.ts";

type Option = "outageMs" | "minUnexplained" | "minSpanMs" | "calmPerMinute";

/** Money, not rate: no pacing brings an answer. */
export const rule: Rule<Option> = {
  id: "quota-exhausted",
  symptom: 6,
  title: "The account is out of quota or credit",
  why: "A billing refusal looks like a 429 and never passes: retries and limiters only hide who has to pay.",
  severity: "error",
  needs: ["status"],
  options: {
    outageMs: {
      default: 300_000,
      unit: "ms",
      reason: "a limit that refills lets something through within five minutes, an empty account does not",
    },
    minUnexplained: {
      default: 5,
      unit: "count",
      reason: "without a billing code, fewer refusals show nothing",
    },
    minSpanMs: {
      default: 60_000,
      unit: "ms",
      reason: "without a billing code: a limit per minute lets something through within a minute",
    },
    calmPerMinute: {
      default: 30,
      unit: "per-minute",
      reason: "slower than one call in two seconds is no burst for any paid tier",
    },
  },
  messages: {
    billing:
      "{refused} attempts with {keys} were refused for money: {errors} from {provider}. {successes} attempts passed.",
    unexplained:
      "All {refused} attempts with {keys} on {bucket} were refused from the first one on, in {span}, with new calls at {peak} at most and no word about a rate. Probably billing or a model that is not enabled; the log does not say which.",
  },
  check(log, options) {
    const traffic = keyTraffic(log);
    const unpaid = traffic.flatMap((one) => {
      const rows = realUnpaid(log, one, options.outageMs);
      return rows.length === 0 ? [] : [{ ...one, unpaid: rows }];
    });
    const accounts = groupBy(unpaid, ({ provider, org }) => JSON.stringify([provider, org]));
    const findings = [
      ...[...accounts.values()].map((keys) => billingFinding(log, keys)),
      ...traffic.flatMap((one) => unexplainedFindings(log, one, options)),
    ];
    if (findings.length > 0)
      return { outcome: "found", findings, because: "refusals that have nothing to do with the rate" };
    const billed = traffic.reduce((sum, one) => sum + one.unpaid.length, 0);
    const because =
      billed === 0
        ? "no refusal names billing or quota"
        : `${billed} refusals name billing or quota, but the same key passes minutes before and after`;
    return { outcome: "clear", because };
  },
};

function billingFinding(log: RequestLog, keys: readonly KeyTraffic[]): RuleFinding {
  const rows = keys.flatMap(({ unpaid }) => unpaid).toSorted((a, b) => a - b);
  const [first = 0, last = first] = [rows[0], rows.at(-1)];
  const calls = callsOf(log);
  const failed = new Set(rows.filter((row) => calls.last[calls.of[row] ?? 0] === row));
  return {
    subject: subjectOf(log, keys, rows),
    message: "billing",
    numbers: {
      refused: { value: rows.length, unit: "count" },
      successes: { value: keys.reduce((sum, { passedMs }) => sum + passedMs.length, 0), unit: "count" },
    },
    words: {
      keys: keyNames(keys),
      errors: errorNamesOf(log, rows).slice(0, 3).join(", "),
      provider: keys[0]?.provider || "the provider",
    },
    evidence: [
      { attempt: first, note: "first refusal for money" },
      ...(last === first ? [] : [{ attempt: last, note: "last refusal for money" }]),
    ],
    fixes: [billingFix],
    harm: { refusals: rows.length, lostMs: 0, failedCalls: failed.size },
  };
}

/** The bucket that was refused most; the key where only one was. */
function subjectOf(log: RequestLog, keys: readonly KeyTraffic[], rows: readonly number[]): Subject {
  const byBucket = [...groupBy(rows, (row) => bucketId(log, bucketAt(log, row)))];
  const [most] = byBucket.toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const key = keys.length === 1 ? (keys[0]?.key ?? "") : "";
  return { bucket: most?.[0] ?? "", ...(key === "" ? {} : { key }) };
}

function keyNames(keys: readonly KeyTraffic[]): string {
  const told = keys.flatMap(({ key }) => (key === "" ? [] : [key])).toSorted();
  if (told.length === 0) return "this account";
  return told.length === 1 ? `key ${told[0]}` : `${told.length} keys`;
}

const billingFix = {
  kind: "billing",
  advice:
    "Look at the billing page of this account: credit, spend limit, payment. Stop retrying this error; nothing in a limiter helps.",
} as const;

function unexplainedFindings(
  log: RequestLog,
  traffic: KeyTraffic,
  options: OptionValues<Option>,
): RuleFinding[] {
  const blind = blindTraffic(log, traffic).filter(
    ({ rows, spanMs, startsPerMinute }) =>
      rows.length >= options.minUnexplained &&
      spanMs >= options.minSpanMs &&
      startsPerMinute <= options.calmPerMinute,
  );
  return blind.map(({ rows, spanMs, starts, startsPerMinute }): RuleFinding => {
    const [first = 0, last = first] = [rows[0], rows.at(-1)];
    return {
      severity: "warning",
      subject: subjectOf(log, [traffic], rows),
      message: "unexplained",
      numbers: {
        refused: { value: rows.length, unit: "count", limit: options.minUnexplained },
        span: { value: spanMs, unit: "ms", limit: options.minSpanMs },
        peak: { value: startsPerMinute, unit: "per-minute", limit: options.calmPerMinute },
      },
      words: { keys: keyNames([traffic]) },
      evidence: [
        { attempt: first, note: "the first attempt of the log, refused" },
        { attempt: last, note: "the last one, refused" },
      ],
      fixes: [billingFix],
      harm: { refusals: rows.length, lostMs: 0, failedCalls: starts },
    };
  });
}
