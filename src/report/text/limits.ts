import type { ReportBucket, ReportLimit } from "../../model/report.ts";
import { formatNumber } from "../../words/numbers.ts";

const SOURCE_WORDS: { readonly [S in ReportLimit["source"]]: string } = {
  config: "configured",
  headers: "stated by responses",
  preset: "preset of the tier",
  inferred: "inferred from the refusals",
};

/** Requests per minute; null = not known. */
export function requestsLimit(bucket: ReportBucket): number | null {
  return bucket.limits.find((limit) => limit.dimension === "requests")?.perMinute ?? null;
}

/** `50 requests/min (stated by responses); 30,000 input tokens/min (configured)`. */
export function limitWords(limits: readonly ReportLimit[]): string {
  return limits.length === 0 ? "limit not known" : limits.map(oneLimit).join("; ");
}

function oneLimit(limit: ReportLimit): string {
  const rate = `${formatNumber(limit.perMinute, "count")} ${limit.dimension.replace("-", " ")}/min`;
  const burst = limit.burst === null ? "" : `, burst ${formatNumber(limit.burst, "count")}`;
  return `${rate}${burst} (${SOURCE_WORDS[limit.source]})`;
}
