import type { Report } from "../../model/report.ts";
import type { Paint, Style } from "../style.ts";
import { hang } from "./block.ts";

/** The verdict in a word, then in a sentence. */
export function headline(report: Report, style: Style): readonly string[] {
  const { word, as } = verdictWord(report);
  const at = { indent: 0, label: word, labelWidth: word.length + 2, labelAs: as, as: "strong" } as const;
  return hang(style, at, report.verdict.headline);
}

function verdictWord(report: Report): { readonly word: string; readonly as: Paint } {
  const { status } = report.verdict;
  if (status === "clear") return { word: "CLEAR", as: "good" };
  if (status === "inconclusive") return { word: "INCONCLUSIVE", as: "warning" };
  const isError = report.findings.some((found) => found.severity === "error");
  const as = isError ? "error" : "warning";
  if (report.buckets.some((bucket) => bucket.throttled > 0)) return { word: "THROTTLED", as };
  return { word: isError ? "PROBLEM" : "WARNING", as };
}
