import type { ReportEvidence } from "../../model/report.ts";
import type { Style } from "../style.ts";
import { type Hanging, hang, hangItems, roomFor } from "./block.ts";
import { clipStart } from "./layout.ts";
import { clock } from "./time.ts";

/** More places than this are counted; `verbose` lists them all. */
const MOST_PLACES = 3;

/** `runs/monday.ndjson:120`: what an editor opens. */
export function placeOf(evidence: ReportEvidence): string {
  return `${sourceName(evidence.source)}:${evidence.line}`;
}

export function sourceName(source: string): string {
  return source === "-" ? "stdin" : source;
}

export function evidenceLines(
  style: Style,
  at: Hanging,
  evidence: readonly ReportEvidence[],
): readonly string[] {
  // One column is kept for the comma behind a place.
  const room = roomFor(style, at) - 1;
  const places = evidence.map((one) => clipStart(placeOf(one), room, style.glyphs.ellipsis));
  if (style.detail === "verbose")
    return evidence.flatMap((one, i) => {
      const text = `${places[i] ?? ""}  ${clock(one.ts)}  ${one.note}`;
      return hang(style, i === 0 ? at : { ...at, label: "" }, text);
    });
  const unique = [...new Set(places)];
  const more = unique.length - MOST_PLACES;
  return hangItems(style, at, more > 0 ? [...unique.slice(0, MOST_PLACES), `+${more} more`] : unique);
}
