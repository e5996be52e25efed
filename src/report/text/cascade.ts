import type { Report, ReportCascadeStep, ReportIncident } from "../../model/report.ts";
import { agentLabel } from "../../words/names.ts";
import { counted, formatNumber } from "../../words/numbers.ts";
import type { Paint, Style } from "../style.ts";
import { WIDEST_PROSE, hang, section } from "./block.ts";
import { placeOf } from "./evidence.ts";
import { clip, clipStart, columnsOf, fold, padEnd } from "./layout.ts";
import { moveWords } from "./fixes.ts";
import { clock, stretch } from "./time.ts";

const INDENT = 2;
/** Further incidents are counted; `verbose` tells them all. */
const MOST_INCIDENTS = 3;
/** Steps of one incident. */
const MOST_STEPS = 8;
const ROLE_PAINT: { readonly [R in ReportCascadeStep["role"]]: Paint } = {
  cause: "error",
  carrier: "warning",
  victim: "info",
};
/** `carrier` is the longest role. */
const ROLE_WIDTH = 9;
const TIME_WIDTH = 10;
/** With less room than this beside its head, a step's text stands below it. */
const NARROWEST_TEXT = 24;

/** How the failure travelled in the worst incidents: cause, carriers, victims, each with its time and a place to open. */
export function cascadePart(report: Report, style: Style): readonly string[] {
  const told = report.incidents.filter((incident) => incident.cascade.length > 0);
  const worst = told.toSorted((a, b) => b.throttled - a.throttled);
  // Incidents of one bucket tell much the same story: the worst of each bucket stands for the others.
  const oneEach = worst.filter(
    (incident, i) => worst.findIndex((one) => one.bucket === incident.bucket) === i,
  );
  const shown = style.detail === "verbose" ? worst : oneEach.slice(0, MOST_INCIDENTS);
  const hidden = told.length - shown.length;
  const withBucket = report.buckets.length > 1;
  return section(style, "How the failure travelled", [
    ...shown.flatMap((incident) => incidentLines(style, incident, withBucket)),
    ...(hidden > 0
      ? [`${" ".repeat(INDENT)}and in ${counted(hidden, "further incident")} (-v tells more)`]
      : []),
  ]);
}

function incidentLines(style: Style, incident: ReportIncident, withBucket: boolean): readonly string[] {
  const story = inOrderOfTime(incident.cascade);
  const steps = style.detail === "verbose" ? story : story.slice(0, MOST_STEPS);
  const hidden = story.length - steps.length;
  const names = steps.map((step) => columnsOf(agentLabel(step.agent)));
  const nameWidth = Math.min(Math.max(...names), Math.floor(style.width / 5)) + 2;
  const plain = { indent: INDENT, label: "", labelWidth: 0, labelAs: "plain", as: "plain" } as const;
  return [
    ...hang(style, plain, incidentWords(incident, withBucket)),
    ...steps.flatMap((step) => stepLines(style, step, nameWidth)),
    ...(hidden > 0 ? hang(style, plain, `and ${counted(hidden, "further step")}`) : []),
    ...(incident.together === null
      ? []
      : hang(style, { ...plain, as: "good" }, `with all fixes: ${moveWords(style, incident.together)}`)),
  ];
}

/** The cause first, whatever happened before; then as it happened. */
function inOrderOfTime(steps: readonly ReportCascadeStep[]): readonly ReportCascadeStep[] {
  const causes = steps.filter((step) => step.role === "cause");
  const others = steps.filter((step) => step.role !== "cause");
  return [...causes, ...others.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))];
}

function incidentWords(incident: ReportIncident, withBucket: boolean): string {
  const { from, to, throttled, attempts, rateBefore, rateAfterFirst429, bucket } = incident;
  const when = stretch(from, to, false);
  const refused = `${formatNumber(throttled, "count")} of ${counted(attempts, "attempt")} refused`;
  const before = rateBefore === null ? "" : `${formatNumber(rateBefore, "per-minute")} before, `;
  const rates = `${before}${formatNumber(rateAfterFirst429, "per-minute")} after the first 429`;
  return `${when}${withBucket ? ` on ${bucket}` : ""}: ${refused}; ${rates}`;
}

/** `  cause    code      14:03:10  started 60 calls ...`, with its place at the end of the text. */
function stepLines(style: Style, step: ReportCascadeStep, nameWidth: number): readonly string[] {
  const role = style.paint(step.role, ROLE_PAINT[step.role]) + " ".repeat(ROLE_WIDTH - step.role.length);
  const name = padEnd(clip(agentLabel(step.agent), nameWidth - 2, style.glyphs.ellipsis), nameWidth);
  const lead = " ".repeat(INDENT) + role + name + clock(step.at);
  const beside = INDENT + ROLE_WIDTH + nameWidth + TIME_WIDTH;
  const isNarrow = style.width - beside < NARROWEST_TEXT;
  const indent = isNarrow ? INDENT + ROLE_WIDTH : beside;
  const room = Math.min(style.width, WIDEST_PROSE) - indent;
  const place = clipStart(placeOf(step.evidence), room, style.glyphs.ellipsis);
  const lines = withPlace(style, fold(step.what, room), place, room);
  const indented = lines.map((line) => " ".repeat(indent) + line);
  if (isNarrow) return [lead, ...indented];
  return [`${lead}  ${lines[0] ?? ""}`, ...indented.slice(1)];
}

/** The place stands behind the text if it fits there, else on a line of its own. */
function withPlace(style: Style, lines: readonly string[], place: string, room: number): readonly string[] {
  const last = lines.at(-1) ?? "";
  const dim = style.paint(place, "dim");
  if (last === "" || columnsOf(last) + 2 + columnsOf(place) > room) return [...lines, dim];
  return [...lines.slice(0, -1), `${last}  ${dim}`];
}
