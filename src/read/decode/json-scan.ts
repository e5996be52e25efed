/** Bytes of JSON's grammar. */
export const BYTE = {
  lineFeed: 10,
  quote: 34,
  comma: 44,
  colon: 58,
  openList: 91,
  backslash: 92,
  closeList: 93,
  openObject: 123,
  closeObject: 125,
} as const;

export function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

/** Where a value was left: behind its last byte, at the end of the chunk, or where the next one must have begun. */
type ScanEnd = "done" | "more" | "broken";

/** Finds the end of one JSON value by its brackets and strings, over any number of chunks. */
export interface ValueScanner {
  /** @param first the value's first byte */
  readonly begin: (first: number) => void;
  /** Goes on at `from`, for a new value its first byte. `at` and `lines` tell where it ended. */
  readonly scan: (chunk: Uint8Array, from: number) => ScanEnd;
  /** Index behind the last byte scanned. */
  readonly at: number;
  /** Line feeds passed, over all scans. */
  readonly lines: number;
  /** The value is a bare word or number: only what follows can end it. */
  readonly isScalar: boolean;
}

/**
 * Three things keep one broken value from swallowing the rest of the file. A line feed ends a string, because it cannot
 * stand in one. A `{` that follows no colon cannot stand in an object: the value before it lacks its brace, and the next
 * value begins there. Closing brackets close whatever is open.
 */
export function createValueScanner(): ValueScanner {
  // The open brackets, `{` or `[`, outermost first.
  const open: number[] = [];
  let shape: "nested" | "string" | "scalar" = "scalar";
  let inString = false;
  let escaped = false;
  let afterColon = false;
  let fresh = true;
  let lines = 0;
  let at = 0;

  const stop = (index: number, end: ScanEnd): ScanEnd => {
    at = index;
    return end;
  };

  const scanScalar = (chunk: Uint8Array, from: number): ScanEnd => {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      const ends =
        byte === BYTE.comma || byte === BYTE.closeList || byte === BYTE.closeObject || isSpace(byte);
      // The first byte always belongs to the value, so that a stray one is passed.
      if (ends && !fresh) return stop(i, "done");
      fresh = false;
    }
    return stop(chunk.length, "more");
  };

  const endsString = (byte: number): boolean => {
    if (byte === BYTE.lineFeed) {
      lines++;
      escaped = false;
      return true;
    }
    if (escaped) escaped = false;
    else if (byte === BYTE.backslash) escaped = true;
    else return byte === BYTE.quote;
    return false;
  };

  const scanNested = (chunk: Uint8Array, from: number): ScanEnd => {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0;
      if (inString) {
        if (!endsString(byte)) continue;
        inString = false;
        if (shape === "string") return stop(i + 1, "done");
      } else if (byte === BYTE.quote) {
        inString = true;
        afterColon = false;
      } else if (byte === BYTE.lineFeed) lines++;
      else if (byte === BYTE.colon) afterColon = true;
      else if (byte === BYTE.comma) afterColon = false;
      else if (byte === BYTE.openObject || byte === BYTE.openList) {
        const misplaced = open.at(-1) === BYTE.openObject && !afterColon;
        if (misplaced && byte === BYTE.openObject) return stop(i, "broken");
        open.push(byte);
        afterColon = false;
      } else if (byte === BYTE.closeObject || byte === BYTE.closeList) {
        open.pop();
        if (open.length === 0) return stop(i + 1, "done");
      }
    }
    return stop(chunk.length, "more");
  };

  return {
    begin(first) {
      open.length = 0;
      inString = false;
      escaped = false;
      afterColon = false;
      fresh = true;
      shape = first === BYTE.quote ? "string" : "scalar";
      if (first === BYTE.openObject || first === BYTE.openList) shape = "nested";
    },
    scan: (chunk, from) => (shape === "scalar" ? scanScalar(chunk, from) : scanNested(chunk, from)),
    get at() {
      return at;
    },
    get lines() {
      return lines;
    },
    get isScalar() {
      return shape === "scalar";
    },
  };
}
