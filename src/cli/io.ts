import type { Writable } from "node:stream";

/** The world of one run of the command line, handed in so that a test can be one. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: { readonly [name: string]: string | undefined };
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** Width of the terminal; undefined when it is none. */
  readonly columns: number | undefined;
}

/** The reader of standard output has gone, as after `| head -1`: nothing to complain about. */
export class ClosedPipe extends Error {}

/**
 * Resolves when the text has been taken.
 * @throws ClosedPipe when nobody reads any more
 */
export function print(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(isClosedPipe(error) ? new ClosedPipe() : error);
    });
  });
}

export function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED")
  );
}
