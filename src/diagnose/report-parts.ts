import { callsOf } from "../measure/calls.ts";
import { type Incident, incidentsOf } from "../measure/incidents.ts";
import { limitsOf } from "../measure/limits.ts";
import { agentTraffic, bucketTraffic } from "../measure/traffic.ts";
import { isThrottled } from "../measure/attempts.ts";
import { FACTS, type RequestLog } from "../model/log.ts";
import type { Report, ReportAgent, ReportBucket, ReportIncident } from "../model/report.ts";
import type { Span } from "../model/time.ts";
import { cascadeOf } from "./cascade.ts";
import { isoTime } from "./evidence.ts";
import type { Replays } from "./replays.ts";

/** Columns of the heat strip and points of the series: enough for a shape, few enough for a line of text. */
const SERIES_POINTS = 60;
/** Steps that a reader can name. */
const STEPS_MS = [
  100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000,
  1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
];

export function bucketsPart(log: RequestLog): readonly ReportBucket[] {
  const limits = limitsOf(log);
  return bucketTraffic(log).map((traffic) => {
    const bucket = log.buckets[traffic.bucket];
    return {
      id: bucket?.id ?? "",
      provider: bucket?.provider ?? "",
      model: bucket?.model ?? "",
      limits: limits
        .filter((limit) => limit.bucket === traffic.bucket)
        .map(({ dimension, perMinute, burst, source }) => ({ dimension, perMinute, burst, source })),
      attempts: traffic.rows.length,
      calls: traffic.calls,
      throttled: traffic.throttled,
      peakPerSecond: traffic.peakPerSecond,
      peakPerMinute: traffic.peakPerMinute,
      wastedAttempts: traffic.throttled,
    };
  });
}

export function agentsPart(log: RequestLog): readonly ReportAgent[] {
  const step = seriesStep(log.span);
  return agentTraffic(log).map((traffic) => ({
    name: traffic.name,
    bucket: log.buckets[traffic.bucket]?.id ?? "",
    attempts: traffic.rows.length,
    calls: traffic.calls,
    throttled: traffic.throttled,
    failed: traffic.failed,
    shareOfAttempts: traffic.shareOfAttempts,
    shareOfTokens: traffic.shareOfTokens,
    peakPerMinute: traffic.peakPerMinute,
    p50Ms: traffic.p50Ms,
    p95Ms: traffic.p95Ms,
    series: seriesOf(log, traffic.rows, step),
  }));
}

function seriesStep(span: Span | null): {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly points: number;
} {
  if (span === null) return { fromMs: 0, stepMs: 1_000, points: 0 };
  const length = span.to - span.from;
  const last = STEPS_MS.at(-1) ?? 1;
  const fits = STEPS_MS.find((step) => Math.ceil(length / step) < SERIES_POINTS);
  const stepMs = fits ?? last * Math.ceil(length / (last * (SERIES_POINTS - 1)));
  const fromMs = Math.floor(span.from / stepMs) * stepMs;
  return { fromMs, stepMs, points: Math.ceil((span.to - fromMs) / stepMs) };
}

function seriesOf(
  log: RequestLog,
  rows: Uint32Array,
  step: ReturnType<typeof seriesStep>,
): ReportAgent["series"] {
  const sent = Array.from({ length: step.points }, () => 0);
  const throttled = Array.from({ length: step.points }, () => 0);
  for (const row of rows) {
    const at = Math.floor(((log.attempts.sentMs[row] ?? 0) - step.fromMs) / step.stepMs);
    sent[at] = (sent[at] ?? 0) + 1;
    if (isThrottled(log.attempts, row)) throttled[at] = (throttled[at] ?? 0) + 1;
  }
  return { fromMs: step.fromMs, stepMs: step.stepMs, sent, throttled };
}

export function incidentsPart(log: RequestLog, replays: Replays): readonly ReportIncident[] {
  return incidentsOf(log).map((incident: Incident) => ({
    id: incident.id,
    bucket: log.buckets[incident.bucket]?.id ?? "",
    from: isoTime(incident.from),
    to: isoTime(incident.to),
    attempts: incident.attempts,
    throttled: incident.throttled,
    rateBefore: incident.rateBefore,
    rateAfterFirst429: incident.rateAfter,
    agents: incident.agents.map((agent) => agent.name),
    cascade: cascadeOf(log, incident),
    together: replays.together(incident),
  }));
}

export function factsPart(log: RequestLog): Report["facts"] {
  return {
    present: FACTS.filter((fact) => log.facts[fact].present),
    missing: FACTS.filter((fact) => !log.facts[fact].present).map((fact) => ({
      fact,
      because: log.facts[fact].because,
    })),
  };
}

/** How many calls could only be guessed from timing; a line for the accounting. */
export function assumptionsOf(log: RequestLog): readonly string[] {
  const assumed: string[] = [];
  if (callsOf(log).inferred) assumed.push("retries joined by timing, since the log gives no call_id");
  if (log.buckets.some((bucket) => bucket.assumedOrg))
    assumed.push("one organisation, since the log names none");
  return assumed;
}
