import type { FixSpec, PaceFix, RetryFix } from "../../../src/model/fix.ts";
import type { AgentSpec, LimiterSpec, RetrySpec, ServerSpec, WorldSpec } from "./spec.ts";

/** Far enough that any hint that a server tells is obeyed. */
const ANY_HINT_MS = 2 ** 31 - 1;

/**
 * The same world with one fix applied where it belongs: clients change, servers and luck stay. null = this kind of fix
 * changes nothing that a world knows.
 * @param server id of the server that the fix's bucket is
 */
export function applyFix(spec: WorldSpec, fix: FixSpec, server: string): WorldSpec | null {
  const onServer = (change: (agent: AgentSpec) => AgentSpec): WorldSpec => ({
    ...spec,
    agents: spec.agents.map((agent) => (agent.server === server ? change(agent) : agent)),
  });
  const onAgent = (name: string | undefined, change: (agent: AgentSpec) => AgentSpec): WorldSpec =>
    onServer((agent) => (name === undefined || agent.name === name ? change(agent) : agent));
  switch (fix.kind) {
    case "pace":
      return paced(onAgent(fix.scope === "agent" ? fix.agent : undefined, limitedBy("why429")), fix);
    case "share":
      return shared(onServer, fix.agents);
    case "prioritise":
      return prioritised(onServer, fix.critical);
    case "retry":
      return onAgent(fix.agent, (agent) => ({ ...agent, retry: retryOf(fix) }));
    case "break":
      return onAgent(fix.agent, (agent) => ({
        ...agent,
        breaker: { openAfter: fix.openAfter, windowMs: fix.windowMs, pauseMs: fix.pauseMs, whenOpen: "hold" },
      }));
    case "timeout":
      return withTimeout(spec, fix.waiter, fix.waitsFor, fix.timeoutMs);
    case "classify":
      return onAgent(fix.agent, (agent) => ({ ...agent, retry: classified(agent.retry, fix.transient) }));
    case "separate":
      return separated(spec, fix.agent, server);
    case "spread":
      return typeof fix.overMs === "number" ? spread(spec, fix.agents, fix.overMs) : null;
    case "shrink":
      return onAgent(fix.agent, (agent) => ({
        ...agent,
        inputTokens: { ...agent.inputTokens, median: Math.min(agent.inputTokens.median, fix.maxInputTokens) },
      }));
    case "age":
    case "batch":
    case "tag":
    case "billing":
    case "raise-limit":
    case "one-retry-layer":
      return null;
    default:
      return fix satisfies never;
  }
}

function limitedBy(limiter: string): (agent: AgentSpec) => AgentSpec {
  return (agent) => ({ ...agent, limiter });
}

function paced(spec: WorldSpec, { ratePerMinute, burst, tokensPerMinute }: PaceFix): WorldSpec {
  const limiter: LimiterSpec = {
    id: "why429",
    ratePerMinute,
    burst,
    order: "fifo",
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
  };
  return { ...spec, limiters: [...spec.limiters, limiter] };
}

type OnServer = (change: (agent: AgentSpec) => AgentSpec) => WorldSpec;
type Shares = { readonly [name: string]: { readonly ratePerMinute: number; readonly burst: number } };

function shared(onServer: OnServer, shares: Shares): WorldSpec {
  const spec = onServer((agent) =>
    agent.name in shares ? limitedBy(`share of ${agent.name}`)(agent) : agent,
  );
  const limiters = Object.entries(shares).map(
    ([name, share]): LimiterSpec => ({ id: `share of ${name}`, order: "fifo", ...share }),
  );
  return { ...spec, limiters: [...spec.limiters, ...limiters] };
}

/** Every limiter there is takes the urgent first; agents named critical are urgent. */
function prioritised(onServer: OnServer, critical: readonly (string | number)[]): WorldSpec {
  const spec = onServer((agent) =>
    critical.includes(agent.name) ? { ...agent, priority: "critical" } : agent,
  );
  return { ...spec, limiters: spec.limiters.map((limiter) => ({ ...limiter, order: "priority" })) };
}

function retryOf({ baseMs, factor, capMs, jitter, jitterMs = 0, maxAttempts }: RetryFix): RetrySpec {
  return {
    maxAttempts,
    baseMs,
    factor,
    capMs,
    jitter,
    jitterMs,
    // The hint is the least wait: jitter can only come on top of it.
    hint: { atMostMs: ANY_HINT_MS, jitterShare: 0, jitterMs: jitterMs > 0 ? jitterMs : baseMs },
    on: [0, 408, 429, 500, 502, 503, 504, 529],
  };
}

/** Transient statuses are sent again, by a client that gave up at once too. */
function classified(retry: RetrySpec, transient: readonly number[]): RetrySpec {
  const hint = retry.hint ?? { atMostMs: ANY_HINT_MS, jitterShare: 0.2, jitterMs: 1000 };
  return { ...retry, on: transient, maxAttempts: Math.max(retry.maxAttempts, 6), hint };
}

function withTimeout(spec: WorldSpec, waiter: string, waitsFor: string, timeoutMs: number): WorldSpec {
  const pipelines = spec.pipelines.map((pipeline) => ({
    ...pipeline,
    stages: pipeline.stages.map((stage) =>
      stage.agent === waiter && stage.waitsFor === waitsFor ? { ...stage, timeoutMs } : stage,
    ),
  }));
  return { ...spec, pipelines };
}

/** The agent gets a bucket of its own, like the one that it shared. */
function separated(spec: WorldSpec, name: string, server: string): WorldSpec {
  const own = `${server} of ${name}`;
  const copies = spec.servers
    .filter(({ id }) => id === server)
    .map((one): ServerSpec => ({ ...one, id: own }));
  const agents = spec.agents.map((agent) =>
    agent.name === name && agent.server === server ? { ...agent, server: own } : agent,
  );
  return { ...spec, servers: [...spec.servers, ...copies], agents };
}

/** Starts that came together come evenly over this long. */
function spread(spec: WorldSpec, names: readonly string[], overMs: number): WorldSpec {
  const agents = spec.agents.map((agent) => ({
    ...agent,
    arrivals: agent.arrivals.map((arrival) =>
      arrival.kind === "burst" && names.includes(agent.name)
        ? { ...arrival, overMs: Math.max(arrival.overMs, overMs), even: true as const }
        : arrival,
    ),
  }));
  return { ...spec, agents };
}
