import { arrange } from "./arrivals.ts";
import { type Agent, createAgent } from "./client/agent.ts";
import { createLane } from "./client/lane.ts";
import { createClock } from "./clock.ts";
import { createJournal, type Journal } from "./journal.ts";
import { arrangePipeline } from "./pipeline.ts";
import { recordsOf, type WorldRecord } from "./record.ts";
import { createServer } from "./server/server.ts";
import type { WorldSpec } from "./spec.ts";

export interface WorldResult {
  /** What a log of this world holds. */
  readonly records: readonly WorldRecord[];
  /** What happened, seen or not. */
  readonly truth: Journal;
}

/** Lets a world happen from its first arrival until every call has ended. Pure: the same spec gives the same result. */
export function runWorld(spec: WorldSpec): WorldResult {
  const [clock, journal] = [createClock(), createJournal()];
  const servers = new Map(spec.servers.map((one) => [one.id, createServer(one, spec.startMs, clock)]));
  const lanes = new Map(spec.limiters.map((limiter) => [limiter.id, createLane(limiter, clock)]));
  let numbers = 0;
  const agents = spec.agents.map((one): Agent => {
    const server = servers.get(one.server);
    const lane = one.limiter === undefined ? createLane(null, clock) : lanes.get(one.limiter);
    if (server === undefined || lane === undefined) throw new Error(`${one.name} names what is not there`);
    return createAgent(one, { seed: spec.seed, clock, server, lane, journal, number: () => ++numbers });
  });
  const byName = (name: string): Agent => {
    const agent = agents.find((one) => one.spec.name === name);
    if (agent === undefined) throw new Error(`no agent ${name}`);
    return agent;
  };
  for (const agent of agents)
    for (const [i, arrival] of agent.spec.arrivals.entries())
      arrange(arrival, agent, clock, [spec.seed, "arrivals", agent.spec.name, agent.spec.key, i]);
  for (const pipeline of spec.pipelines) arrangePipeline(pipeline, { clock, journal, agent: byName });
  clock.run();
  return { records: recordsOf(journal, spec), truth: journal };
}
