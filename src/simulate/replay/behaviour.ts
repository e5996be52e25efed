import { quantile } from "../../measure/statistics.ts";
import type { DurationMs } from "../../model/time.ts";
import type { EpisodeCall } from "./episode.ts";

/** How the clients of one agent were seen to retry. */
export interface Behaviour {
  /** They wait what the server asks, and then some; else they wait as they like. */
  readonly obeys: boolean;
  /**
   * Waits seen after the n-th refusal (index n-1), sorted: the whole wait, or for clients that obey what they added to
   * the hint. Beyond the last, the last.
   */
  readonly waits: readonly (readonly DurationMs[])[];
  /** Refusals after which a call is given up; Infinity when none was. */
  readonly givesUpAfter: number;
}

/** Sooner than the hint by more than this is not obeying it. */
const EARLY: DurationMs = 100;
const MOSTLY = 0.8;

/** @param hintsFit the server's hints are taken to say when its bucket will hold the request */
export function behaviourOf(calls: readonly EpisodeCall[], hintsFit: boolean): Behaviour {
  const all = calls.flatMap((call) => call.waits);
  const hinted = all.filter((wait) => wait.askedMs !== null && wait.askedMs > 0);
  const kept = hinted.filter((wait) => wait.waitedMs >= (wait.askedMs ?? 0) * 0.95 - EARLY);
  // Waiting long anyway is no obedience: the waits must follow the hints, so what is added varies less than the wait.
  const obeys =
    hintsFit && hinted.length >= 3 && kept.length >= MOSTLY * hinted.length && followsHints(hinted);
  const deepest = Math.max(0, ...calls.map((call) => call.waits.length));
  const waits = Array.from({ length: deepest }, (_, n) =>
    calls
      .flatMap((call) => call.waits.slice(n, n + 1))
      .map((wait) => (obeys ? Math.max(0, wait.waitedMs - (wait.askedMs ?? 0)) : wait.waitedMs))
      .toSorted((a, b) => a - b),
  );
  const givenUp = calls.filter((call) => call.gaveUp).map((call) => call.refusals);
  return { obeys, waits, givesUpAfter: quantile(givenUp, 0.5) ?? Number.POSITIVE_INFINITY };
}

function followsHints(
  hinted: readonly { readonly waitedMs: number; readonly askedMs: number | null }[],
): boolean {
  const spread = (values: readonly number[]): number =>
    (quantile(values, 0.9) ?? 0) - (quantile(values, 0.1) ?? 0);
  const asked = hinted.map((wait) => wait.askedMs ?? 0);
  const added = hinted.map((wait) => wait.waitedMs - (wait.askedMs ?? 0));
  const waited = hinted.map((wait) => wait.waitedMs);
  return spread(asked) < 1 || spread(added) <= spread(waited);
}
