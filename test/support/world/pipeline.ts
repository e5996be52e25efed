import type { Agent } from "./client/agent.ts";
import type { Clock } from "./clock.ts";
import type { Journal, WaitEvent } from "./journal.ts";
import type { PipelineSpec, RunSpec, StageSpec } from "./spec.ts";

/** A stage of one run: what it has come to, and who wants to know. */
interface Stage {
  readonly spec: StageSpec;
  state: "running" | "done" | "failed";
  readonly waiters: ((ok: boolean) => void)[];
}

export interface PipelineWorld {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly agent: (name: string) => Agent;
}

/** Puts every run of a pipeline on the clock: stages work, or wait for another first, or give up waiting. */
export function arrangePipeline(spec: PipelineSpec, world: PipelineWorld): void {
  for (const run of spec.runs) {
    const stages = spec.stages.map((stage): Stage => ({ spec: stage, state: "running", waiters: [] }));
    const last = stages.at(-1);
    for (const stage of stages)
      world.clock.at(run.atMs + stage.spec.afterMs, () => begin(stage, stages, { spec, run, world }));
    last?.waiters.push((ok) => {
      if (!ok) react(spec, run, world);
    });
  }
}

interface Context {
  readonly spec: PipelineSpec;
  readonly run: RunSpec;
  readonly world: PipelineWorld;
}

function begin(stage: Stage, stages: readonly Stage[], context: Context): void {
  const { waitsFor } = stage.spec;
  if (waitsFor === undefined) return work(stage, context);
  const awaited = stages.find((other) => other.spec.agent === waitsFor);
  if (awaited === undefined) throw new Error(`no stage ${waitsFor} to wait for`);
  wait(stage, awaited, context);
}

function wait(stage: Stage, awaited: Stage, context: Context): void {
  const { clock, journal } = context.world;
  const fromMs = clock.now();
  const timeoutMs = stage.spec.timeoutMs ?? null;
  let waiting = true;
  const over = (outcome: WaitEvent["outcome"]): void => {
    if (!waiting) return;
    waiting = false;
    const { agent } = stage.spec;
    const waitsFor = awaited.spec.agent;
    journal.waits.push({
      agent,
      waitsFor,
      run: context.run.id,
      fromMs,
      toMs: clock.now(),
      timeoutMs,
      outcome,
    });
    if (outcome === "ok") work(stage, context);
    else settle(stage, false);
  };
  const seen = (ok: boolean): void => {
    if (ok) over("ok");
    else if (context.spec.failure === "told" || timeoutMs === null) over("error");
  };
  if (awaited.state === "running") awaited.waiters.push(seen);
  else seen(awaited.state === "done");
  if (timeoutMs !== null) clock.at(fromMs + timeoutMs, () => over("timeout"));
}

function work(stage: Stage, { run, world }: Context): void {
  const { calls, scales, overMs, agent } = stage.spec;
  const count = Math.max(scales ? 1 : 0, Math.round(scales ? calls * run.scale : calls));
  if (count === 0) return settle(stage, true);
  let [open, failed] = [count, 0];
  for (let i = 0; i < count; i++)
    world.clock.at(world.clock.now() + (overMs * i) / count, () =>
      world.agent(agent).call(run.id, (outcome) => {
        open--;
        if (outcome !== "ok") failed++;
        if (open === 0) settle(stage, failed === 0);
      }),
    );
}

function settle(stage: Stage, ok: boolean): void {
  stage.state = ok ? "done" : "failed";
  for (const waiter of stage.waiters) waiter(ok);
}

/** The orchestrator ends a run that did not reach its end. */
function react(spec: PipelineSpec, run: RunSpec, { clock, journal }: PipelineWorld): void {
  for (const [i, { agent, action }] of spec.onFailure.entries())
    clock.at(clock.now() + 150 * (i + 1), () =>
      journal.actions.push({ agent, action, run: run.id, atMs: clock.now(), callId: null }),
    );
}
