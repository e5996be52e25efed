import type { ReportBucket } from "../../model/report.ts";
import { counted, formatNumber } from "../../words/numbers.ts";
import type { Style } from "../style.ts";
import { type Hanging, hang } from "./block.ts";
import { requestsLimit } from "./limits.ts";

/** Further buckets are counted; `verbose` tells them all. */
const MOST_BUCKETS = 5;

/** One line a bucket: how far it stayed below its limit. */
export function headroomLines(style: Style, buckets: readonly ReportBucket[]): readonly string[] {
  const at: Hanging = { indent: 2, label: "", labelWidth: 0, labelAs: "plain", as: "plain" };
  const isAll = style.detail === "verbose" || buckets.length <= MOST_BUCKETS + 1;
  const shown = isAll ? buckets : buckets.slice(0, MOST_BUCKETS);
  const hidden = buckets.length - shown.length;
  return [
    ...shown.flatMap((bucket) => hang(style, at, headroomOf(bucket))),
    ...(hidden > 0 ? hang(style, at, `and ${hidden} more buckets`) : []),
  ];
}

function headroomOf(bucket: ReportBucket): string {
  const { id, peakPerMinute, attempts, throttled } = bucket;
  const limit = requestsLimit(bucket);
  const refused = `${counted(attempts, "attempt")}, ${formatNumber(throttled, "count")} refused`;
  const peak = formatNumber(peakPerMinute, "count");
  if (limit === null) return `${id}: busiest minute ${peak} attempts, limit not known; ${refused}`;
  const used = peakPerMinute / limit;
  const room = used < 1 ? `, ${formatNumber(1 - used, "share")} free` : "";
  const against = `${peak} of ${formatNumber(limit, "count")} requests (${formatNumber(used, "share")}${room})`;
  return `${id}: busiest minute ${against}; ${refused}`;
}
