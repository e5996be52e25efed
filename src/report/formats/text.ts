import type { Report } from "../../model/report.ts";
import type { Reporter } from "../reporter.ts";
import { safeReport } from "../safe-report.ts";
import type { Style } from "../style.ts";
import { accountingPart, lastLines } from "../text/accounting.ts";
import { agentsPart } from "../text/agents.ts";
import { cascadePart } from "../text/cascade.ts";
import { findingsPart } from "../text/findings.ts";
import { headline } from "../text/headline.ts";
import { headroomLines } from "../text/headroom.ts";
import { undecidedPart } from "../text/undecided.ts";

/** For a person at a terminal: the verdict first, then who, how it travelled, what to change, and what it rests on. */
export const text: Reporter = {
  id: "text",
  summary: "for a terminal: verdict, agents over time, cascade, findings with fixes, accounting",
  extensions: [".txt"],
  render: (report, style) => {
    const lines = linesOf(safeReport(report, style.ascii), style);
    return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
  },
};

function linesOf(report: Report, style: Style): readonly string[] {
  if (style.detail === "quiet") return [...headline(report, style), ...findingsPart(report, style)];
  const isCalm = report.verdict.status === "clear" && style.detail !== "verbose";
  return [
    ...headline(report, style),
    ...(isCalm
      ? headroomLines(style, report.buckets)
      : [...agentsPart(report, style), ...cascadePart(report, style)]),
    ...findingsPart(report, style),
    ...undecidedPart(report, style),
    ...accountingPart(report, style),
    ...lastLines(report, style),
  ];
}
