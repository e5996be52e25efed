import { UserError } from "../model/user-error.ts";
import { type Format } from "./format.ts";
import { FORMATS } from "./formats/index.ts";
import { type Layout, layoutName, possibleLayouts } from "./layouts.ts";
import { sampleOf } from "./sample.ts";

export interface Detected {
  readonly layout: Layout;
  readonly format: Format;
  readonly why: string;
}

interface Candidate extends Detected {
  /** The better the pair of layout and format explains the head, the larger. */
  readonly worth: number;
}

/** Objects one after another can also be lines with a few broken ones among them: lines are preferred. */
const WORTH_OF_VALUES = 0.6;

/**
 * Finds layout and format from the first bytes of an input: every layout that is possible reads them, every format looks at
 * the records that come out, and the best pair is taken; of equals the first.
 *
 * @param complete the head is the whole input
 * @returns null if the head holds no whole record
 */
export function detect(head: Buffer, complete: boolean, formats: readonly Format[]): Detected | null {
  const candidates: Candidate[] = [];
  for (const layout of possibleLayouts(head)) {
    const { records, share } = sampleOf(layout, head, complete);
    if (records.length === 0) continue;
    const usual = layout.kind === "values" ? WORTH_OF_VALUES : 1;
    for (const format of formats) {
      const { score, why } = format.sniff(records);
      // Where no format knows the records, the layout that reads most of them shows best what they lack.
      const worth = (score + 1e-6) * share * usual;
      candidates.push({ layout, format, why: `${layoutName(layout)}; ${why}`, worth });
    }
  }
  const [first = null] = candidates.toSorted((a, b) => b.worth - a.worth);
  return first;
}

/** What is left to assume of an input without a whole record in its head. */
export function undetected(head: Buffer, formats: readonly Format[]): Detected {
  const [layout = { kind: "ndjson" }] = possibleLayouts(head);
  const [format] = formats;
  if (format === undefined) throw new RangeError("no format to choose from");
  return { layout, format, why: strangeKind(head) ?? "no record in the first lines" };
}

/** @throws {UserError} on an id that no format has */
export function formatsNamed(from: string | undefined): readonly Format[] {
  if (from === undefined) return FORMATS;
  const named = FORMATS.filter((format) => format.id === from);
  if (named.length > 0) return named;
  const known = FORMATS.map((format) => format.id).join(", ");
  throw new UserError(`--from ${from}: there is no such format`, `Formats: ${known}.`);
}

/**
 * @throws {UserError} on UTF-16, which is text, but not in a form that is read here
 */
export function refuseUtf16(name: string, head: Buffer): void {
  const mark = head.length >= 2 ? head.readUInt16LE(0) : 0;
  const zeros = head.subarray(0, 64).filter((byte) => byte === 0).length;
  const halfZeros =
    head.length >= 8 && zeros * 2 >= Math.min(64, head.length) - 1 && (head[0] === 0) !== (head[1] === 0);
  if (mark !== 0xfeff && mark !== 0xfffe && !halfZeros) return;
  const hint = "Convert it to UTF-8 first, for example with: iconv -f UTF-16 -t UTF-8.";
  throw new UserError(`${name}: the text is UTF-16`, hint);
}

const STRANGE: readonly (readonly [start: string, what: string])[] = [
  ["PK\u0003\u0004", "a zip archive"],
  ["SQLite format 3\0", "a SQLite database"],
  ["PAR1", "a Parquet file"],
  ["\u00fd7zXZ\0", "an xz archive"],
  ["BZh", "a bzip2 archive"],
  ["%PDF", "a PDF document"],
];

function strangeKind(head: Buffer): string | null {
  const start = head.toString("latin1", 0, 32);
  const known = STRANGE.find(([magic]) => start.startsWith(magic));
  if (known !== undefined) return `looks like ${known[1]}, not like a log`;
  if (head.length === 0) return "empty";
  return head.includes(0) ? "looks like binary data, not like a log" : null;
}
