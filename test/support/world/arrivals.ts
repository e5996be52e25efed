import type { Agent } from "./client/agent.ts";
import type { Clock } from "./clock.ts";
import { createRandom, type Random } from "./random.ts";
import type { ArrivalSpec, BurstArrivals, PoissonArrivals } from "./spec.ts";

const MINUTE_MS = 60_000;

/** Puts all calls of one arrival process on the clock. */
export function arrange(
  arrival: ArrivalSpec,
  agent: Agent,
  clock: Clock,
  labels: readonly (string | number)[],
): void {
  if (arrival.kind === "loop") {
    const random = createRandom(...labels);
    for (let worker = 0; worker < arrival.workers; worker++)
      clock.at(arrival.fromMs + random.integer(0, arrival.thinkMs), () => loop(arrival, agent, clock));
    return;
  }
  for (const ms of timesOf(arrival, createRandom(...labels)))
    clock.at(ms, () => agent.call(arrival.run, () => undefined));
}

/** A worker that begins its next call when the last has ended. */
function loop(arrival: Extract<ArrivalSpec, { kind: "loop" }>, agent: Agent, clock: Clock): void {
  if (clock.now() >= arrival.toMs) return;
  agent.call(arrival.run, () => clock.at(clock.now() + arrival.thinkMs, () => loop(arrival, agent, clock)));
}

export function timesOf(arrival: PoissonArrivals | BurstArrivals, random: Random): number[] {
  return arrival.kind === "poisson" ? poisson(arrival, random) : burst(arrival, random);
}

function poisson({ perMinute, fromMs, toMs }: PoissonArrivals, random: Random): number[] {
  const times: number[] = [];
  const mean = MINUTE_MS / perMinute;
  for (let ms = fromMs + random.exponential(mean); ms < toMs; ms += random.exponential(mean))
    times.push(Math.floor(ms));
  return times;
}

function burst({ atMs, count, overMs, even }: BurstArrivals, random: Random): number[] {
  const times = Array.from({ length: count }, (_, i) =>
    Math.floor(atMs + overMs * (even === true ? i / count : random.next())),
  );
  return times.toSorted((a, b) => a - b);
}
