import type { Paint, Style } from "../style.ts";
import { columnsOf, fold, foldItems } from "./layout.ts";

/** Prose is not stretched over a wide terminal: long lines are hard to read back. */
export const WIDEST_PROSE = 100;

/** Text folded under itself behind a label: `fix  Put one token bucket ...`. */
export interface Hanging {
  readonly indent: number;
  readonly label: string;
  /** Columns of the label with the space after it. */
  readonly labelWidth: number;
  readonly labelAs: Paint;
  readonly as: Paint;
}

export function hang(style: Style, at: Hanging, text: string): readonly string[] {
  return hangLines(style, at, fold(text, roomFor(style, at)));
}

/** Folds only between items. */
export function hangItems(style: Style, at: Hanging, items: readonly string[]): readonly string[] {
  return hangLines(style, at, foldItems(items, ", ", roomFor(style, at)));
}

/** Columns that the text of a block has. */
export function roomFor(style: Style, at: Hanging): number {
  return Math.min(style.width, WIDEST_PROSE) - at.indent - at.labelWidth;
}

function hangLines(style: Style, at: Hanging, lines: readonly string[]): readonly string[] {
  const { indent, label, labelWidth, labelAs, as } = at;
  const rest = " ".repeat(indent + labelWidth);
  const gap = " ".repeat(Math.max(0, labelWidth - columnsOf(label)));
  return lines.map((line, i) =>
    i === 0
      ? " ".repeat(indent) + style.paint(label, labelAs) + gap + style.paint(line, as)
      : rest + style.paint(line, as),
  );
}

/** A section: its heading, and its lines. Nothing at all when it has no line. */
export function section(style: Style, heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", style.paint(heading, "strong"), ...lines];
}
