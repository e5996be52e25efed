import { isJsonObject } from "./format.ts";

/** Names worth reading: limits, waits, ids, the server's clock. Everything else may be private, and is dropped unread. */
const WANTED =
  /rate-?limit|tokenlimit|retry|reset|remaining|quota|-(?:limit|used)(?:-|$)|^date$|request-?id$|requestid$|errortype|organi[sz]ation|openai-project|x-ms-region|^anthropic-(?:priority|fast)-/;

const LONGEST_VALUE = 500;
const CACHED_NAMES = 4_096;

/** Reads the response headers of one input's records. */
export interface HeaderReader {
  /** undefined = nothing that looks like headers. Names in lower case. */
  readonly read: (
    value: unknown,
    flattened: readonly (readonly [string, unknown])[],
  ) => ReadonlyMap<string, string> | undefined;
}

export function createHeaderReader(): HeaderReader {
  const names = new Map<string, string | null>();
  const nameOf = (name: string): string | null => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const lower = name.trim().toLowerCase();
    const wanted = WANTED.test(lower) ? lower : null;
    if (names.size < CACHED_NAMES) names.set(name, wanted);
    return wanted;
  };
  const keep = (into: Map<string, string>, name: unknown, value: unknown): void => {
    const wanted = typeof name === "string" ? nameOf(name) : null;
    const text = wanted === null ? null : headerText(value);
    if (wanted !== null && text !== null) into.set(wanted, text);
  };
  return {
    read(value, flattened) {
      const headers = new Map<string, string>();
      for (const [name, each] of flattened) keep(headers, name, each);
      if (isJsonObject(value)) {
        for (const name in value) keep(headers, name, value[name]);
        return headers;
      }
      if (value === undefined) return headers;
      const pairs = pairsOf(value);
      if (pairs === null) return undefined;
      for (const [name, each] of pairs) keep(headers, name, each);
      return headers;
    },
  };
}

function headerText(value: unknown): string | null {
  if (typeof value === "string") return value.length <= LONGEST_VALUE ? value : null;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  // Several lines of one name, as most HTTP clients hand them over.
  if (Array.isArray(value) && value.every((each) => typeof each === "string"))
    return headerText(value.join(", "));
  return null;
}

type Pairs = readonly (readonly [unknown, unknown])[];

/** `[["a","1"]]`, `[{name, value}]`, `["a","1"]`, JSON in text, Python's print, or header lines. null = none of them. */
function pairsOf(value: unknown): Pairs | null {
  if (typeof value === "string") return pairsOfText(value.trim());
  if (!Array.isArray(value)) return null;
  const items: readonly unknown[] = value;
  if (items.every((item) => typeof item === "string" || typeof item === "number")) {
    return items.filter((_, i) => i % 2 === 0).map((name, i) => [name, items[2 * i + 1]]);
  }
  return items.map((item) => {
    if (Array.isArray(item)) return [item[0] as unknown, item[1] as unknown];
    return isJsonObject(item) ? [item["name"] ?? item["key"], item["value"]] : ["", ""];
  });
}

function pairsOfText(text: string): Pairs | null {
  if (text.startsWith("{") || text.startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(text);
      return isJsonObject(parsed) ? Object.entries(parsed) : pairsOf(parsed);
    } catch {
      // Not JSON: perhaps Python's print of a dictionary, below.
    }
  }
  const printed = [...text.matchAll(/['"]([\w-]+)['"] ?[:,] ?['"]([^'"]*)['"]/g)];
  if (printed.length > 0) return printed.map((match) => [match[1], match[2]]);
  const lines = [...text.matchAll(/^([\w-]+): ?(.*?)\r?$/gm)];
  return lines.length > 0 ? lines.map((match) => [match[1], match[2]]) : null;
}
