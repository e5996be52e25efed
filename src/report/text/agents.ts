import type { Report, ReportBucket } from "../../model/report.ts";
import { counted, formatNumber } from "../../words/numbers.ts";
import type { Style } from "../style.ts";
import { agentTable } from "./agent-table.ts";
import { hang, section } from "./block.ts";
import { headroomLines } from "./headroom.ts";
import { limitWords, requestsLimit } from "./limits.ts";

const MOST_TABLES = 3;

/**
 * A table a bucket: who drew on it, how much and when. All strips share one time axis, those of a bucket one scale. Calm
 * buckets beside throttled ones have one line each.
 */
export function agentsPart(report: Report, style: Style): readonly string[] {
  const { tables, lines } = splitBuckets(report, style);
  return [
    ...tables.flatMap((bucket) => {
      const agents = report.agents.filter((agent) => agent.bucket === bucket.id);
      const isOnly = report.buckets.length === 1;
      const table = agents.length === 0 ? [] : agentTable(style, bucket, agents, report.agents);
      return ["", ...bucketLines(style, bucket, isOnly), ...table];
    }),
    ...section(style, "Other buckets", headroomLines(style, lines)),
  ];
}

/** The throttled ones, or when none is the busiest, get a table. */
function splitBuckets(
  report: Report,
  style: Style,
): { readonly tables: readonly ReportBucket[]; readonly lines: readonly ReportBucket[] } {
  if (style.detail === "verbose") return { tables: report.buckets, lines: [] };
  const worst = report.buckets.toSorted((a, b) => b.throttled - a.throttled || use(b) - use(a));
  const throttled = worst.filter((bucket) => bucket.throttled > 0).length;
  const count = Math.max(1, Math.min(throttled, MOST_TABLES));
  return { tables: worst.slice(0, count), lines: worst.slice(count) };
}

/** Of the limit; 0 where none is known. */
function use(bucket: ReportBucket): number {
  return bucket.peakPerMinute / (requestsLimit(bucket) ?? Number.POSITIVE_INFINITY);
}

function bucketLines(style: Style, bucket: ReportBucket, isOnly: boolean): readonly string[] {
  const { id, limits, peakPerMinute, throttled, attempts } = bucket;
  // Of a single bucket the headline has told the refusals.
  const refused = isOnly
    ? ""
    : `; ${formatNumber(throttled, "count")} of ${counted(attempts, "attempt")} refused`;
  const line = `${limitWords(limits)}; peak ${counted(peakPerMinute, "attempt")}/min${refused}`;
  const plain = { label: "", labelWidth: 0, labelAs: "plain" } as const;
  return [
    ...hang(style, { ...plain, indent: 0, as: "strong" }, id),
    ...hang(style, { ...plain, indent: 2, as: "plain" }, line),
  ];
}
