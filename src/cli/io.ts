import type { Writable } from "node:stream";
import { UserError } from "../model/user-error.ts";

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
 * @throws UserError when it cannot be written, as on a full disk
 */
export function print(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(isClosedPipe(error) ? new ClosedPipe() : notWritten(error));
    });
  });
}

function isClosedPipe(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED");
}

function notWritten(error: Error): UserError {
  return new UserError(
    `the output cannot be written (${error.message})`,
    "Make room, or send it somewhere else.",
  );
}
