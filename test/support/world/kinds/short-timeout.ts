import { obeying } from "../client/retries.ts";
import type { Journal } from "../journal.ts";
import type { Random } from "../random.ts";
import type { PipelineSpec, RunSpec, StageSpec } from "../spec.ts";
import { chainsOf, isRefused } from "../truth.ts";
import { type Draft, type Kind, unless } from "./kind.ts";
import { agentOf, INCIDENT_MAY, MINUTE, names, requests, SECOND, serverOf, worldFrom } from "./scenery.ts";

/** In every run that gave up, calls of the awaited stage had been refused and passed after the waiter had gone. */
function gaveUpTooSoon(truth: Journal, waiter: string): string | null {
  const chains = [...chainsOf(truth).values()];
  const given = truth.waits.filter(({ agent, outcome }) => agent === waiter && outcome === "timeout");
  const late = given.filter(({ waitsFor, run, toMs }) =>
    chains.some((chain) => {
      const last = chain.at(-1);
      const theirs = last?.agent.name === waitsFor && last.run === run;
      return theirs && last.outcome === "ok" && last.endMs > toMs + SECOND && chain.some(isRefused);
    }),
  );
  return unless(
    [given.length > 0, "nobody gave up"],
    [late.length === given.length, "somebody gave up on something else"],
  );
}

/** Each waits for the one before it; those behind are a little more patient. */
function waitersOf(random: Random, who: readonly string[], timeoutMs: number): StageSpec[] {
  return who.slice(1).map((agent, i) => ({
    agent,
    calls: i === 0 ? 2 : 1,
    scales: false,
    overMs: 0,
    afterMs: 0,
    waitsFor: who[i] ?? agent,
    timeoutMs: timeoutMs + i * random.integer(5, 20) * SECOND,
  }));
}

/** A run of two calls that passes, then runs of full size. */
function runsOf(random: Random, count: number): RunSpec[] {
  const full = Array.from({ length: random.integer(1, 4) }, (_, i) => ({
    id: `run_${i + 1}`,
    atMs: 2 * MINUTE + i * random.integer(6, 10) * MINUTE,
    scale: 1,
  }));
  return [{ id: "run_0", atMs: 0, scale: 2 / count }, ...full];
}

/** A waiter gives up before the refused calls that it waits for can come back. */
export const shortTimeout: Kind = {
  name: "short-timeout",
  draw: (random): Draft => {
    const [worker, waiter, ...behind] = names(random, random.integer(2, 4));
    if (waiter === undefined) throw new Error("no waiter");
    const perMinute = random.integer(20, 80);
    const limit = requests(perMinute, random.between(0.06, 0.2));
    const hintMs = random.integer(30, 110) * SECOND;
    const server = serverOf(random, [limit], { hint: { kind: "fixed", ms: hintMs } });
    const timeoutMs = Math.round(hintMs * random.between(0.5, 0.95));
    const count = limit.capacity + random.integer(5, 20);
    const retry = obeying(random.integer(3, 6), random.between(0.1, 0.5), 500);
    const stages = [
      { agent: worker, calls: count, scales: true, overMs: random.pick([0, 1500]), afterMs: 0 },
      ...waitersOf(random, [worker, waiter, ...behind], timeoutMs),
    ];
    const pipeline: PipelineSpec = { runs: runsOf(random, count), stages, failure: "silent", onFailure: [] };
    const agents = [worker, waiter, ...behind].map((name) => agentOf(name, [], { retry }));
    return {
      spec: worldFrom(random, { servers: [server], agents, pipelines: [pipeline] }),
      labels: {
        must: [{ rule: "short-timeout", agent: waiter }],
        may: [...INCIDENT_MAY, "greedy-agent", "fan-out-over-limit", "blocking-stages", "short-timeout"],
      },
      broken: (truth) => gaveUpTooSoon(truth, waiter),
    };
  },
};
