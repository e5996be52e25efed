import type { FixSpec, PaceFix } from "../../model/fix.ts";
import type { RequestLog } from "../../model/log.ts";
import type { EffectNumbers } from "../../model/report.ts";
import { effectOf } from "./effect.ts";
import type { Replay } from "./replay.ts";

/** Beyond this many calls the search is left out: each candidate is a replay. */
const MOST_CALLS = 5_000;
/** Refusals that the retries behind a limiter absorb. */
const FEW = 0.01;
/**
 * Parts of the limit that are tried. In front of everybody less than the limit only costs time; in front of one agent it
 * leaves room for the others. More than the limit is never advised: where the burst may be as large as the bucket, it gains
 * nothing over the limit itself.
 */
const RATES = { bucket: [1], agent: [0.5, 0.65, 0.8, 0.9, 1] };

/**
 * The rate and burst of a pace that let the episode end soonest with (next to) no refusals; the proposal itself when nothing
 * is better. Among equals the higher rate and the smaller burst: the rate is throughput, the burst is risk.
 */
export function tunePace(log: RequestLog, replay: Replay, fix: FixSpec): FixSpec {
  if (fix.kind !== "pace" || replay.episode.calls.length > MOST_CALLS) return fix;
  // Where tokens refuse, the rate of requests is not what has to be found.
  if (fix.tokensPerMinute !== undefined) return fix;
  const requests = replay.limits.find((limit) => limit.dimension === "requests");
  const most = requests === undefined ? fix.ratePerMinute : Math.floor(requests.perMinute);
  const capacity = requests === undefined ? fix.burst : Math.floor(requests.capacity);
  const rates = new Set([
    fix.ratePerMinute,
    ...RATES[fix.scope].map((share) => Math.max(1, Math.floor(most * share))),
  ]);
  const bursts = new Set([fix.burst, 1, Math.ceil(capacity / 2), capacity]);
  const candidates = [...rates].flatMap((ratePerMinute) =>
    [...bursts].map((burst): PaceFix => ({ ...fix, ratePerMinute, burst })),
  );
  const judged = candidates.flatMap((candidate) => {
    const found = effectOf(log, replay, candidate);
    return "effect" in found ? [{ candidate, after: found.effect.after }] : [];
  });
  const best = judged.toSorted((a, b) => compare(a, b, replay.episode.calls.length))[0];
  return best?.candidate ?? fix;
}

interface Judged {
  readonly candidate: PaceFix;
  readonly after: EffectNumbers;
}

/** Few enough refusals first, then the end, then the wait; a second or two is no difference. */
function compare(a: Judged, b: Judged, calls: number): number {
  const excess = ({ after }: Judged): number => Math.max(0, after.throttled - Math.floor(FEW * calls));
  const seconds = (ms: number): number => Math.round(ms / 1_000);
  return (
    excess(a) - excess(b) ||
    seconds(a.after.totalMs) - seconds(b.after.totalMs) ||
    seconds(a.after.waitP95Ms) - seconds(b.after.waitP95Ms) ||
    a.after.throttled - b.after.throttled ||
    b.candidate.ratePerMinute - a.candidate.ratePerMinute ||
    a.candidate.burst - b.candidate.burst
  );
}
