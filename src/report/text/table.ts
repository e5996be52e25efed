import type { Paint, Style } from "../style.ts";
import { columnsOf, padEnd, padStart } from "./layout.ts";

export interface Column {
  readonly head: string;
  readonly align: "start" | "end";
}

export interface Cell {
  readonly text: string;
  readonly as: Paint;
}

/** Between two columns. */
export const GAP = 2;

/** Columns that a table takes without its indent. */
export function tableWidth(columns: readonly Column[], rows: readonly (readonly Cell[])[]): number {
  return columnWidths(columns, rows).reduce((sum, width) => sum + width + GAP, -GAP);
}

/** Heading and rows, each column as wide as its widest cell. Cells must already fit; nothing is cut here. */
export function drawTable(
  style: Style,
  indent: number,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): readonly string[] {
  const widths = columnWidths(columns, rows);
  const heads = columns.map((column): Cell => ({ text: column.head, as: "dim" }));
  return [heads, ...rows].map((row) => {
    const cells = columns.map((column, i) => {
      const { text, as } = row[i] ?? { text: "", as: "plain" };
      const isLast = i === columns.length - 1;
      const pad = column.align === "end" ? padStart : isLast ? (same: string) => same : padEnd;
      return style.paint(pad(text, widths[i] ?? 0), as);
    });
    return (" ".repeat(indent) + cells.join(" ".repeat(GAP))).trimEnd();
  });
}

function columnWidths(columns: readonly Column[], rows: readonly (readonly Cell[])[]): readonly number[] {
  return columns.map((column, i) =>
    rows.reduce((most, row) => Math.max(most, columnsOf(row[i]?.text ?? "")), columnsOf(column.head)),
  );
}
