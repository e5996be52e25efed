import type { Io } from "./io.ts";

const INTERRUPTED = 130;
const COULD_NOT_RUN = 2;

/** The real world. */
export function processIo(): Io {
  // With a handler the signal waits for a file that is being written, so that none is left half written.
  process.once("SIGINT", () => process.exit(INTERRUPTED));
  // Left to itself Node exits with 1, which a build would read as findings.
  process.once("uncaughtException", (error) => {
    process.stderr.write(`why429: internal error: ${error.stack ?? error.message}\n`);
    process.exit(COULD_NOT_RUN);
  });
  // Whoever writes is told by the callback; without a listener the same error would end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
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
