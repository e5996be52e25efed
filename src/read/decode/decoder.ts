import type { ProblemCode } from "../../model/log.ts";

/** A record longer than this is skipped without being held: 32 MiB. */
export const MAX_RECORD_BYTES: number = 32 * 1024 * 1024;

/** What a decoder finds, in file order. */
export interface DecoderSink<Found> {
  /** @param line 1-based; of a record over several lines, its first */
  readonly found: (record: Found, line: number) => void;
  readonly reject: (code: ProblemCode, line: number, detail: string) => void;
}

/** Bytes in, records out. Where the chunks are cut makes no difference. The byte-order mark is already gone. */
export interface Decoder {
  readonly push: (chunk: Uint8Array) => void;
  /** The input is complete. */
  readonly end: () => void;
  /** Lines so far, or records where a record is not a line. */
  readonly count: () => number;
  /** How many of them were empty. */
  readonly blank: () => number;
}
