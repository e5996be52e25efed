import type { ReportAgent, ReportBucket } from "../../model/report.ts";
import { agentLabel } from "../../words/names.ts";
import { counted, formatNumber } from "../../words/numbers.ts";
import type { Style } from "../style.ts";
import { type AgentRow, type NumberColumn, columnsFor } from "./agent-columns.ts";
import { type Axis, axisHead, axisOf, drawHeat, heatValues } from "./heat.ts";
import { clip } from "./layout.ts";
import { type Cell, type Column, GAP, drawTable, tableWidth } from "./table.ts";

const INDENT = 2;
const MOST_ROWS = 8;
const WIDEST_STRIP = 60;
/** A strip narrower than this shows no shape; it also holds the two times over it. */
const NARROWEST_STRIP = 24;

const NAME: Column = { head: "agent", align: "start" };
const NO_CELL: Cell = { text: "", as: "plain" };

interface Grid {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The agents of one bucket; `everyone` gives the time axis. */
export function agentTable(
  style: Style,
  bucket: ReportBucket,
  agents: readonly ReportAgent[],
  everyone: readonly ReportAgent[],
): readonly string[] {
  const rows = rowsOf(agents, style);
  const grid = fitGrid(style, bucket, rows, columnsFor(agents));
  const room = style.width - INDENT - tableWidth(grid.columns, grid.rows) - GAP;
  const series = everyone.map((agent) => agent.series);
  const axis = room < NARROWEST_STRIP ? null : axisOf(series, Math.min(room, WIDEST_STRIP));
  const drawn = axis === null ? grid : withStrips(style, axis, rows, grid, room);
  return drawTable(style, INDENT, drawn.columns, drawn.rows);
}

/** Heaviest first, by attempts or by tokens; beyond what fits on a screen the rest stands in one row. */
function rowsOf(agents: readonly ReportAgent[], style: Style): readonly AgentRow[] {
  const sorted = agents.toSorted((a, b) => weight(b) - weight(a) || (a.name < b.name ? -1 : 1));
  const alone = style.detail === "verbose" || sorted.length <= MOST_ROWS ? sorted.length : MOST_ROWS - 1;
  const others = sorted.slice(alone);
  return [
    ...sorted.slice(0, alone).map((agent) => ({ label: agentLabel(agent.name), agents: [agent] })),
    ...(others.length === 0 ? [] : [{ label: `${others.length} others`, agents: others }]),
  ];
}

function weight(agent: ReportAgent): number {
  return Math.max(agent.shareOfAttempts, agent.shareOfTokens ?? 0);
}

/** The most columns that leave room for a strip; else the most that fit at all. */
function fitGrid(
  style: Style,
  bucket: ReportBucket,
  rows: readonly AgentRow[],
  wanted: readonly NumberColumn[],
): Grid {
  const longest = Math.min(32, Math.max(8, Math.floor(style.width / 5)));
  const gridOf = (columns: readonly NumberColumn[]): Grid => ({
    columns: [NAME, ...columns],
    rows: rows.map((row) => [
      { text: clip(row.label, longest, style.glyphs.ellipsis), as: "plain" },
      ...columns.map((column) => column.cell(row, bucket)),
    ]),
  });
  const ranks = [4, 3, 2, 1, 0];
  const byRank = ranks.map((rank) => gridOf(wanted.filter((column) => column.rank <= rank)));
  const byCount = wanted.map((_, i) => gridOf(wanted.slice(0, wanted.length - i)));
  const room = style.width - INDENT;
  const takes = (grid: Grid): number => tableWidth(grid.columns, grid.rows);
  return (
    byRank.find((grid) => takes(grid) + GAP + NARROWEST_STRIP <= room) ??
    [...byRank, ...byCount].find((grid) => takes(grid) <= room) ??
    gridOf([])
  );
}

function withStrips(style: Style, axis: Axis, rows: readonly AgentRow[], grid: Grid, room: number): Grid {
  const sent = rows.map((row) => heatValues(axis, seriesOf(row), "sent"));
  const refused = heatValues(axis, rows.flatMap(seriesOf), "throttled");
  const top = [...sent, refused].flat().reduce((most, value) => Math.max(most, value), 1);
  const strip = (values: readonly number[]): string => drawHeat(axis, values, top, style.glyphs);
  const blanks = grid.columns.slice(1).map(() => NO_CELL);
  const full = style.glyphs.levels.at(-1) ?? "";
  const short = (text: string): string => clip(text, room, style.glyphs.ellipsis);
  const scale = `${full} = ${counted(top, "attempt")} in ${formatNumber(axis.stepMs, "ms")}`;
  const labelled = (label: string, strips: Cell): readonly Cell[] => [
    { text: label, as: strips.as },
    ...blanks,
    strips,
  ];
  return {
    columns: [...grid.columns, { head: short(axisHead(axis)), align: "start" }],
    rows: [
      ...grid.rows.map((row, i): readonly Cell[] => [...row, { text: strip(sent[i] ?? []), as: "plain" }]),
      ...(refused.some((count) => count > 0)
        ? [labelled("429s", { text: strip(refused), as: "error" })]
        : []),
      labelled("", { text: short(scale), as: "dim" }),
    ],
  };
}

function seriesOf(row: AgentRow): readonly ReportAgent["series"][] {
  return row.agents.map((agent) => agent.series);
}
