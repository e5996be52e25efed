import { createCsvDecoder, type CsvRow, delimitersOf } from "./decode/csv.ts";
import type { Decoder, DecoderSink } from "./decode/decoder.ts";
import { createJsonDecoder } from "./decode/json-values.ts";
import { createLineDecoder } from "./decode/lines.ts";
import { findLists } from "./decode/lists.ts";

/** How records stand in a file. */
export type Layout =
  /** One JSON object a line. */
  | { readonly kind: "ndjson" }
  /** The elements of a list: the file's own, or the one at this path of keys. */
  | { readonly kind: "list"; readonly path: readonly string[] }
  /** JSON values one after another, over as many lines as they like. */
  | { readonly kind: "values" }
  | { readonly kind: "csv"; readonly delimiter: string };

/** Where a decoder sends what it finds. */
export interface RecordSink extends DecoderSink<string> {
  /** Text of the last line, which lacks its line end. */
  readonly last: (text: string, line: number) => void;
  readonly header: (names: CsvRow) => void;
  readonly row: (cells: CsvRow, line: number) => void;
}

export function createDecoder(layout: Layout, sink: RecordSink): Decoder {
  if (layout.kind === "ndjson") return createLineDecoder(sink, sink.last);
  if (layout.kind === "values") return createJsonDecoder(sink);
  if (layout.kind === "list") return createJsonDecoder(sink, layout.path);
  return createCsvDecoder({ found: sink.row, reject: sink.reject }, sink.header, layout.delimiter);
}

export function layoutName(layout: Layout): string {
  if (layout.kind === "ndjson") return "one JSON object a line";
  if (layout.kind === "values") return "JSON objects one after another";
  if (layout.kind === "list")
    return layout.path.length === 0 ? "a JSON list" : `the JSON list ${layout.path.join(".")}`;
  return `CSV with ${layout.delimiter === "\t" ? "tabs" : layout.delimiter}`;
}

/** The layouts that the first bytes allow, most usual first. */
export function possibleLayouts(head: Buffer): Layout[] {
  const start = head.toString("latin1", 0, 1_000).trimStart()[0];
  if (start === "[") return [{ kind: "list", path: [] }, { kind: "ndjson" }];
  if (start === "{") {
    const lists = findLists(head).map((path): Layout => ({ kind: "list", path }));
    return [{ kind: "ndjson" }, ...lists, { kind: "values" }];
  }
  const header = firstLine(head);
  return [
    { kind: "ndjson" },
    ...delimitersOf(header).map((delimiter): Layout => ({ kind: "csv", delimiter })),
  ];
}

function firstLine(head: Buffer): string {
  return (
    head
      .toString("utf8")
      .split("\n")
      .find((line) => line.trim() !== "") ?? ""
  );
}
