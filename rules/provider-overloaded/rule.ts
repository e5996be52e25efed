import { bucketId } from "../../src/measure/pacing.ts";
import { type BucketTraffic, bucketTraffic } from "../../src/measure/traffic.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { OUTCOME } from "../../src/model/outcome.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "minOverloaded" | "minShare" | "pauseMs";

/** The provider has no capacity. It is nobody's fault in the pipeline, and slowing down does not help. */
export const rule: Rule<Option> = {
  id: "provider-overloaded",
  title: "The provider is overloaded; it is not your limit",
  why: "529 and 503 say that the provider has no room for anybody: a slower client waits longer and gets no more.",
  severity: "warning",
  needs: ["status"],
  options: {
    minOverloaded: { default: 10, unit: "count", reason: "a few of these happen on any day" },
    minShare: {
      default: 0.02,
      unit: "share",
      reason: "of the attempts of the stretch; below it retries hide it",
    },
    pauseMs: { default: 120_000, unit: "ms", reason: "overload within two minutes is one episode" },
  },
  messages: {
    overloaded:
      "{overloaded} of {attempts} attempts on {bucket} met an overloaded provider within {length} ({share}); your own rate limit refused {throttled} meanwhile.",
  },
  check(log, options) {
    const findings = bucketTraffic(log).flatMap((traffic) => worstEpisode(log, traffic, options));
    if (findings.length > 0)
      return { outcome: "found", findings, because: "the provider said that it is overloaded" };
    return { outcome: "clear", because: "the provider reported no lasting overload" };
  },
};

function worstEpisode(log: RequestLog, traffic: BucketTraffic, options: OptionValues<Option>): RuleFinding[] {
  const { attempts } = log;
  const rows = traffic.rows.filter((row) => attempts.outcome[row] === OUTCOME.overloaded);
  const episodes: number[][] = [];
  for (const row of rows) {
    const current = episodes.at(-1);
    const last = current?.at(-1);
    if (
      current !== undefined &&
      last !== undefined &&
      (attempts.sentMs[row] ?? 0) - (attempts.sentMs[last] ?? 0) <= options.pauseMs
    )
      current.push(row);
    else episodes.push([row]);
  }
  const worst = episodes.toSorted((a, b) => b.length - a.length)[0] ?? [];
  const first = worst[0] ?? 0;
  const last = worst.at(-1) ?? first;
  const inside = traffic.rows.filter((row) => row >= first && row <= last);
  const share = worst.length / Math.max(1, inside.length);
  if (worst.length < options.minOverloaded || share < options.minShare) return [];
  const bucket = bucketId(log, traffic.bucket);
  const throttled = inside.filter((row) => attempts.outcome[row] === OUTCOME.throttled).length;
  return [
    {
      subject: { bucket },
      message: "overloaded",
      numbers: {
        overloaded: { value: worst.length, unit: "count", limit: options.minOverloaded },
        attempts: { value: inside.length, unit: "count" },
        share: { value: share, unit: "share", limit: options.minShare },
        length: { value: (attempts.sentMs[last] ?? 0) - (attempts.sentMs[first] ?? 0), unit: "ms" },
        throttled: { value: throttled, unit: "count" },
      },
      evidence: [
        { attempt: first, note: "the overload begins" },
        { attempt: last, note: "its last sign" },
      ],
      fixes: [
        {
          kind: "retry",
          bucket,
          obeyRetryAfter: true,
          baseMs: 2_000,
          factor: 2,
          capMs: 60_000,
          jitter: "full",
          maxAttempts: 6,
        },
        { kind: "break", bucket, openAfter: 10, windowMs: 30_000, pauseMs: 30_000 },
      ],
      harm: { refusals: worst.length, lostMs: 0, failedCalls: 0 },
    },
  ];
}
