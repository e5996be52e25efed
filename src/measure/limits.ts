import { type Bucket, NOT_TOLD, type RequestLog, type ToldLimit } from "../model/log.ts";
import { DIMENSION, type Dimension, type RateDimension } from "../model/outcome.ts";
import { dimensionAt, isOk, isThrottled } from "./attempts.ts";
import { incidentsOf } from "./incidents.ts";
import { inferLimit } from "./infer-limit.ts";
import { defineMeasure } from "./measure.ts";
import { lowerBound } from "./statistics.ts";
import { bucketTraffic } from "./traffic.ts";

/** A limit of a bucket, with where it is known from. */
export interface BucketLimit {
  readonly bucket: number;
  readonly dimension: RateDimension;
  readonly perMinute: number;
  /** What the bucket holds when full; null = nothing tells. */
  readonly burst: number | null;
  readonly source: "config" | "headers" | "preset" | "inferred";
  /** Where the limit was inferred: the rates per minute that explain the log as well. */
  readonly interval?: { readonly low: number; readonly high: number };
}

/**
 * One limit a bucket and dimension. What the user told beats what responses said, and that beats a preset, since presets
 * age; what is only inferred comes last. By bucket, then dimension.
 */
export const limitsOf: (log: RequestLog) => readonly BucketLimit[] = defineMeasure((log) =>
  log.buckets.flatMap((bucket, number) => {
    const told = log.told.limits.filter((limit) => matchesModel(limit.model, bucket));
    const config = told.filter((limit) => limit.source === "config").map((limit) => fromTold(number, limit));
    const preset = told.filter((limit) => limit.source === "preset").map((limit) => fromTold(number, limit));
    const stated = statedLimits(log, number);
    const best = new Map<RateDimension, BucketLimit>();
    for (const limit of [...preset, ...stated, ...config]) {
      const observed = stated.find((s) => s.dimension === limit.dimension)?.burst ?? null;
      best.set(limit.dimension, { ...limit, burst: limit.burst ?? observed });
    }
    if (!best.has("requests")) {
      const inferred = inferredLimit(log, number);
      if (inferred !== null) best.set("requests", inferred);
    }
    return [...best.values()].toSorted((a, b) => DIMENSION[a.dimension] - DIMENSION[b.dimension]);
  }),
);

/** An interval wider than this part of the rate says that the log cannot tell. */
const WIDEST_INTERVAL = 0.5;
const QUIET_EVENTS = 2_000;
const REFUSED_EVENTS = 4_000;

/** From what passed and what was refused, where refusals can be about requests; null = the log cannot tell. */
function inferredLimit(log: RequestLog, bucket: number): BucketLimit | null {
  const { attempts } = log;
  const worst = incidentsOf(log)
    .filter((incident) => incident.bucket === bucket)
    .toSorted((a, b) => b.throttled - a.throttled)[0];
  const traffic = bucketTraffic(log)[bucket];
  if (worst === undefined || traffic === undefined) return null;
  // The stretch before the refusals shows the capacity, the refusals themselves the rate.
  const first = lowerBound(traffic.times, worst.from);
  const rows = traffic.rows.subarray(Math.max(0, first - QUIET_EVENTS), first + REFUSED_EVENTS);
  const aboutRequests = rows.every(
    (row) => !isThrottled(attempts, row) || ABOUT_REQUESTS.has(dimensionAt(attempts, row)),
  );
  if (!aboutRequests) return null;
  const decided = rows.filter((row) => isThrottled(attempts, row) || isOk(attempts, row));
  const found = inferLimit(
    Array.from(decided, (row) => ({ atMs: attempts.sentMs[row] ?? 0, refused: isThrottled(attempts, row) })),
  );
  if (!found.known) return null;
  const { perMinute, burst } = found.limit;
  if (perMinute.high - perMinute.low > WIDEST_INTERVAL * perMinute.best) return null;
  const { low, high } = perMinute;
  return {
    bucket,
    dimension: "requests",
    perMinute: Math.round(perMinute.best),
    burst: burst.high === null ? null : Math.round(burst.best),
    source: "inferred",
    interval: { low, high },
  };
}

const ABOUT_REQUESTS: ReadonlySet<Dimension> = new Set<Dimension>(["requests", "unknown"]);

/** The limit of one dimension of a bucket; null = not known. */
export function limitOf(log: RequestLog, bucket: number, dimension: RateDimension): BucketLimit | null {
  return limitsOf(log).find((limit) => limit.bucket === bucket && limit.dimension === dimension) ?? null;
}

/**
 * A response tells what is left *after* it took its token, so a bucket that answered "39 left" held 40. That is a lower
 * bound of its capacity: a bucket that was never seen full may hold more.
 */
function statedLimits(log: RequestLog, bucket: number): BucketLimit[] {
  const seen = log.limits.filter((limit) => limit.bucket === bucket);
  const dimensions = [...new Set(seen.map((limit) => limit.dimension))];
  return dimensions.flatMap((dimension) => {
    const ofDimension = seen.filter((limit) => limit.dimension === dimension);
    // The value stated most often: a limit that changed mid-log, or a stray, must not hide the rule of the day.
    const headers = ofDimension.filter((limit) => limit.from === "headers");
    const [main] = [...(headers.length > 0 ? headers : ofDimension)].toSorted(
      (a, b) => b.count - a.count || b.perMinute - a.perMinute,
    );
    if (main === undefined) return [];
    const left = Math.max(...ofDimension.map((limit) => limit.maxRemaining));
    const burst =
      left === NOT_TOLD || left === 0
        ? null
        : Math.min(main.perMinute, dimension === "requests" ? left + 1 : left);
    return [{ bucket, dimension, perMinute: main.perMinute, burst, source: "headers" as const }];
  });
}

function fromTold(bucket: number, limit: ToldLimit): BucketLimit {
  const { dimension, perMinute, burst, source } = limit;
  return { bucket, dimension, perMinute, burst, source };
}

/** Glob with `*` only, over the family, the bucket id and any model text; case does not matter. */
function matchesModel(glob: string, bucket: Bucket): boolean {
  const parts = glob.toLowerCase().split("*");
  return [bucket.model, bucket.id].some((text) => matchesParts(parts, text.toLowerCase()));
}

function matchesParts(parts: readonly string[], text: string): boolean {
  const [head = "", ...rest] = parts;
  if (rest.length === 0) return text === head;
  const tail = rest.pop() ?? "";
  if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - tail.length;
}
