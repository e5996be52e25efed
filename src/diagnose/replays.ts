import { type Incident, incidentsOf } from "../measure/incidents.ts";
import type { FixSpec } from "../model/fix.ts";
import type { RequestLog } from "../model/log.ts";
import type { ReportEffect } from "../model/report.ts";
import type { RuleFinding } from "../model/rule.ts";
import { effectOf, effectOfAll, type Effect } from "../simulate/replay/effect.ts";
import { episodeOf } from "../simulate/replay/episode.ts";
import { type Replay, replayOf } from "../simulate/replay/replay.ts";
import { tunePace } from "../simulate/replay/tune.ts";

/** A larger incident would keep the user waiting for its replays. */
const MOST_ATTEMPTS = 200_000;

/** The replays of one diagnosis: each incident is played once, however many findings ask. */
export interface Replays {
  /** The fix with the numbers that the replay found best. */
  readonly tuned: (finding: RuleFinding, fix: FixSpec) => FixSpec;
  readonly effect: (finding: RuleFinding, fix: FixSpec) => Effect;
  /** Of all fixes proposed for this incident; null = none can be played. */
  readonly together: (incident: Incident) => ReportEffect | null;
}

/** @param findings worst first: where two fixes say how one client waits, the worse finding's counts */
export function createReplays(log: RequestLog, findings: readonly RuleFinding[]): Replays {
  const replays = new Map<string, Replay | string>();
  const replayFor = (incident: Incident): Replay | string => {
    const known = replays.get(incident.id);
    if (known !== undefined) return known;
    const replay =
      incident.attempts > MOST_ATTEMPTS
        ? "the incident is too large to replay"
        : replayOf(log, episodeOf(log, incident));
    replays.set(incident.id, replay);
    return replay;
  };
  const tuned = (finding: RuleFinding, fix: FixSpec): FixSpec => {
    const incident = incidentFor(log, finding);
    const replay = incident === null ? "" : replayFor(incident);
    return typeof replay === "string" ? fix : tunePace(log, replay, fix);
  };
  return {
    tuned,
    effect(finding, fix) {
      const incident = incidentFor(log, finding);
      if (incident === null)
        return { notSimulatedBecause: "no rate limit refused anything here, so there is nothing to replay" };
      const replay = replayFor(incident);
      return typeof replay === "string" ? { notSimulatedBecause: replay } : effectOf(log, replay, fix);
    },
    together(incident) {
      const own = findings.filter((finding) => incidentFor(log, finding)?.id === incident.id);
      if (own.length === 0) return null;
      const replay = replayFor(incident);
      // The first fix of a finding is the one it recommends; the others are alternatives to it.
      const fixes = own.flatMap((finding) => finding.fixes.slice(0, 1).map((fix) => tuned(finding, fix)));
      return typeof replay === "string" ? null : effectOfAll(log, replay, fixes);
    },
  };
}

/** The incident a finding names, else the worst of its bucket. */
function incidentFor(log: RequestLog, finding: RuleFinding): Incident | null {
  const incidents = incidentsOf(log);
  const named = incidents.find((incident) => incident.id === finding.incident);
  if (named !== undefined) return named;
  const own = incidents.filter((incident) => log.buckets[incident.bucket]?.id === finding.subject.bucket);
  return own.toSorted((a, b) => b.throttled - a.throttled)[0] ?? null;
}
