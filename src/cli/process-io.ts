import { type Io, isClosedPipe } from "./io.ts";

const INTERRUPTED = 130;

/** The real world. */
export function processIo(): Io {
  // With a handler the signal waits for a file that is being written, so that none is left half written.
  process.once("SIGINT", () => process.exit(INTERRUPTED));
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error) => {
      if (!isClosedPipe(error)) throw error;
    });
  }
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    stdinIsTerminal: process.stdin.isTTY,
    stdoutIsTerminal: process.stdout.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  };
}
