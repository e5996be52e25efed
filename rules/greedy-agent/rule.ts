import { groupBy } from "../../src/measure/grouping.ts";
import { harmOf } from "../../src/measure/harm.ts";
import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { type Neighbour, neighboursOf } from "../../src/measure/neighbours.ts";
import { bucketId, paceAgent } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding, Verdict } from "../../src/model/rule.ts";

type Option = "minShare" | "minShareOfCalls" | "minRefusals";

/** One agent fills the bucket that others share, and they are refused with it. */
export const rule: Rule<Option> = {
  id: "greedy-agent",
  symptom: 1,
  title: "One agent takes nearly all of a limit that others share",
  why: "A limit belongs to the organisation and the model, not to the agent: whoever floods it has everybody refused.",
  severity: "error",
  needs: ["status", "agents"],
  options: {
    minShare: {
      default: 0.8,
      unit: "share",
      reason: "with four fifths of the traffic, slowing anybody else changes nothing",
    },
    minShareOfCalls: {
      default: 0.5,
      unit: "share",
      reason: "below half of the first attempts the share comes from retries, not from work",
    },
    minRefusals: { default: 5, unit: "count", reason: "a stray refusal shows no pattern" },
  },
  messages: {
    attempts:
      "{agent} sent {shareOfAttempts} of the attempts ({shareOfCalls} of the first attempts; fair: {fairShare}) on {bucket} while it was refusing. Sharing the limit: {others}.",
    both: "{agent} sent {shareOfAttempts} of the attempts ({shareOfCalls} of the first attempts, {shareOfTokens} of the tokens; fair: {fairShare}) on {bucket} while it was refusing. Sharing the limit: {others}.",
    tokens:
      "{agent} used {shareOfTokens} of the tokens with {shareOfAttempts} of the attempts (fair: {fairShare}) on {bucket} while its token limit was refusing. Sharing the limit: {others}.",
  },
  check(log, options) {
    const incidents = incidentsOf(log)
      .filter((incident) => incident.throttled >= options.minRefusals)
      .toSorted((a, b) => b.throttled - a.throttled);
    const [worst] = incidents;
    if (worst === undefined)
      return { outcome: "clear", because: `no incident with at least ${options.minRefusals} refusals` };
    const greedy = incidents.flatMap((incident) => greedyIn(log, incident, options) ?? []);
    if (greedy.length === 0) return notFound(log, incidents, worst, options);
    const byCulprit = groupBy(greedy, ({ incident, agent }) => `${incident.bucket}\0${agent.name}`);
    const findings = [...byCulprit.values()].map((all) => finding(log, all, options));
    const most = greedy.reduce((max, one) => Math.max(max, one.share), 0);
    const because = `one agent had ${percent(most)} of an incident; the threshold is ${percent(options.minShare)}`;
    return { outcome: "found", findings, because };
  },
};

interface Greedy {
  readonly incident: Incident;
  readonly agent: IncidentAgent;
  readonly by: "attempts" | "tokens";
  readonly share: number;
  readonly others: readonly Neighbour[];
}

/** Where a token limit refuses, whoever has the tokens counts, however many calls the others make. */
function greedyIn(log: RequestLog, incident: Incident, options: OptionValues<Option>): Greedy | null {
  const isAboutTokens =
    incident.dimension.includes("tokens") && incident.agents.some((agent) => agent.shareOfTokens !== null);
  const by = isAboutTokens ? "tokens" : "attempts";
  const shareOf = (agent: IncidentAgent): number =>
    isAboutTokens ? (agent.shareOfTokens ?? 0) : agent.shareOfAttempts;
  const [agent] = incident.agents.toSorted((a, b) => shareOf(b) - shareOf(a));
  if (agent === undefined || agent.name === "") return null;
  const others = neighboursOf(log, incident).filter((one) => one.agent !== agent.agent);
  const isWork = isAboutTokens || agent.shareOfCalls >= options.minShareOfCalls;
  if (others.length === 0 || !isWork || shareOf(agent) < options.minShare) return null;
  return { incident, agent, by, share: shareOf(agent), others };
}

/** @param all of one culprit on one bucket, the incident with most refusals first */
function finding(log: RequestLog, all: readonly Greedy[], options: OptionValues<Option>): RuleFinding {
  const [worst] = all;
  if (worst === undefined) throw new RangeError("a greedy agent was counted and is gone");
  const { incident, agent, by, others } = worst;
  const own = incident.rows.find((row) => log.attempts.agent[row] === agent.agent) ?? incident.firstRefusal;
  const tokens = agent.shareOfTokens;
  return {
    ...(all.every((one) => isNegligible(log, one.incident)) ? { severity: "info" as const } : {}),
    subject: { agent: agent.name, bucket: bucketId(log, incident.bucket) },
    incident: incident.id,
    message: by === "attempts" && tokens !== null ? "both" : by,
    numbers: {
      shareOfAttempts: { value: agent.shareOfAttempts, unit: "share", limit: options.minShare },
      shareOfCalls: { value: agent.shareOfCalls, unit: "share" },
      ...(tokens === null ? {} : { shareOfTokens: { value: tokens, unit: "share" as const } }),
      fairShare: { value: 1 / (others.length + 1), unit: "share" },
      refusals: { value: incident.throttled, unit: "count" },
      othersRefused: { value: others.reduce((sum, other) => sum + other.throttled, 0), unit: "count" },
    },
    words: { others: namesOf(others) },
    evidence: [
      { attempt: own, note: `first attempt of ${agent.name} in the incident` },
      { attempt: incident.firstRefusal, note: "first refusal" },
    ],
    fixes: [paceAgent(log, incident, agent.name)],
    harm: harmOf(
      log,
      all.flatMap((one) => [...one.incident.rows]),
    ),
  };
}

/** More than this in a sentence are counted. */
const MOST_NAMES = 5;

/** The most refused first, with how often. */
function namesOf(others: readonly Neighbour[]): string {
  const named = others
    .slice(0, MOST_NAMES)
    .map(({ name, throttled }) => `${name || "untagged traffic"} (${throttled} refused)`);
  const more = others.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Untagged attempts may be the busiest agent's: where they could decide, nobody knows. */
function notFound(
  log: RequestLog,
  incidents: readonly Incident[],
  worst: Incident,
  { minShare }: OptionValues<Option>,
): Verdict {
  const untagged = worst.agents.find((agent) => agent.name === "")?.shareOfAttempts ?? 0;
  const named = worst.agents.find((agent) => agent.name !== "")?.shareOfAttempts ?? 0;
  if (untagged > 0 && untagged + named >= minShare)
    return {
      outcome: "unknown",
      because: `${percent(untagged)} of the attempts in the worst incident name no agent`,
    };
  if (incidents.every((incident) => neighboursOf(log, incident).length < 2))
    return { outcome: "clear", because: "only one agent used the bucket that refused" };
  const most = `the busiest agent sent ${percent(named)} of the attempts in the worst incident`;
  const because =
    named < minShare
      ? `${most}; the threshold is ${percent(minShare)}`
      : `${most}, but not of the first attempts, or not of the tokens that were refused`;
  return { outcome: "clear", because };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
