import { type Format, isJsonObject, type JsonObject } from "./format.ts";
import { FORMATS } from "./formats/index.ts";

/** How records stand in a file: one JSON object a line, JSON values one after another or in a list, or CSV. */
export type Layout =
  | { readonly kind: "ndjson" }
  | { readonly kind: "json"; readonly list: readonly string[] }
  | { readonly kind: "csv"; readonly delimiter: string };

export interface Detected {
  readonly layout: Layout;
  readonly format: Format;
  readonly why: string;
}

export function detect(head: Buffer, formats: readonly Format[] = FORMATS): Detected {
  const records: JsonObject[] = [];
  for (const line of head.toString("utf8").split("\n")) {
    try {
      const value: unknown = JSON.parse(line);
      if (isJsonObject(value)) records.push(value);
    } catch {
      // A line that is no JSON tells nothing about the format.
    }
  }
  let best: Detected | null = null;
  let bestScore = -1;
  for (const format of formats) {
    const { score, why } =
      records.length === 0 ? { score: 0, why: "no JSON object in the first lines" } : format.sniff(records);
    if (score > bestScore) {
      bestScore = score;
      best = { layout: { kind: "ndjson" }, format, why };
    }
  }
  if (best === null) throw new RangeError("no format to choose from");
  return best;
}
