import { type Incident, type IncidentAgent, incidentsOf } from "../../src/measure/incidents.ts";
import { bucketId, paceAgent } from "../../src/measure/pacing.ts";
import { isNegligible } from "../../src/measure/proportion.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { OptionValues, Rule, RuleFinding } from "../../src/model/rule.ts";

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
      "{agent} sent {shareOfAttempts} of the attempts ({shareOfCalls} of the first attempts) on {bucket} while it was refusing; {others} shared the limit and {othersRefused} of their attempts were refused.",
    tokens:
      "{agent} used {shareOfTokens} of the tokens with {shareOfAttempts} of the attempts on {bucket} while its token limit was refusing; {others} shared the limit and {othersRefused} of their attempts were refused.",
  },
  check(log, options) {
    const incidents = incidentsOf(log).filter((incident) => incident.throttled >= options.minRefusals);
    if (incidents.length === 0)
      return { outcome: "clear", because: `no incident with at least ${options.minRefusals} refusals` };
    const found = new Map<string, RuleFinding>();
    for (const incident of incidents.toSorted((a, b) => b.throttled - a.throttled)) {
      const greedy = greedyAgent(incident, options);
      if (greedy === null) continue;
      const key = `${incident.bucket}\0${greedy.agent.name}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, finding(log, incident, greedy, options));
      else found.set(key, addHarm(known, incident));
    }
    if (found.size > 0)
      return {
        outcome: "found",
        findings: [...found.values()],
        because: "one agent had most of an incident's traffic",
      };
    return { outcome: "clear", because: whyClear(incidents, options) };
  },
};

interface Greedy {
  readonly agent: IncidentAgent;
  readonly by: "attempts" | "tokens";
}

/** Where a token limit refuses, whoever has the tokens counts, however many calls the others make. */
function greedyAgent(incident: Incident, options: OptionValues<Option>): Greedy | null {
  if (incident.agents.length < 2) return null;
  const byTokens =
    incident.dimension.includes("tokens") && incident.agents.some((agent) => agent.shareOfTokens !== null);
  const [agent] = byTokens ? incident.agents.toSorted((a, b) => b.tokens - a.tokens) : incident.agents;
  if (agent === undefined || agent.name === "") return null;
  const takesMost = byTokens
    ? (agent.shareOfTokens ?? 0) >= options.minShare
    : agent.shareOfAttempts >= options.minShare && agent.shareOfCalls >= options.minShareOfCalls;
  return takesMost ? { agent, by: byTokens ? "tokens" : "attempts" } : null;
}

function finding(
  log: RequestLog,
  incident: Incident,
  { agent, by }: Greedy,
  options: OptionValues<Option>,
): RuleFinding {
  const others = incident.agents.filter((other) => other !== agent);
  const own = incident.rows.find((row) => log.attempts.agent[row] === agent.agent) ?? incident.firstRefusal;
  const fair = 1 / incident.agents.length;
  return {
    ...(isNegligible(log, incident) ? { severity: "info" as const } : {}),
    subject: { agent: agent.name, bucket: bucketId(log, incident.bucket) },
    incident: incident.id,
    message: by,
    numbers: {
      shareOfAttempts: { value: agent.shareOfAttempts, unit: "share", limit: options.minShare },
      shareOfCalls: { value: agent.shareOfCalls, unit: "share" },
      ...(agent.shareOfTokens === null
        ? {}
        : { shareOfTokens: { value: agent.shareOfTokens, unit: "share" as const } }),
      fairShare: { value: fair, unit: "share" },
      refusals: { value: incident.throttled, unit: "count" },
      othersRefused: { value: others.reduce((sum, other) => sum + other.throttled, 0), unit: "count" },
    },
    words: { others: others.map((other) => other.name || "untagged traffic").join(", ") },
    evidence: [
      { attempt: own, note: `first attempt of ${agent.name} in the incident` },
      { attempt: incident.firstRefusal, note: "first refusal" },
    ],
    fixes: [paceAgent(log, incident, agent.name)],
    harm: {
      refusals: incident.throttled,
      lostMs: 0,
      failedCalls: incident.failedCalls,
    },
  };
}

function addHarm(known: RuleFinding, incident: Incident): RuleFinding {
  const { refusals, lostMs, failedCalls } = known.harm;
  return {
    ...known,
    harm: {
      refusals: refusals + incident.throttled,
      lostMs,
      failedCalls: failedCalls + incident.failedCalls,
    },
  };
}

function whyClear(incidents: readonly Incident[], options: OptionValues<Option>): string {
  if (incidents.every((incident) => incident.agents.length < 2))
    return "only one agent used the bucket that refused";
  const shares = incidents.map((incident) => incident.agents[0]?.shareOfAttempts ?? 0);
  const most = Math.round(Math.max(...shares) * 100);
  const least = Math.round(options.minShare * 100);
  return `the busiest agent sent ${most} % of an incident's attempts: below ${least} %, mostly retries, or untagged`;
}
