import type { DurationMs, EpochMs } from "../model/time.ts";
import { UserError } from "../model/user-error.ts";
import { isTimeOfDay } from "./iso.ts";
import { createTimeReader } from "./times.ts";

/** One end of the part of a log that is asked for. */
export type Bound = { readonly atMs: EpochMs } | { readonly beforeEndMs: DurationMs };

const UNIT_MS: ReadonlyMap<string, DurationMs> = new Map([
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
]);

/**
 * `--since` and `--until`: a time, or `-3h`, `-90m`, `-1d12h` before the end of the log, which is its "now".
 *
 * @throws {UserError} on anything else
 */
export function parseBound(flag: "since" | "until", text: string): Bound {
  const relative = /^-((?:\d+[dhms])+)$/.exec(text)?.[1];
  if (relative !== undefined) {
    const parts = [...relative.matchAll(/(\d+)([dhms])/g)];
    return {
      beforeEndMs: parts.reduce((sum, [, n, unit]) => sum + Number(n) * (UNIT_MS.get(unit ?? "") ?? 0), 0),
    };
  }
  const atMs = isTimeOfDay(text) ? Number.NaN : createTimeReader().read(text);
  if (!Number.isNaN(atMs)) return { atMs };
  const hint = `Write --${flag} 2026-07-01T10:00:00Z, or --${flag}=-3h (also d, m, s) before the end of the log.`;
  throw new UserError(`--${flag} ${text}: not a time`, hint);
}

export function resolveBound(bound: Bound, endMs: EpochMs): EpochMs {
  return "atMs" in bound ? bound.atMs : endMs - bound.beforeEndMs;
}
