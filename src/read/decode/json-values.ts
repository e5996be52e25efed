import { isUtf8 } from "node:buffer";
import { type Decoder, type DecoderSink, MAX_RECORD_BYTES } from "./decoder.ts";
import { BYTE, createValueScanner, isSpace } from "./json-scan.ts";

/**
 * What surrounds the values: the file itself, a list whose elements are the records, or an object on the way to that list
 * (its number = how many keys of the path led to it).
 */
type Scope = "top" | "list" | number;

/** What becomes of the value that is being scanned. */
type Purpose = "record" | "key" | "skip";

/**
 * The records of a JSON file that is not one object a line: the elements of a list, values one after another (pretty-printed
 * objects too), or the list that an object wraps, `{"data":[...]}`. Only one record is held at a time.
 *
 * @param list path of keys to the wrapped list; empty = none
 */
export function createJsonDecoder(
  sink: DecoderSink<string>,
  list: readonly string[] = [],
  maxBytes: number = MAX_RECORD_BYTES,
): Decoder {
  const scanner = createValueScanner();
  const scopes: Scope[] = [];
  let purpose: Purpose | null = null;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let startLine = 1;
  let ownLines = 0;
  let key: string | null = null;
  let records = 0;

  const line = (): number => 1 + ownLines + scanner.lines;

  const hold = (part: Uint8Array): void => {
    if (purpose === "skip") return;
    heldBytes += part.length;
    if (heldBytes > maxBytes) held = [];
    // A copy: the caller may use its buffer again.
    else held.push(Buffer.from(part));
  };

  const finish = (): void => {
    const bytes = Buffer.concat(held);
    held = [];
    if (purpose === "key") key = keyOf(bytes);
    if (purpose === "record") {
      records++;
      if (heldBytes > maxBytes) sink.reject("line-too-long", startLine, `longer than ${maxBytes} bytes`);
      else if (isUtf8(bytes)) sink.found(bytes.toString("utf8"), startLine);
      else sink.reject("not-utf8", startLine, "bytes that are not UTF-8");
    }
    purpose = null;
  };

  const begin = (what: Purpose, first: number): void => {
    purpose = what;
    heldBytes = 0;
    startLine = line();
    scanner.begin(first);
  };

  /** Goes on with the open value; returns where to continue. */
  const scan = (chunk: Uint8Array, from: number): number => {
    const end = scanner.scan(chunk, from);
    hold(chunk.subarray(from, scanner.at));
    if (end !== "more") finish();
    return scanner.at;
  };

  /** Enters a list or an object on the way to one. False = the byte begins a value. */
  const enters = (byte: number, scope: Scope): boolean => {
    if (scope === "list") return false;
    if (scope === "top") {
      if (byte === BYTE.openList && list.length === 0) scopes.push("list");
      else if (byte === BYTE.openObject && list.length > 0) scopes.push(0);
      else return false;
      return true;
    }
    if (key === null || key !== list[scope]) return false;
    const isLast = scope === list.length - 1;
    if (isLast && byte === BYTE.openList) scopes.push("list");
    else if (!isLast && byte === BYTE.openObject) scopes.push(scope + 1);
    else return false;
    key = null;
    return true;
  };

  /** One byte between values. True = it begins one. */
  const between = (byte: number): boolean => {
    const scope = scopes.at(-1) ?? "top";
    if (byte === BYTE.lineFeed) ownLines++;
    if (isSpace(byte) || byte === BYTE.comma) return false;
    if (byte === BYTE.closeList || byte === BYTE.closeObject) {
      // A stray one belongs to a broken record, which is counted.
      if ((scope === "list") === (byte === BYTE.closeList)) scopes.pop();
      return false;
    }
    if (typeof scope === "number" && byte === BYTE.colon) return false;
    if (enters(byte, scope)) return false;
    if (typeof scope !== "number") begin("record", byte);
    else if (key === null && byte === BYTE.quote) begin("key", byte);
    else {
      key = null;
      begin("skip", byte);
    }
    return true;
  };

  return {
    push(chunk) {
      let at = purpose === null ? 0 : scan(chunk, 0);
      while (at < chunk.length) {
        if (between(chunk[at] ?? 0)) at = scan(chunk, at);
        else at++;
      }
    },
    end() {
      if (purpose !== "record") return;
      if (scanner.isScalar) finish();
      else {
        records++;
        sink.reject("unfinished", startLine, "the input ends within this record");
      }
    },
    count: () => records,
    blank: () => 0,
  };
}

function keyOf(bytes: Buffer): string | null {
  try {
    const key: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof key === "string" ? key : null;
  } catch {
    return null;
  }
}
