import { isAscii, isUtf8 } from "node:buffer";
import { type Decoder, type DecoderSink, MAX_RECORD_BYTES } from "./decoder.ts";

const LF = 10;

/** Lines are decoded so many bytes at a time: small enough that most blocks of most logs are plain ASCII. */
const BLOCK_BYTES = 16 * 1024;
const CR = 13;

export interface LineSink extends DecoderSink<string> {
  /** A line of nothing but spaces, which elsewhere is only counted. */
  readonly empty?: (text: string, line: number) => void;
}

/**
 * Lines of text that are not empty. A line ends at LF; a CR just before it belongs to the line end, any other CR is part of
 * the line (progress bars write it).
 *
 * @param lastLine gets the last line if it lacks its LF
 */
export function createLineDecoder(
  sink: LineSink,
  lastLine: (text: string, line: number) => void = sink.found,
  maxBytes: number = MAX_RECORD_BYTES,
): Decoder {
  let lines = 0;
  let blank = 0;
  // The start of a line whose end is in a later chunk.
  let carried: Buffer[] = [];
  let carriedBytes = 0;
  let tooLong = false;

  const carry = (part: Buffer): void => {
    if (part.length === 0) return;
    carriedBytes += part.length;
    tooLong ||= carriedBytes > maxBytes;
    if (tooLong) carried = [];
    // A copy: the caller may use its buffer again.
    else carried.push(Buffer.from(part));
  };

  const hand = (text: string, give: (text: string, line: number) => void): void => {
    lines++;
    const end = text.charCodeAt(text.length - 1) === CR ? text.length - 1 : text.length;
    const whole = end === text.length ? text : text.slice(0, end);
    if (!isBlank(whole)) return give(whole, lines);
    blank++;
    sink.empty?.(whole, lines);
  };

  const oneLine = (bytes: Buffer, give: (text: string, line: number) => void): void => {
    if (bytes.length > maxBytes) rejectNext("line-too-long", `longer than ${maxBytes} bytes`);
    else if (isUtf8(bytes)) hand(bytes.toString("utf8"), give);
    else rejectNext("not-utf8", "bytes that are not UTF-8");
  };

  const rejectNext = (code: "line-too-long" | "not-utf8", detail: string): void => {
    lines++;
    sink.reject(code, lines, detail);
  };

  const finishCarried = (rest: Buffer, give: (text: string, line: number) => void): void => {
    carry(rest);
    const bytes = Buffer.concat(carried);
    const wasTooLong = tooLong;
    carried = [];
    carriedBytes = 0;
    tooLong = false;
    if (wasTooLong) rejectNext("line-too-long", `longer than ${maxBytes} bytes`);
    else oneLine(bytes, give);
  };

  /** Whole lines, each with its LF: decoded in one go, because a call for each line costs more than the decoding. */
  const block = (bytes: Buffer): void => {
    if (bytes.length > maxBytes || !isUtf8(bytes)) {
      eachLine(bytes, (line) => oneLine(line, sink.found));
      return;
    }
    // The same text, decoded several times as fast.
    const text = bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      hand(text.slice(start, end), sink.found);
      start = end + 1;
    }
  };

  return {
    push(chunk) {
      let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (carriedBytes > 0) {
        const first = bytes.indexOf(LF);
        if (first < 0) return carry(bytes);
        finishCarried(bytes.subarray(0, first), sink.found);
        bytes = bytes.subarray(first + 1);
      }
      const whole = bytes.lastIndexOf(LF) + 1;
      for (let at = 0; at < whole; ) {
        const near = bytes.lastIndexOf(LF, at + BLOCK_BYTES) + 1;
        const end = near > at ? near : bytes.indexOf(LF, at) + 1;
        block(bytes.subarray(at, end));
        at = end;
      }
      carry(bytes.subarray(whole));
    },
    end() {
      if (carriedBytes > 0) finishCarried(Buffer.alloc(0), lastLine);
    },
    count: () => lines,
    blank: () => blank,
  };
}

function eachLine(bytes: Buffer, give: (line: Buffer) => void): void {
  let start = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
    give(bytes.subarray(start, end));
    start = end + 1;
  }
}

const OPEN_BRACE = 123;

function isBlank(text: string): boolean {
  return text.charCodeAt(0) !== OPEN_BRACE && text.trim() === "";
}
