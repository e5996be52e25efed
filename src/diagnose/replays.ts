import { type Incident, incidentsOf } from "../measure/incidents.ts";
import { shareBucket } from "../measure/pacing.ts";
import type { FixSpec } from "../model/fix.ts";
import { NOT_TOLD, type RequestLog } from "../model/log.ts";
import type { ReportEffect } from "../model/report.ts";
import type { RuleFinding } from "../model/rule.ts";
import { effectOf, effectOfAll, type Effect, orEndless } from "../simulate/replay/effect.ts";
import { episodeOf } from "../simulate/replay/episode.ts";
import { type Replay, replayOf } from "../simulate/replay/replay.ts";
import { tunePace } from "../simulate/replay/tune.ts";

/**
 * Attempts that are replayed in one diagnosis, all replays together: a few seconds. What is asked for first is played first,
 * and that is the worst finding, so the same log always gets the same replays.
 */
const MOST_REPLAYED = 1_000_000;
/** An incident is played twice before any fix: with hints that fit the bucket, and with fixed ones. */
const PLAYS_OF_BACKTEST = 2;
const TOO_MUCH = "the replays of worse findings took all the time there is";

/** The replays of one diagnosis: each incident is played once, however many findings ask. */
export interface Replays {
  /** The fix with the numbers that the replay found best. */
  readonly tuned: (finding: RuleFinding, fix: FixSpec) => FixSpec;
  readonly effect: (finding: RuleFinding, fix: FixSpec) => Effect;
  /** Alternatives that only a replay can propose: shares, priorities where calls have them, aging where there is a deadline. */
  readonly further: (finding: RuleFinding) => readonly FixSpec[];
  /** Of all fixes proposed for this incident; null = none can be played. */
  readonly together: (incident: Incident) => ReportEffect | null;
}

/** @param findings worst first: where two fixes say how one client waits, the worse finding's counts */
export function createReplays(
  log: RequestLog,
  findings: readonly RuleFinding[],
  backgroundDeadlineMs: number | null,
): Replays {
  const replays = new Map<string, Replay | string>();
  const tunedFixes = new Map<string, FixSpec>();
  const effects = new Map<string, Effect>();
  let spent = 0;
  const spend = (attempts: number): boolean => {
    if (spent + attempts > MOST_REPLAYED) return false;
    spent += attempts;
    return true;
  };
  const replayFor = (incident: Incident): Replay | string => {
    const known = replays.get(incident.id);
    if (known !== undefined) return known;
    const replay = spend(PLAYS_OF_BACKTEST * incident.attempts)
      ? orEndless(() => replayOf(log, episodeOf(log, incident)))
      : TOO_MUCH;
    replays.set(incident.id, replay);
    return replay;
  };
  const tuned = (finding: RuleFinding, fix: FixSpec): FixSpec => {
    const incident = incidentFor(log, finding);
    const replay = incident === null ? "" : replayFor(incident);
    if (incident === null || typeof replay === "string") return fix;
    return once(tunedFixes, incident, fix, () => tunePace(log, replay, fix));
  };
  return {
    tuned,
    effect(finding, fix) {
      const incident = incidentFor(log, finding);
      if (incident === null)
        return { notSimulatedBecause: "no rate limit refused anything here, so there is nothing to replay" };
      const replay = replayFor(incident);
      if (typeof replay === "string") return { notSimulatedBecause: replay };
      if (fix.kind !== "prioritise" && fix.kind !== "age")
        return once(effects, incident, fix, () =>
          spend(incident.attempts) ? effectOf(log, replay, fix) : { notSimulatedBecause: TOO_MUCH },
        );
      if (!spend(incident.attempts)) return { notSimulatedBecause: TOO_MUCH };
      // An order needs a queue: it is played behind the limiter that the finding proposes.
      const pace = finding.fixes.filter((one) => one.kind === "pace").slice(0, 1);
      const effect = effectOfAll(log, replay, [...pace.map((one) => tuned(finding, one)), fix]);
      return effect === null ? { notSimulatedBecause: "there is no queue to order" } : { effect };
    },
    further(finding) {
      const incident = incidentFor(log, finding);
      const pace = finding.fixes.find((fix) => fix.kind === "pace");
      if (incident === null || pace === undefined) return [];
      const share = pace.scope === "agent" ? shareBucket(log, incident) : null;
      const mixed = hasBothPriorities(log, incident);
      const prioritise: FixSpec[] = mixed ? [{ kind: "prioritise", bucket: pace.bucket, critical: [0] }] : [];
      const age: FixSpec[] =
        mixed && backgroundDeadlineMs !== null
          ? [{ kind: "age", bucket: pace.bucket, afterMs: backgroundDeadlineMs }]
          : [];
      return [...(share === null ? [] : [share]), ...prioritise, ...age];
    },
    together(incident) {
      const own = findings.filter((finding) => incidentFor(log, finding)?.id === incident.id);
      if (own.length === 0) return null;
      const replay = replayFor(incident);
      // The first fix of a finding is the one it recommends; the others are alternatives to it.
      const fixes = own.flatMap((finding) => finding.fixes.slice(0, 1).map((fix) => tuned(finding, fix)));
      return typeof replay === "string" || !spend(incident.attempts) ? null : effectOfAll(log, replay, fixes);
    },
  };
}

/** Several findings propose the same fix for one incident: it is searched for, and played, once. */
function once<T>(known: Map<string, T>, incident: Incident, fix: FixSpec, make: () => T): T {
  const key = `${incident.id}\0${JSON.stringify(fix)}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Priority is free only where some calls are more urgent than others. */
function hasBothPriorities(log: RequestLog, { rows }: Incident): boolean {
  const { priority } = log.attempts;
  return rows.some((row) => priority[row] === 0) && rows.some((row) => (priority[row] ?? NOT_TOLD) > 0);
}

/** The incident a finding names, else the worst of its bucket. */
function incidentFor(log: RequestLog, finding: RuleFinding): Incident | null {
  const incidents = incidentsOf(log);
  const named = incidents.find((incident) => incident.id === finding.incident);
  if (named !== undefined) return named;
  const own = incidents.filter((incident) => log.buckets[incident.bucket]?.id === finding.subject.bucket);
  return own.toSorted((a, b) => b.throttled - a.throttled)[0] ?? null;
}
