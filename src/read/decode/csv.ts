import { CsvError, parse } from "csv-parse/sync";
import type { Decoder, DecoderSink } from "./decoder.ts";
import { createLineDecoder } from "./lines.ts";

export type CsvRow = readonly string[];

/** A quoted field over more lines than this is a quote that was never closed. */
const MOST_LINES = 1_000;

interface Row {
  readonly text: string;
  readonly line: number;
}

/**
 * CSV with a header row. The rows are cut here, by counting quotes, and taken apart by csv-parse: so a bad row costs itself
 * only, and every row knows its line. Where a row over several lines turns out to be broken, its first line is rejected and
 * the others are read again as rows of their own. Counts are of rows, without the header.
 */
export function createCsvDecoder(
  sink: DecoderSink<CsvRow>,
  header: (names: CsvRow) => void,
  delimiter: string,
): Decoder {
  let width = 0;
  let rows = 0;
  let blank = 0;
  // Rows of one line, taken apart together: a call for each costs more than the parsing.
  let ready: Row[] = [];
  // Lines of a row whose quote is still open.
  let open: Row[] = [];

  const reject = (line: number, detail: string): void => {
    flush();
    rows++;
    sink.reject("bad-csv", line, detail);
  };

  const take = (cells: CsvRow, line: number): void => {
    if (width === 0) {
      width = cells.length;
      header(cells);
      return;
    }
    rows++;
    if (cells.length === width) sink.found(cells, line);
    else sink.reject("bad-csv", line, `${cells.length} cells where the header has ${width}`);
  };

  const flush = (): void => {
    const batch = ready;
    ready = [];
    const parsed = cellsOf(batch, delimiter);
    for (const [i, row] of batch.entries()) {
      const cells = parsed?.[i] ?? cellsOf([row], delimiter)?.[0];
      if (cells !== undefined) take(cells, row.line);
      else {
        rows++;
        sink.reject("bad-csv", row.line, "quotes in the wrong place");
      }
    }
  };

  /** The open row cannot be read as one: its first line is lost, the others get their chance. */
  const giveUp = (detail: string): void => {
    const [first, ...others] = open;
    open = [];
    if (first === undefined) return;
    reject(first.line, detail);
    for (const row of others) feed(row);
  };

  const close = (): void => {
    const [first] = open;
    if (first === undefined) return;
    flush();
    const whole = { text: open.map((row) => row.text).join("\n"), line: first.line };
    const cells = cellsOf([whole], delimiter)?.[0];
    if (cells === undefined) return giveUp("quotes in the wrong place");
    open = [];
    take(cells, whole.line);
  };

  const feed = (row: Row): void => {
    if (open.length === 0 && row.text.trim() === "") {
      blank++;
      rows++;
      return;
    }
    const opensOrCloses = hasOddQuotes(row.text);
    if (open.length === 0 && !opensOrCloses) {
      ready.push(row);
      return;
    }
    open.push(row);
    if (open.length === 1) return;
    if (opensOrCloses) close();
    else if (open.length > MOST_LINES) giveUp(`a quote is not closed within ${MOST_LINES} lines`);
  };

  const lines = createLineDecoder({
    found: (text, line) => feed({ text, line }),
    // Within quotes it is text.
    empty: (text, line) => feed({ text, line }),
    reject(code, line, detail) {
      giveUp("a line of this row cannot be read");
      flush();
      rows++;
      sink.reject(code, line, detail);
    },
  });

  return {
    push(chunk) {
      lines.push(chunk);
      flush();
    },
    end() {
      lines.end();
      while (open.length > 0) giveUp("the input ends within quotes");
      flush();
    },
    count: () => rows,
    blank: () => blank,
  };
}

/** undefined = not CSV. Empty for an empty batch. */
function cellsOf(batch: readonly Row[], delimiter: string): string[][] | undefined {
  const text = batch.map((row) => row.text).join("\n");
  try {
    const cells = parse(text, { delimiter, record_delimiter: "\n", relax_column_count: true });
    return cells.length === batch.length ? cells : undefined;
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function hasOddQuotes(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}

const DELIMITERS = [",", ";", "\t"] as const;

/** Column names are short and hold none of what fills a line of text. */
const NAME = /^"?[\p{L}_@][^:{}=]{0,59}$/u;

/** The delimiters that stand in a header row, most frequent first. Empty = not a header row. */
export function delimitersOf(header: string): string[] {
  const bare = header.replace(/"(?:[^"]|"")*"/g, "quoted");
  const counts = DELIMITERS.map((delimiter): [string, number] => [
    delimiter,
    bare.split(delimiter).length - 1,
  ]);
  return counts
    .filter(
      ([delimiter, count]) => count > 0 && bare.split(delimiter).every((name) => NAME.test(name.trim())),
    )
    .toSorted(([, a], [, b]) => b - a)
    .map(([delimiter]) => delimiter);
}
