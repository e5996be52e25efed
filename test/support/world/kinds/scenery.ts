import { RETRIES } from "../client/retries.ts";
import type { Random } from "../random.ts";
import type {
  AgentSpec,
  ArrivalSpec,
  BurstArrivals,
  LimitSpec,
  PoissonArrivals,
  RetrySpec,
  ServerSpec,
  WordingId,
  WorldSpec,
} from "../spec.ts";

export const SECOND = 1000;
export const MINUTE = 60_000;

const NAMES = [
  "research",
  "summarize",
  "code",
  "review",
  "deploy",
  "plan",
  "rank",
  "draft",
  "extract",
  "translate",
  "test",
  "triage",
  "crawler",
  "planner",
  "classify",
  "embedder",
  "qa",
  "writer-1",
  "support.triage",
  "lint",
  "indexer",
  "fact_check",
  "outline",
  "Redactor",
  "sql-agent",
  "browser",
  "memory",
];

interface Vendor {
  readonly wording: WordingId;
  readonly provider: string;
  readonly models: readonly string[];
}

const ANTHROPIC: Vendor = {
  wording: "anthropic",
  provider: "anthropic",
  models: ["claude-sonnet-4-6", "claude-opus-4-6", "claude-haiku-4-5", "claude-sonnet-5"],
};
const OPENAI: Vendor = {
  wording: "openai",
  provider: "openai",
  models: ["gpt-5.2", "gpt-4o", "gpt-4.1-mini", "o4-mini"],
};
const GROQ: Vendor = {
  wording: "groq",
  provider: "groq",
  models: ["llama-3.3-70b-versatile", "gpt-oss-120b"],
};
const BARE: Vendor = { wording: "bare", provider: "acme", models: ["acme-large", "in-house-70b"] };

const VENDORS: { readonly [W in WordingId]: Vendor } = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  groq: GROQ,
  bare: BARE,
};

/** Agents' names, all different. */
export function names(random: Random, count: number): [string, ...string[]] {
  const [first, ...rest] = random.some(NAMES, count);
  if (first === undefined) throw new Error("no name left");
  return [first, ...rest];
}

/** Of the providers that state their limits. */
export function vendor(random: Random): Vendor {
  return random.pick([ANTHROPIC, ANTHROPIC, OPENAI, OPENAI, GROQ]);
}

export function serverOf(
  random: Random,
  limits: readonly LimitSpec[],
  more: Partial<ServerSpec> = {},
): ServerSpec {
  const { wording, provider, models } = more.wording === undefined ? vendor(random) : VENDORS[more.wording];
  return {
    id: "main",
    wording,
    provider,
    model: random.pick(models),
    org: random.chance(0.4) ? `org-${random.integer(1000, 9999)}` : null,
    texts: random.pick(["full", "short"]),
    limits,
    hint: { kind: "exact" },
    service: { median: random.integer(700, 3000), sigma: random.between(0.2, 0.5) },
    overloads: [],
    flakyShare: 0,
    billings: [],
    ramp: null,
    ...more,
  };
}

/** A request limit that holds `share` of a minute. */
export function requests(perMinute: number, share: number): LimitSpec {
  return { id: "requests", amount: perMinute, capacity: Math.max(3, Math.round(perMinute * share)) };
}

export function agentOf(
  name: string,
  arrivals: readonly ArrivalSpec[],
  more: Partial<AgentSpec> = {},
): AgentSpec {
  return {
    name,
    server: "main",
    key: "key_1",
    arrivals,
    inputTokens: { median: 1200, sigma: 0.35 },
    outputTokens: { median: 300, sigma: 0.4 },
    retry: RETRIES.backoff,
    ...more,
  };
}

export function poisson(
  perMinute: number,
  fromMs: number,
  toMs: number,
  run: string = "run_1",
): PoissonArrivals {
  return { kind: "poisson", perMinute, fromMs, toMs, run };
}

/** Agents with little to do, `perMinute` together. */
export function quietAgents(
  random: Random,
  who: readonly string[],
  perMinute: number,
  lengthMs: number,
  retry: RetrySpec,
): AgentSpec[] {
  const weights = who.map(() => random.between(0.5, 1.5));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return who.map((name, i) =>
    agentOf(name, [poisson((perMinute * (weights[i] ?? 1)) / sum, 0, lengthMs)], { retry }),
  );
}

export function worldFrom(
  random: Random,
  parts: Partial<WorldSpec> & Pick<WorldSpec, "servers" | "agents">,
): WorldSpec {
  return {
    seed: random.integer(0, 2 ** 31),
    startMs: Date.UTC(
      2026,
      random.integer(0, 10),
      random.integer(1, 28),
      random.integer(0, 23),
      random.integer(0, 59),
    ),
    limiters: [],
    pipelines: [],
    log: { omit: [], keep: null, order: "end" },
    ...parts,
  };
}

/** Findings that are true of nearly every log with a real incident, as the given labels have them. */
export const INCIDENT_MAY: readonly string[] = [
  "high-429-ratio",
  "no-headroom",
  "burst-over-capacity",
  "excessive-retries",
  "retry-budget-too-short",
  "unjittered-retries",
  "synchronised-start",
];

/** What is true besides when clients do not read the server's hints, or not the long ones. */
export function mayOfRetry(retry: RetrySpec, server: ServerSpec): string[] {
  if (retry.maxAttempts === 1 || server.hint.kind === "none") return [];
  const ignores = retry.hint === null || retry.hint.atMostMs <= MINUTE;
  return ignores ? ["retry-after-ignored", "retry-storm"] : [];
}

/** `count` calls within `overMs`. */
export function burst(atMs: number, count: number, overMs: number, run: string = "run_1"): BurstArrivals {
  return { kind: "burst", atMs: Math.round(atMs), count, overMs, run };
}

/** The same number of agents as names, each with the same steady load. */
export function equalAgents(
  who: readonly string[],
  perMinute: number,
  span: { readonly fromMs: number; readonly toMs: number },
  more: Partial<AgentSpec>,
): AgentSpec[] {
  return who.map((name) => agentOf(name, [poisson(perMinute / who.length, span.fromMs, span.toMs)], more));
}
