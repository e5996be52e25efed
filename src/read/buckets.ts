import { type Bucket, type LimitSighting, NOT_TOLD, type Origin, type RequestLog } from "../model/log.ts";
import { DIMENSION, type RateDimension } from "../model/outcome.ts";
import type { AttemptRecord } from "../model/record.ts";
import type { EpochMs } from "../model/time.ts";
import type { Provider, Reading } from "../providers/provider.ts";

/** Who drew on which limit: interns origins, folds stated limits, and at the end decides the buckets. */
export interface BucketBook {
  originOf(provider: Provider, record: AttemptRecord, reading: Reading): number;
  sight(origin: number, reading: Reading, atMs: EpochMs): void;
  finish(): Pick<RequestLog, "origins" | "buckets" | "limits">;
}

interface Draft {
  readonly provider: string;
  readonly model: string;
  readonly family: string;
  readonly org: string;
  readonly workspace: string;
  readonly key: string;
}

type Sighting = { -readonly [K in keyof Omit<LimitSighting, "bucket">]: LimitSighting[K] };

const DIMENSIONS_PER_ORIGIN = 16;

export function createBucketBook(): BucketBook {
  const ids = new Map<string, number>();
  const drafts: Draft[] = [];
  // origin and dimension -> stated value -> sighting: two number lookups an attempt instead of a built string.
  const sightings = new Map<number, Map<number, Sighting>>();

  return {
    originOf(provider, record, reading) {
      const org = record.orgId ?? reading.orgId ?? "";
      const workspace = record.workspaceId ?? reading.workspaceId ?? "";
      const key = `${provider.id}\0${record.provider ?? ""}\0${record.model ?? ""}\0${org}\0${workspace}\0${record.apiKeyId ?? ""}`;
      const known = ids.get(key);
      if (known !== undefined) return known;
      ids.set(key, drafts.length);
      drafts.push({
        provider: provider.id === "generic" ? (record.provider ?? "").toLowerCase() : provider.id,
        model: record.model ?? "",
        family: record.model === null ? "" : provider.family(record.model),
        org,
        workspace,
        key: record.apiKeyId ?? "",
      });
      return drafts.length - 1;
    },
    sight(origin, reading, atMs) {
      for (const limit of reading.limits) {
        const slot =
          origin * DIMENSIONS_PER_ORIGIN +
          DIMENSION[limit.dimension] * 2 +
          (limit.from === "headers" ? 0 : 1);
        let values = sightings.get(slot);
        if (values === undefined) sightings.set(slot, (values = new Map<number, Sighting>()));
        const left = leftFor(limit.dimension, reading);
        const known = values.get(limit.perMinute);
        if (known === undefined) values.set(limit.perMinute, newSighting(limit, atMs, left));
        else see(known, atMs, left);
      }
    },
    finish() {
      const { origins, buckets } = decideBuckets(drafts);
      return { origins, buckets, limits: foldSightings(sightings, origins) };
    },
  };
}

/** `remainingTokens` is told for one token dimension only: the input one where there are two. */
function leftFor(dimension: RateDimension, reading: Reading): number | null {
  if (dimension === "requests") return reading.remainingRequests;
  const hasInput = reading.limits.some((limit) => limit.dimension === "input-tokens");
  return dimension === (hasInput ? "input-tokens" : "tokens") ? reading.remainingTokens : null;
}

function newSighting(limit: Reading["limits"][number], atMs: EpochMs, left: number | null): Sighting {
  const { dimension, perMinute, from } = limit;
  return {
    dimension,
    perMinute,
    count: 1,
    firstMs: atMs,
    lastMs: atMs,
    maxRemaining: left ?? NOT_TOLD,
    from,
  };
}

function see(sighting: Sighting, atMs: EpochMs, left: number | null): void {
  sighting.count++;
  if (atMs < sighting.firstMs) sighting.firstMs = atMs;
  if (atMs > sighting.lastMs) sighting.lastMs = atMs;
  if (left !== null && left > sighting.maxRemaining) sighting.maxRemaining = left;
}

/**
 * A bucket is provider + organisation + family. A record that leaves one of them out (a 500 carries no headers, a refusal
 * may carry no model) joins the bucket that the others agree on, if there is only one.
 */
function decideBuckets(drafts: readonly Draft[]): { origins: Origin[]; buckets: Bucket[] } {
  const onlyProvider = onlyValue(drafts, (d) => d.provider);
  const byProvider = groupBy(drafts, (d) => d.provider || onlyProvider || "unknown");
  const orgOf = new Map<string, string>();
  const modelOf = new Map<string, string>();
  for (const [provider, peers] of byProvider) {
    orgOf.set(
      provider,
      onlyValue(peers, (d) => d.org),
    );
    modelOf.set(
      provider,
      onlyValue(peers, (d) => d.family),
    );
  }
  const homes = drafts.map((draft): Bucket => {
    const provider = draft.provider || onlyProvider || "unknown";
    const org = draft.org || (orgOf.get(provider) ?? "");
    const model = draft.family || modelOf.get(provider) || "unknown";
    return { id: `${provider}/${org || "default"}/${model}`, provider, org, model, assumedOrg: org === "" };
  });
  const distinct = new Map(homes.map((home) => [home.id, home]));
  // By id, so that the numbering does not depend on which record came first.
  const buckets = [...distinct.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const numbers = new Map(buckets.map((bucket, number) => [bucket.id, number]));
  const origins = drafts.map((draft, i): Origin => {
    const home = homes[i];
    const { model, workspace, key } = draft;
    return {
      provider: home?.provider ?? "",
      model,
      org: home?.org ?? "",
      workspace,
      key,
      bucket: numbers.get(home?.id ?? "") ?? 0,
    };
  });
  return { origins, buckets };
}

function groupBy(drafts: readonly Draft[], keyOf: (draft: Draft) => string): Map<string, Draft[]> {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const group = groups.get(keyOf(draft));
    if (group === undefined) groups.set(keyOf(draft), [draft]);
    else group.push(draft);
  }
  return groups;
}

/** The one value that is told; empty when none or several are. */
function onlyValue(drafts: readonly Draft[], valueOf: (draft: Draft) => string): string {
  const values = new Set(drafts.map(valueOf).filter((value) => value !== ""));
  const [first = ""] = values;
  return values.size === 1 ? first : "";
}

function foldSightings(
  sightings: ReadonlyMap<number, ReadonlyMap<number, Sighting>>,
  origins: readonly Origin[],
): LimitSighting[] {
  const folded = new Map<string, { -readonly [K in keyof LimitSighting]: LimitSighting[K] }>();
  for (const [slot, values] of sightings) {
    const bucket = origins[Math.floor(slot / DIMENSIONS_PER_ORIGIN)]?.bucket ?? 0;
    for (const sighting of values.values()) {
      const key = `${bucket}\0${sighting.dimension}\0${sighting.perMinute}\0${sighting.from}`;
      const known = folded.get(key);
      if (known === undefined) folded.set(key, { bucket, ...sighting });
      else {
        known.count += sighting.count;
        known.firstMs = Math.min(known.firstMs, sighting.firstMs);
        known.lastMs = Math.max(known.lastMs, sighting.lastMs);
        known.maxRemaining = Math.max(known.maxRemaining, sighting.maxRemaining);
      }
    }
  }
  return [...folded.values()].toSorted(
    (a, b) =>
      a.bucket - b.bucket ||
      order(a.dimension, b.dimension) ||
      b.count - a.count ||
      a.perMinute - b.perMinute,
  );
}

function order(a: RateDimension, b: RateDimension): number {
  return DIMENSION[a] - DIMENSION[b];
}
