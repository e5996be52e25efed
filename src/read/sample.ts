import { salvage } from "./decode/salvage.ts";
import { isJsonObject, type JsonObject } from "./format.ts";
import { createDecoder, type Layout } from "./layouts.ts";

/** The first records of an input, as one layout reads them. */
export interface Sample {
  readonly records: readonly JsonObject[];
  /** Share of what was found that is a record, 0..1. */
  readonly share: number;
}

const MOST_RECORDS = 500;

/** A line that holds a record among other text speaks only half for this layout. */
const SALVAGED = 0.5;

/** @param complete the head is the whole input */
export function sampleOf(layout: Layout, head: Buffer, complete: boolean): Sample {
  const records: JsonObject[] = [];
  let names: readonly string[] = [];
  let found = 0;
  let good = 0;
  const keep = (objects: readonly JsonObject[], worth: number): void => {
    found++;
    if (objects.length === 0) return;
    good += worth;
    if (records.length < MOST_RECORDS) records.push(...objects);
  };
  const text = (each: string): void => {
    const value = parsed(each);
    if (isJsonObject(value)) keep([value], 1);
    else keep(value === undefined ? (salvage(each)?.objects ?? []) : [], SALVAGED);
  };
  const decoder = createDecoder(layout, {
    found: text,
    last: text,
    reject: () => keep([], 0),
    header: (cells) => {
      names = cells.map((cell) => cell.trim());
    },
    row: (cells) => keep([Object.fromEntries(names.map((name, i) => [name, cells[i]]))], 1),
  });
  decoder.push(head);
  if (complete) decoder.end();
  return { records, share: found === 0 ? 0 : good / found };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
