import type { Report } from "../model/report.ts";
import { safeLines, safeText } from "../words/safe.ts";

type Clean = (text: string) => string;

/**
 * A copy of the report in which every text is fit for a terminal, so that no layout can forget one. Code keeps its line
 * breaks. `ascii` also replaces what is not ASCII by a question mark.
 */
export function safeReport(report: Report, ascii: boolean): Report {
  const restrict: Clean = ascii ? (text) => text.replaceAll(/[^\n -~]/gu, "?") : (text) => text;
  const line: Clean = (text) => restrict(safeText(text));
  const lines: Clean = (text) => restrict(safeLines(text));
  // Boundary: a copy that changes only the characters of texts has the shape of the original.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return copy(report, line, lines) as Report;
}

function copy(value: unknown, line: Clean, lines: Clean): unknown {
  if (typeof value === "string") return line(value);
  if (Array.isArray(value)) return value.map((item) => copy(item, line, lines));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      line(key),
      copy(item, key === "snippets" ? lines : line, lines),
    ]),
  );
}
