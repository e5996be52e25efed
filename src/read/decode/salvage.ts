import { isJsonObject, type JsonObject } from "../format.ts";

/** What a line that is not one JSON object still holds. */
export interface Salvage {
  /** In the order of the line; empty = nothing. */
  readonly objects: readonly JsonObject[];
  /** `around`: other text before or after; `several`: objects glued together; `inside`: the line is damaged, but another record stands whole within it. */
  readonly how: "around" | "several" | "inside";
}

/** Longer lines are not searched: the search looks at some characters many times. */
const LONGEST = 64 * 1024;
const MOST_STARTS = 32;

/**
 * Whole JSON objects in a line that does not parse: `worker-3 | {...}`, `{...}{...}`, or two writers without a lock,
 * `{"a":"w1","msg":"begi{"a":"w2"}n"}`. Of nested objects the outermost that parses is taken.
 */
export function salvage(line: string): Salvage | null {
  if (line.length > LONGEST) return null;
  const objects: JsonObject[] = [];
  let damaged = false;
  let starts = 0;
  for (let start = line.indexOf("{"); start >= 0 && starts < MOST_STARTS; starts++) {
    const end = damaged && isNested(line, start) ? -1 : endOfObject(line, start);
    const value = end < 0 ? undefined : parsed(line.slice(start, end));
    if (isJsonObject(value)) {
      objects.push(value);
      start = line.indexOf("{", end);
    } else {
      damaged = true;
      start = line.indexOf("{", start + 1);
    }
  }
  if (objects.length === 0) return null;
  return { objects, how: damaged ? "inside" : objects.length > 1 ? "several" : "around" };
}

/** A part of the damaged object around it, such as its headers: no record of its own. */
function isNested(line: string, start: number): boolean {
  const before = line.slice(0, start).trimEnd().at(-1) ?? "";
  return ":,[".includes(before);
}

/** Just behind the brace that closes the one at `start`; -1 = none. */
function endOfObject(line: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < line.length; i++) {
    const char = line[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return i + 1;
  }
  return -1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
