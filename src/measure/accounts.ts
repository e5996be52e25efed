import { NOT_TOLD, type RequestLog } from "../model/log.ts";
import { DIMENSION, OUTCOME } from "../model/outcome.ts";
import { type DurationMs, MINUTE_MS } from "../model/time.ts";
import { bucketAt, isOk, isSent } from "./attempts.ts";
import { callsOf } from "./calls.ts";
import { groupBy } from "./grouping.ts";
import { defineMeasure } from "./measure.ts";
import { peakCount } from "./rates.ts";
import { lowerBound } from "./statistics.ts";

/** What one key of one organisation sent. Money belongs to the organisation; a key can have a cap of its own. */
export interface KeyTraffic {
  readonly provider: string;
  readonly org: string;
  /** Empty = not told. */
  readonly key: string;
  /** When the attempts that passed were sent, ascending. */
  readonly passedMs: readonly number[];
  /** Refused for money, in order. */
  readonly unpaid: readonly number[];
  /** All sent attempts, in order, of a key that never passed; empty for one that did. */
  readonly neverPassed: readonly number[];
}

/** Keys that were refused for money or that never passed, in order of first sight. Others are not kept: they are long. */
export const keyTraffic: (log: RequestLog) => readonly KeyTraffic[] = defineMeasure((log) => {
  const { attempts, origins } = log;
  const ids = origins.map(({ provider, org, key }) => JSON.stringify([provider, org, key]));
  const slots = origins.map((_, origin) => ids.indexOf(ids[origin] ?? ""));
  const slotOf = (row: number): number => slots[attempts.origin[row] ?? 0] ?? 0;
  const [passed, unpaid] = [new Uint32Array(origins.length), new Uint32Array(origins.length)];
  for (let row = 0; row < attempts.length; row++) {
    const slot = slotOf(row);
    if (isOk(attempts, row)) passed[slot] = (passed[slot] ?? 0) + 1;
    else if (attempts.outcome[row] === OUTCOME.quota) unpaid[slot] = (unpaid[slot] ?? 0) + 1;
  }
  const rowsOf = (slot: number, holds: (row: number) => boolean): number[] => {
    const rows: number[] = [];
    for (let row = 0; row < attempts.length; row++) if (slotOf(row) === slot && holds(row)) rows.push(row);
    return rows;
  };
  return origins.flatMap(({ provider, org, key }, slot): KeyTraffic[] => {
    const isPaid = (unpaid[slot] ?? 0) === 0;
    if (slots[slot] !== slot || (isPaid && (passed[slot] ?? 0) > 0)) return [];
    return [
      {
        provider,
        org,
        key,
        passedMs: rowsOf(slot, (row) => isOk(attempts, row)).map((row) => attempts.sentMs[row] ?? 0),
        unpaid: isPaid ? [] : rowsOf(slot, (row) => attempts.outcome[row] === OUTCOME.quota),
        neverPassed: (passed[slot] ?? 0) > 0 ? [] : rowsOf(slot, (row) => isSent(attempts, row)),
      },
    ];
  });
});

/**
 * The refusals for money that stand for money: no success of the key for longer than `outageMs` around them, or none at
 * all on one side. Some providers use a billing code for a limit that refills; then successes are close on both sides. A
 * key on which most are of that kind is believed to mean it at the ends of the log as well.
 */
export function realUnpaid(log: RequestLog, traffic: KeyTraffic, outageMs: DurationMs): number[] {
  const { passedMs, unpaid } = traffic;
  const start = log.span?.from ?? 0;
  const end = log.span?.to ?? 0;
  const stretches = unpaid.map((row) => {
    const next = lowerBound(passedMs, log.attempts.sentMs[row] ?? 0);
    const [before, after] = [passedMs[next - 1], passedMs[next]];
    const isInside = before !== undefined && after !== undefined;
    return { row, isInside, isShort: (after ?? end) - (before ?? start) <= outageMs };
  });
  const refilling = stretches.filter(({ isInside, isShort }) => isInside && isShort).length;
  const mostlyRefills = 2 * refilling >= unpaid.length;
  return stretches
    .filter(({ isInside, isShort }) => !(isShort && (isInside || mostlyRefills)))
    .map(({ row }) => row);
}

/** What a key sent to one bucket when all of it was refused and nothing says why. */
export interface BlindTraffic {
  readonly rows: readonly number[];
  readonly spanMs: DurationMs;
  /** First attempts. */
  readonly starts: number;
  /** The most of them in any minute. */
  readonly startsPerMinute: number;
}

/** Empty when the key ever passed. A hint, a stated limit or a named dimension says why: then it is a rate limit. */
export function blindTraffic(log: RequestLog, { neverPassed }: KeyTraffic): BlindTraffic[] {
  const { sentMs } = log.attempts;
  const { repeated } = callsOf(log);
  const byBucket = groupBy(neverPassed, (row) => bucketAt(log, row));
  return [...byBucket].flatMap(([bucket, own]): BlindTraffic[] => {
    const isExplained = log.limits.some((limit) => limit.bucket === bucket);
    if (isExplained || !own.every((row) => isBlind(log, row))) return [];
    const starts = own.filter((row) => repeated[row] === 0).map((row) => sentMs[row] ?? 0);
    return [
      {
        rows: own,
        spanMs: (sentMs[own.at(-1) ?? 0] ?? 0) - (sentMs[own[0] ?? 0] ?? 0),
        starts: starts.length,
        startsPerMinute: peakCount(starts, MINUTE_MS).value,
      },
    ];
  });
}

function isBlind({ attempts }: RequestLog, row: number): boolean {
  return (
    attempts.outcome[row] === OUTCOME.throttled &&
    attempts.dimension[row] === DIMENSION.unknown &&
    attempts.retryAfterMs[row] === NOT_TOLD
  );
}
