import { PROBLEM_CODES, type ProblemCode } from "../../model/log.ts";
import type { Report, ReportInput } from "../../model/report.ts";
import { SEVERITIES } from "../../model/rule.ts";
import { counted, formatNumber } from "../../words/numbers.ts";
import type { Style } from "../style.ts";
import { type Hanging, hang, section } from "./block.ts";
import { sourceName } from "./evidence.ts";
import { activeFindings } from "./findings.ts";
import { stretch } from "./time.ts";

/** Inputs told one by one; the others are summed. `verbose` tells them all. */
const MOST_INPUTS = 3;

/** What was read and what became of it, so that nobody trusts a number made from half a log. */
export function accountingPart(report: Report, style: Style): readonly string[] {
  const { shown, hidden } = splitInputs(report.inputs, style);
  return section(style, "What was read", [
    ...shown.flatMap((input) => hang(style, row(""), inputWords(input))),
    ...(hidden.length === 0
      ? []
      : hang(style, row(""), `${counted(hidden.length, "more input")}: ${lineWords(hidden)}`)),
    ...rejectedLines(report, style),
    ...assumedLines(report, style),
    ...windowLines(report, style),
    ...missingLines(report, style),
  ]);
}

/** What was found and how the process ends; how many rules had nothing to say; where to read on. */
export function lastLines(report: Report, style: Style): readonly string[] {
  const active = activeFindings(report);
  const found = SEVERITIES.flatMap((severity) => {
    const count = active.filter((one) => one.severity === severity).length;
    return count === 0 ? [] : [severity === "info" ? `${count} info` : counted(count, severity)];
  });
  const ruled = (outcomes: readonly string[]): string =>
    formatNumber(report.verdicts.filter((verdict) => outcomes.includes(verdict.outcome)).length, "count");
  const { name, version } = report.tool;
  const rules = `rules: ${ruled(["found"])} found, ${ruled(["clear"])} clear, ${ruled(["not-applicable"])} not applicable, ${ruled(["unknown", "error"])} undecided; ${name} ${version}`;
  const more = `${name} explain ${active[0]?.rule ?? ""} tells more; -v adds all evidence and code to paste`;
  const at = { ...row(""), indent: 0 };
  return [
    "",
    ...hang(
      style,
      { ...at, as: "strong" },
      `${found.length === 0 ? "no findings" : found.join(", ")}; exit code ${report.exitCode}`,
    ),
    ...hang(style, { ...at, as: "dim" }, rules),
    ...(active.length === 0 || style.detail === "verbose" ? [] : hang(style, { ...at, as: "dim" }, more)),
  ];
}

function row(label: string): Hanging {
  return { indent: 2, label, labelWidth: label === "" ? 0 : 10, labelAs: "dim", as: "plain" };
}

function splitInputs(
  inputs: readonly ReportInput[],
  style: Style,
): { readonly shown: readonly ReportInput[]; readonly hidden: readonly ReportInput[] } {
  const isAll = style.detail === "verbose" || inputs.length <= MOST_INPUTS + 1;
  const most = isAll ? inputs.length : MOST_INPUTS;
  return { shown: inputs.slice(0, most), hidden: inputs.slice(most) };
}

function inputWords(input: ReportInput): string {
  const { source, format, why, timeUnit } = input;
  return `${sourceName(source)}: ${lineWords([input])}; read as ${format} (${why}), times in ${timeUnit}`;
}

function lineWords(inputs: readonly ReportInput[]): string {
  const sum = (pick: (input: ReportInput) => number): number =>
    inputs.reduce((total, input) => total + pick(input), 0);
  const parts: readonly (readonly [number, string])[] = [
    [sum((input) => input.rejected), "rejected"],
    [sum((input) => input.blank), "blank"],
    [sum((input) => input.outside), "outside the window"],
  ];
  const used = sum((input) => input.accepted) - sum((input) => input.outside);
  return [
    counted(
      sum((input) => input.lines),
      "line",
    ),
    `${formatNumber(used, "count")} used`,
    ...parts.flatMap(([count, word]) => (count === 0 ? [] : [`${formatNumber(count, "count")} ${word}`])),
  ].join(", ");
}

/** How many lines of each code were lost, and where to look: the first, or with `verbose` all that the report keeps. */
function rejectedLines(report: Report, style: Style): readonly string[] {
  return PROBLEM_CODES.flatMap((code: ProblemCode) => {
    const total = report.problemTotals[code] ?? 0;
    if (total === 0) return [];
    const examples = report.problems
      .filter((problem) => problem.code === code)
      .map((problem) => `${sourceName(problem.source)}:${problem.line} ${problem.detail}`);
    const [first, ...others] = examples;
    const text = `${formatNumber(total, "count")} ${code}${first === undefined ? "" : `, first ${first}`}`;
    return [
      ...hang(style, row("rejected"), text),
      ...(style.detail === "verbose" ? others.flatMap((one) => hang(style, row(" "), one)) : []),
    ];
  });
}

function assumedLines(report: Report, style: Style): readonly string[] {
  const assumed = [...new Set(report.inputs.flatMap((input) => input.assumed))];
  return assumed.length === 0 ? [] : hang(style, row("assumed"), assumed.join("; "));
}

function windowLines(report: Report, style: Style): readonly string[] {
  const { span } = report;
  if (span === null) return [];
  const length = Date.parse(span.to) - Date.parse(span.from);
  const long = Number.isFinite(length) ? ` (${formatNumber(length, "ms")})` : "";
  return hang(style, row("window"), `${stretch(span.from, span.to, true)} UTC${long}`);
}

/** What the log does not carry at all; the rules that wanted it already said so. */
function missingLines(report: Report, style: Style): readonly string[] {
  if (style.detail !== "verbose") return [];
  return report.facts.missing.flatMap(({ fact, because }) =>
    hang(style, row("missing"), `${fact}: ${because}`),
  );
}
