import { agentAt } from "../../src/measure/attempts.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { limitOf } from "../../src/measure/limits.ts";
import { type OverloadEpisode, overloadEpisodes } from "../../src/measure/overload.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { randomBackoff } from "../../src/measure/remedies.ts";
import { share } from "../../src/measure/traffic.ts";
import type { SeparateFix } from "../../src/model/fix.ts";
import type { RequestLog } from "../../src/model/log.ts";
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
      default: 0.03,
      unit: "share",
      reason: "of the attempts of the stretch; below it, ordinary retries hide it",
    },
    pauseMs: { default: 120_000, unit: "ms", reason: "overload within two minutes is one episode" },
  },
  messages: {
    underLimit:
      "{overloaded} of {attempts} attempts on {bucket} met an overloaded provider within {length} ({share}), and {failed} calls failed for it. You started calls at {rate} with a limit of {rate.limit}, and your limit refused {throttled}: slowing down would not have helped.",
    beside:
      "{overloaded} of {attempts} attempts on {bucket} met an overloaded provider within {length} ({share}), and {failed} calls failed for it. You started calls at {rate}, after {rateBefore} before, and your limit refused {throttled}: slowing down would not have helped.",
    overloaded:
      "{overloaded} of {attempts} attempts on {bucket} met an overloaded provider within {length} ({share}), and {failed} calls failed for it. You started calls at {rate}, and your limit refused {throttled}.",
  },
  check(log, options) {
    const all = overloadEpisodes(log, options.pauseMs);
    const loud = all.filter(
      ({ overloaded, rows }) =>
        overloaded.length >= options.minOverloaded && overloaded.length >= options.minShare * rows.length,
    );
    const total = all.reduce((sum, { overloaded }) => sum + overloaded.length, 0);
    const because = `${total} overloaded answers in ${all.length} episodes, ${loud.length} of them more than ordinary`;
    if (total === 0) return { outcome: "clear", because: "no attempt met an overloaded provider" };
    if (loud.length === 0) return { outcome: "clear", because };
    const findings = [...groupBy(loud, ({ bucket }) => bucket).values()].map((own) =>
      finding(log, own, options),
    );
    return { outcome: "found", findings, because };
  },
};

function finding(
  log: RequestLog,
  episodes: readonly OverloadEpisode[],
  options: OptionValues<Option>,
): RuleFinding {
  const [worst] = episodes.toSorted((a, b) => b.overloaded.length - a.overloaded.length);
  if (worst === undefined) throw new RangeError("a finding has an episode");
  const { bucket, overloaded, rows, startsPerMinute: rate, startsBefore } = worst;
  const [first = 0, last = first] = [overloaded[0], overloaded.at(-1)];
  const sum = (valueOf: (episode: OverloadEpisode) => number): number =>
    episodes.reduce((total, episode) => total + valueOf(episode), 0);
  const limit = limitOf(log, bucket, "requests")?.perMinute ?? null;
  const id = bucketId(log, bucket);
  return {
    subject: { bucket: id },
    message: limit !== null && rate <= limit ? "underLimit" : startsBefore === null ? "overloaded" : "beside",
    numbers: {
      overloaded: { value: overloaded.length, unit: "count", limit: options.minOverloaded },
      attempts: { value: rows.length, unit: "count" },
      share: { value: share(overloaded.length, rows.length), unit: "share", limit: options.minShare },
      length: { value: worst.toMs - worst.fromMs, unit: "ms" },
      throttled: { value: worst.throttled, unit: "count" },
      rate: { value: rate, unit: "per-minute", ...(limit === null ? {} : { limit }) },
      ...(startsBefore === null ? {} : { rateBefore: { value: startsBefore, unit: "per-minute" } }),
      episodes: { value: episodes.length, unit: "count" },
      failed: { value: sum((episode) => episode.failedCalls), unit: "count" },
    },
    evidence: [
      { attempt: first, note: "the overload begins" },
      ...(last === first ? [] : [{ attempt: last, note: "its last sign" }]),
    ],
    fixes: [randomBackoff(log, bucket), failover(log, overloaded, id)],
    harm: {
      refusals: sum((episode) => episode.overloaded.length),
      lostMs: 0,
      failedCalls: sum((episode) => episode.failedCalls),
    },
  };
}

/** The agent that was hit most goes elsewhere while it lasts. */
function failover(log: RequestLog, overloaded: readonly number[], from: string): SeparateFix {
  const byAgent = [...groupBy(overloaded, (row) => agentAt(log, row))];
  const [most] = byAgent.toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const to = "another model class or provider while the overload lasts";
  return { kind: "separate", agent: most?.[0] ?? "", from, to };
}
