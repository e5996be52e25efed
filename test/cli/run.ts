import { Writable } from "node:stream";
import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Situation {
  /** What is piped in; undefined = nothing, on a terminal. */
  readonly stdin?: string | AsyncIterable<Uint8Array>;
  readonly env?: { readonly [name: string]: string };
  readonly stdoutIsTerminal?: boolean;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
}

/** One run of the command line in a world made of strings. */
export async function run(args: readonly string[], situation: Situation = {}): Promise<Outcome> {
  const [stdout, stderr] = [collector(), collector()];
  const io: Io = {
    stdin: typeof situation.stdin === "string" ? once(situation.stdin) : (situation.stdin ?? once("")),
    stdout: situation.stdout ?? stdout.stream,
    stderr: situation.stderr ?? stderr.stream,
    env: situation.env ?? {},
    stdinIsTerminal: situation.stdin === undefined,
    stdoutIsTerminal: situation.stdoutIsTerminal ?? false,
    columns: undefined,
  };
  const code = await main(args, io);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join("") };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  if (text !== "") yield Buffer.from(text);
}
