import type { Report, ReportFinding } from "../../model/report.ts";
import { type MeasuredNumber, SEVERITIES, type Subject } from "../../model/rule.ts";
import { agentLabel } from "../../words/names.ts";
import { counted, formatBesideLimit, formatNumber } from "../../words/numbers.ts";
import type { Style } from "../style.ts";
import { hang, hangItems } from "./block.ts";
import { evidenceLines } from "./evidence.ts";
import { fixLines, labelled } from "./fixes.ts";

/** Findings that count, worst first: the report's own order within a severity is by harm. */
export function activeFindings(report: Report): readonly ReportFinding[] {
  const active = report.findings.filter((found) => found.suppressed === undefined);
  return SEVERITIES.flatMap((severity) => active.filter((found) => found.severity === severity));
}

export function findingsPart(report: Report, style: Style): readonly string[] {
  const active = activeFindings(report);
  const shown = style.top === null ? active : active.slice(0, style.top);
  // A fix that helps against several findings is told in full at the worst of them.
  const given = new Map<string, string>();
  const lines = shown.flatMap((found) => {
    const own = ["", ...findingLines(style, found, given)];
    for (const fix of found.fixes.slice(0, 1))
      if (!given.has(fix.summary)) given.set(fix.summary, found.rule);
    return own;
  });
  const hidden = active.length - shown.length;
  return [
    ...lines,
    ...(hidden > 0 ? ["", `${counted(hidden, "more finding")}, left out by --top ${shown.length}`] : []),
    ...suppressedLines(report, style),
  ];
}

function findingLines(
  style: Style,
  found: ReportFinding,
  given: ReadonlyMap<string, string>,
): readonly string[] {
  const word = found.severity.toUpperCase();
  const head = {
    indent: 0,
    label: word,
    labelWidth: word.length + 2,
    labelAs: found.severity,
    as: "strong",
  } as const;
  const body = { ...labelled(""), labelWidth: 0 };
  const numbers = numberWords(style, found);
  return [
    ...hang(style, head, headWords(found)),
    ...hang(style, body, found.message === "" ? found.title : found.message),
    ...hangItems(style, { ...body, as: "dim" }, numbers),
    ...evidenceLines(style, labelled("see"), found.evidence),
    ...fixLines(style, found.fixes, given),
  ];
}

function headWords(found: ReportFinding): string {
  const subject = subjectWords(found.subject);
  return subject.length === 0 ? found.rule : `${found.rule}: ${subject.join(", ")}`;
}

function subjectWords(subject: Subject): readonly string[] {
  const { agent, waiter, key, bucket } = subject;
  const words = [
    ...(agent === undefined ? [] : [`agent ${agentLabel(agent)}`]),
    ...(waiter === undefined ? [] : [`waiter ${agentLabel(waiter)}`]),
    ...(key === undefined ? [] : [`key ${key}`]),
  ];
  // The bucket is most often the only one, and the message names it; it is told where nobody else is.
  return words.length === 0 && bucket !== undefined ? [`bucket ${bucket}`] : words;
}

/** Values beside their limits that the message does not already say; `verbose` tells every number. */
function numberWords(style: Style, found: ReportFinding): readonly string[] {
  return Object.entries(found.numbers).flatMap(([name, number]) => {
    const isTold = style.detail !== "verbose" && (number.limit === undefined || saysBoth(found, number));
    return isTold ? [] : [`${spaced(name, number)} ${formatBesideLimit(number)}`];
  });
}

function saysBoth(found: ReportFinding, number: MeasuredNumber): boolean {
  const says = (value: number | undefined): boolean =>
    value !== undefined && found.message.includes(formatNumber(value, number.unit));
  return says(number.value) && says(number.limit);
}

/** `shareOfAttempts` -> `share of attempts`; a unit at the end of the name is told by the number. */
function spaced(name: string, number: MeasuredNumber): string {
  const bare = number.unit === "ms" ? name.replace(/Ms$/, "") : name;
  return bare.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}

function suppressedLines(report: Report, style: Style): readonly string[] {
  const suppressed = report.findings.filter((found) => found.suppressed !== undefined);
  if (suppressed.length === 0) return [];
  const all = ["", `${counted(suppressed.length, "finding")} suppressed`];
  if (style.detail !== "verbose") return all;
  return all.concat(
    suppressed.flatMap((found) => {
      const { by, reason } = found.suppressed ?? { by: "", reason: "" };
      return hang(style, { ...labelled(""), labelWidth: 0 }, `${headWords(found)}; by ${by}: ${reason}`);
    }),
  );
}
