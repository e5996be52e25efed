import { agentAt, bucketAt, isThrottled } from "../../src/measure/attempts.ts";
import { callsOf } from "../../src/measure/calls.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { ownerOf, type Retry, transientRetries } from "../../src/measure/retries.ts";
import { quantile } from "../../src/measure/statistics.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "minCalls" | "minWaves" | "togetherMs" | "togetherShare" | "sameGapShare" | "manyAgents";

/**
 *   refused  ||||||      the same wait for all ...
 *   retried        ||||||      ... lands them together, to be refused together
 */
export const rule: Rule<Option> = {
  id: "unjittered-retries",
  title: "Retries land together, wave after wave",
  why: "Calls that were refused together and wait equally long come back together and are refused together.",
  severity: "warning",
  needs: ["status"],
  options: {
    minCalls: { default: 4, unit: "count", reason: "three retries together are chance" },
    minWaves: { default: 2, unit: "count", reason: "one wave is one refusal; a second shows the rhythm" },
    togetherMs: { default: 250, unit: "ms", reason: "within the spread of latencies" },
    togetherShare: {
      default: 0.05,
      unit: "share",
      reason: "of the wait: independent jitter would spread them over half of it",
    },
    sameGapShare: {
      default: 0.8,
      unit: "share",
      reason: "of a wave's waits must be equal; a few others fall in between",
    },
    manyAgents: {
      default: 3,
      unit: "count",
      reason: "with more agents than this it is one shared client: one finding",
    },
  },
  messages: {
    agent:
      "{agent} retried in {waves} waves of up to {calls} calls within {window} of each other, each after the same wait of {wait}; {again} of those retries were refused again.",
    shared:
      "{agents} retried in {waves} waves of up to {calls} calls within {window} of each other, each after the same wait of {wait}; {again} of those retries were refused again.",
  },
  check(log, options) {
    const retries = transientRetries(log);
    if (retries.length < options.minCalls)
      return { outcome: "clear", because: `${retries.length} retries in the log` };
    const owners = groupBy(retries, (retry) => ownerOf(log, retry));
    const guilty = [...owners.values()].flatMap((own) => {
      const waves = wavesOf(log, own, options);
      return waves.length >= options.minWaves ? [waves] : [];
    });
    if (guilty.length === 0) return { outcome: "clear", because: "retries are spread over time" };
    const byBucket = groupBy(guilty, ([wave]) => bucketAt(log, wave?.[0]?.to ?? 0));
    const findings = [...byBucket.values()].flatMap((agents) =>
      agents.length > options.manyAgents
        ? [finding(log, agents.flat())]
        : agents.map((waves) => finding(log, waves)),
    );
    return { outcome: "found", findings, because: "equal waits bring the retries back together" };
  },
};

type Wave = readonly Retry[];

/** Groups of retries that land together after equal waits, in which at least one is refused again. Greedy, in order of time. */
function wavesOf(log: RequestLog, retries: readonly Retry[], options: OptionValues<Option>): Wave[] {
  const { attempts } = log;
  const calls = callsOf(log);
  const waves: Wave[] = [];
  for (let start = 0; start < retries.length; ) {
    const from = attempts.sentMs[retries[start]?.to ?? 0] ?? 0;
    const window = Math.max(options.togetherMs, options.togetherShare * (retries[start]?.gapMs ?? 0));
    let end = start;
    while (end < retries.length && (attempts.sentMs[retries[end]?.to ?? 0] ?? 0) <= from + window) end++;
    const together = retries.slice(start, end);
    const wait =
      quantile(
        together.map((retry) => retry.gapMs),
        0.5,
      ) ?? 0;
    const near = Math.max(options.togetherMs / 5, options.togetherShare * wait);
    const equal = together.filter((retry) => Math.abs(retry.gapMs - wait) <= near);
    const distinct = new Set(equal.map((retry) => calls.of[retry.to] ?? 0)).size;
    const isWave =
      wait > 0 && distinct >= options.minCalls && equal.length >= options.sameGapShare * together.length;
    if (isWave && equal.some((retry) => isThrottled(attempts, retry.to))) waves.push(equal);
    start = end;
  }
  return waves;
}

function finding(log: RequestLog, waves: readonly Wave[]): RuleFinding {
  const largest = waves.toSorted((a, b) => b.length - a.length)[0] ?? [];
  const all = waves.flat();
  const agents = [...new Set(all.map((retry) => agentAt(log, retry.to)))].toSorted();
  const [agent = ""] = agents;
  const shared = agents.length > 1 || agent === "";
  const named = shared ? {} : { agent };
  const sent = largest.map((retry) => log.attempts.sentMs[retry.to] ?? 0);
  const bucket = bucketId(log, bucketAt(log, largest[0]?.to ?? 0));
  const wait =
    quantile(
      all.map((retry) => retry.gapMs),
      0.5,
    ) ?? 0;
  const again = all.filter((retry) => isThrottled(log.attempts, retry.to)).length;
  return {
    subject: { ...named, bucket },
    message: shared ? "shared" : "agent",
    numbers: {
      waves: { value: waves.length, unit: "count" },
      calls: { value: largest.length, unit: "count" },
      window: { value: Math.max(...sent) - Math.min(...sent), unit: "ms" },
      wait: { value: wait, unit: "ms" },
      again: { value: again, unit: "count" },
    },
    words: { agents: agents.map((name) => name || "untagged traffic").join(", ") },
    evidence: [
      { attempt: largest[0]?.to ?? 0, note: "first retry of the largest wave" },
      { attempt: largest.at(-1)?.to ?? 0, note: "last retry of the largest wave" },
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
        jitterMs: Math.max(1_000, Math.min(30_000, wait)),
        maxAttempts: 6,
      },
    ],
    harm: { refusals: again, lostMs: 0, failedCalls: 0 },
  };
}
