import { quantile } from "../../measure/statistics.ts";
import type { EffectNumbers } from "../../model/report.ts";
import type { SimulationResult } from "../engine.ts";
import type { EpisodeCall } from "./episode.ts";
import type { Replay } from "./replay.ts";

/** What the log itself shows of the episode, in the numbers of an effect. */
export function observed(replay: Replay): EffectNumbers {
  const { calls, attempts, throttled } = replay.episode;
  const ends = calls.map((call) => ({ call, endMs: call.endMs, failed: call.gaveUp }));
  return numbersOf(replay, attempts, throttled, ends);
}

/** The same numbers of a simulation. */
export function predicted(replay: Replay, result: SimulationResult): EffectNumbers {
  const startMs = replay.episode.calls[0]?.wantedMs ?? 0;
  const ends = replay.episode.calls.map((call, i) => ({
    call,
    endMs: startMs + (result.calls[i]?.endS ?? 0) * 1_000,
    failed: result.calls[i]?.failed ?? true,
  }));
  return numbersOf(replay, result.attempts, result.throttled, ends);
}

function numbersOf(
  replay: Replay,
  attempts: number,
  throttled: number,
  ends: readonly { readonly call: EpisodeCall; readonly endMs: number; readonly failed: boolean }[],
): EffectNumbers {
  const startMs = replay.episode.calls[0]?.wantedMs ?? 0;
  const last = (list: typeof ends): number =>
    Math.round(list.reduce((max, end) => Math.max(max, end.endMs - startMs), 0));
  const critical = ends.filter((end) => end.call.priority === 0);
  const waits = ends.map(({ call, endMs }) => Math.max(0, endMs - call.wantedMs - call.serviceMs));
  return {
    throttled,
    attempts,
    failed: ends.filter((end) => end.failed).length,
    totalMs: last(ends),
    criticalMs: critical.length === 0 ? null : last(critical),
    waitP95Ms: Math.round(quantile(waits, 0.95) ?? 0),
  };
}
