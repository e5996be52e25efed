import { agentAt, bucketAt, isOk } from "../../src/measure/attempts.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { type Retry, retriesOf } from "../../src/measure/retries.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { OUTCOME } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "minRepeats";

const FINAL: ReadonlySet<number> = new Set([OUTCOME.permanent, OUTCOME.quota]);

/** The same request, sent again after an answer that will never change. */
export const rule: Rule<Option> = {
  id: "permanent-error-retried",
  title: "Errors that cannot pass are sent again",
  why: "A bad request, a wrong key or an empty account stays so: every repeat costs time and quota and delays the real message.",
  severity: "error",
  needs: ["status"],
  options: {
    minRepeats: { default: 3, unit: "count", reason: "one or two repeats can be a person trying again" },
  },
  messages: {
    retried: "{agent} repeated {error} {repeats} times; it failed again {again} times.",
  },
  check(log, options) {
    const repeats = retriesOf(log).filter((retry) => FINAL.has(log.attempts.outcome[retry.from] ?? 0));
    const groups = groupBy(
      repeats,
      (retry) => `${bucketAt(log, retry.from)}\0${agentAt(log, retry.from)}\0${errorName(log, retry.from)}`,
    );
    const guilty = [...groups.values()].filter((group) => isGuilty(log, group, options));
    if (guilty.length > 0)
      return {
        outcome: "found",
        findings: guilty.map((group) => finding(log, group, options)),
        because: "final errors were repeated",
      };
    return { outcome: "clear", because: `${repeats.length} repeats of an error that cannot pass` };
  },
};

/** Repeats that mostly pass show an error that is not final after all. */
function isGuilty(log: RequestLog, repeats: readonly Retry[], options: OptionValues<Option>): boolean {
  const passed = repeats.filter((retry) => isOk(log.attempts, retry.to)).length;
  return repeats.length >= options.minRepeats && passed * 2 <= repeats.length;
}

function errorName(log: RequestLog, row: number): string {
  const status = log.attempts.status[row] ?? 0;
  const error = log.errors[log.attempts.error[row] ?? 0];
  const name = error?.code || error?.type || "";
  return [status === 0 ? "" : `HTTP ${status}`, name].filter((part) => part !== "").join(" ") || "an error";
}

function finding(log: RequestLog, repeats: readonly Retry[], options: OptionValues<Option>): RuleFinding {
  const from = repeats[0]?.from ?? 0;
  const agent = agentAt(log, from);
  const named = agent === "" ? {} : { agent };
  const wasted = repeats.reduce(
    (sum, retry) => sum + Math.max(0, retry.gapMs) + Math.max(0, log.attempts.durationMs[retry.to] ?? 0),
    0,
  );
  return {
    subject: { ...named, bucket: bucketId(log, bucketAt(log, from)) },
    message: "retried",
    numbers: {
      repeats: { value: repeats.length, unit: "count", limit: options.minRepeats },
      again: { value: repeats.filter((retry) => !isOk(log.attempts, retry.to)).length, unit: "count" },
      wasted: { value: wasted, unit: "ms" },
    },
    words: { error: errorName(log, from) },
    evidence: [
      { attempt: from, note: "the error" },
      { attempt: repeats[0]?.to ?? from, note: "sent again" },
    ],
    fixes: [
      {
        kind: "classify",
        ...named,
        transient: [408, 429, 500, 502, 503, 504, 529],
        permanent: [400, 401, 402, 403, 404, 413, 422],
      },
    ],
    harm: {
      refusals: repeats.length,
      lostMs: wasted,
      failedCalls: new Set(repeats.map((retry) => log.attempts.call[retry.from])).size,
    },
  };
}
