import { agentAt, bucketAt, isThrottled } from "../../src/measure/attempts.ts";
import { callsOf } from "../../src/measure/calls.ts";
import { equalWaits } from "../../src/measure/equal-waits.ts";
import { groupBy } from "../../src/measure/grouping.ts";
import { areNegligible, incidentsAt } from "../../src/measure/incident-at.ts";
import { bucketId } from "../../src/measure/pacing.ts";
import { politeRetry } from "../../src/measure/remedies.ts";
import { ownerOf, type Retry, transientRetries } from "../../src/measure/retries.ts";
import { quantile } from "../../src/measure/statistics.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

type Option = "minCalls" | "minWaves" | "togetherMs" | "togetherShare" | "manyAgents";

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
    togetherMs: { default: 250, unit: "ms", reason: "the spread of latencies" },
    togetherShare: {
      default: 0.05,
      unit: "share",
      reason: "of the wait: independent jitter spreads calls over a quarter of it at least",
    },
    manyAgents: {
      default: 3,
      unit: "count",
      reason: "when more agents than this do the same, it is one shared client: one finding",
    },
  },
  messages: {
    agent:
      "{agent} retried in {waves} waves of up to {calls} calls within {window}, each after the same wait of {wait}; {again} of those {retries} retries were refused again.",
    shared:
      "{agents} retried in {waves} waves of up to {calls} calls within {window}, each after the same wait of {wait}; {again} of those {retries} retries were refused again.",
  },
  check(log, options) {
    const retries = transientRetries(log).length;
    const equal = equalWaits(log);
    if (retries === 0) return { outcome: "clear", because: "nothing was retried" };
    const findings = [...groupBy(equal, (retry) => bucketAt(log, retry.to)).values()].flatMap((own) =>
      guiltyOf(log, own, options).map((waves) => finding(log, waves, options)),
    );
    if (findings.length > 0)
      return {
        outcome: "found",
        findings,
        because: `${equal.length} of ${retries} retries waited equally long`,
      };
    if (!log.facts.calls.present && !log.facts.attempts.present)
      return { outcome: "unknown", because: `${retries} retries, but ${log.facts.calls.because}` };
    const because =
      equal.length === 0
        ? `the waits of ${retries} retries differ`
        : `${equal.length} of ${retries} retries waited equally long, but no waves of them were refused again`;
    return { outcome: "clear", because };
  },
};

type Wave = readonly Retry[];

/** The waves of each guilty agent of one bucket; of all together where many agents, or only several together, make them. */
function guiltyOf(log: RequestLog, retries: readonly Retry[], options: OptionValues<Option>): Wave[][] {
  const enough = (waves: readonly Wave[]): boolean => waves.length >= options.minWaves;
  const owners = [...groupBy(retries, (retry) => ownerOf(log, retry)).values()];
  const guilty = owners.map((own) => wavesOf(log, own, options)).filter(enough);
  if (guilty.length > 0 && guilty.length <= options.manyAgents) return guilty;
  const members = new Set(guilty.flat(2));
  if (members.size > 0) {
    // What lands together is one wave, whoever sent it.
    const shared = retries.filter((retry) => members.has(retry));
    return [wavesOf(log, shared, options)];
  }
  return [wavesOf(log, retries, options)].filter(enough);
}

/** Groups of retries of different calls that land together, of which at least one is refused again. In order of time. */
function wavesOf(log: RequestLog, retries: readonly Retry[], options: OptionValues<Option>): Wave[] {
  const { attempts } = log;
  const calls = callsOf(log);
  const waves: Wave[] = [];
  for (let start = 0; start < retries.length; ) {
    const first = retries[start];
    const from = attempts.sentMs[first?.to ?? 0] ?? 0;
    const window = Math.max(options.togetherMs, options.togetherShare * (first?.gapMs ?? 0));
    let end = start;
    while (end < retries.length && (attempts.sentMs[retries[end]?.to ?? 0] ?? 0) <= from + window) end++;
    const together = retries.slice(start, end);
    const distinct = new Set(together.map((retry) => calls.of[retry.to] ?? 0)).size;
    const isWave = distinct >= options.minCalls && together.some((retry) => isThrottled(attempts, retry.to));
    if (isWave) waves.push(together);
    // A few retries ahead of a wave do not split it.
    start = isWave ? end : start + 1;
  }
  return waves;
}

function finding(log: RequestLog, waves: readonly Wave[], options: OptionValues<Option>): RuleFinding {
  const largest = waves.toSorted((a, b) => b.length - a.length)[0] ?? [];
  const all = waves.flat();
  const [first = 0, last = first] = [largest[0]?.to, largest.at(-1)?.to];
  const agents = [...new Set(all.map((retry) => agentAt(log, retry.to)))].toSorted();
  const agent = agents.length === 1 ? (agents[0] ?? "") : "";
  const bucket = bucketAt(log, first);
  const sent = largest.map((retry) => log.attempts.sentMs[retry.to] ?? 0);
  const waits = all.map((retry) => retry.gapMs);
  const again = all.filter((retry) => isThrottled(log.attempts, retry.to)).length;
  const incidents = incidentsAt(
    log,
    all.map((retry) => retry.from),
  );
  return {
    ...(areNegligible(log, incidents) ? { severity: "info" as const } : {}),
    subject: { ...(agent === "" ? {} : { agent }), bucket: bucketId(log, bucket) },
    ...(incidents[0] === undefined ? {} : { incident: incidents[0].id }),
    message: agent === "" ? "shared" : "agent",
    numbers: {
      waves: { value: waves.length, unit: "count", limit: options.minWaves },
      calls: { value: largest.length, unit: "count", limit: options.minCalls },
      window: { value: (sent.at(-1) ?? 0) - (sent[0] ?? 0), unit: "ms" },
      wait: { value: quantile(waits, 0.5) ?? 0, unit: "ms" },
      retries: { value: all.length, unit: "count" },
      again: { value: again, unit: "count" },
    },
    words: { agents: agents.map((name) => name || "untagged traffic").join(", ") },
    evidence: [
      { attempt: first, note: "first retry of the largest wave" },
      { attempt: last, note: "last retry of the largest wave" },
    ],
    fixes: [politeRetry(log, bucket, agent, largest.length)],
    harm: { refusals: again, lostMs: 0, failedCalls: 0 },
  };
}
