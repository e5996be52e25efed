import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";
import { UserError } from "../model/user-error.ts";
import { inflated } from "./inflate.ts";

/** Something to read: a file, standard input, or bytes that a program already has. */
export interface LogInput {
  /** As the user named it, and as problems and evidence name it. */
  readonly name: string;
  /** The bytes, unpacked. Chunks may be of any size. Fails with a `UserError` that says what to do. */
  open(): AsyncIterable<Uint8Array>;
}

const LOG_NAME = /\.(?:ndjson|jsonl|json|csv|tsv|log|txt)(?:\.gz|\.zst)?$/i;

const READ_BYTES = 256 * 1024;

/**
 * Files, glob patterns, folders (searched through, for `.ndjson .jsonl .json .csv .tsv .log .txt`, each also packed as
 * `.gz` or `.zst`) and `-` for standard input. The order is that of the arguments, and by name within a pattern or folder;
 * a file named twice is read once.
 *
 * @throws {UserError} where a path leads to nothing
 */
export async function expandInputs(
  paths: readonly string[],
  stdin?: AsyncIterable<Uint8Array>,
): Promise<readonly LogInput[]> {
  const inputs = new Map<string, LogInput>();
  for (const each of paths) {
    if (each === "-") {
      inputs.set("-", stdinInput(stdin));
      continue;
    }
    // One after the other, so that the first bad path is the one that is reported.
    for (const file of await filesOf(each)) {
      const key = path.resolve(file);
      if (!inputs.has(key)) inputs.set(key, fileInput(file));
    }
  }
  return [...inputs.values()];
}

/** Bytes from anywhere as an input; gzip and zstd are recognised and unpacked. */
export function inputOf(name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): LogInput {
  return { name, open: () => inflated(name, chunks) };
}

function fileInput(name: string): LogInput {
  return { name, open: () => inflated(name, fileChunks(name)) };
}

function stdinInput(stdin: AsyncIterable<Uint8Array> | undefined): LogInput {
  if (stdin === undefined) throw new UserError("-: there is no standard input", "Name a file instead of -.");
  return inputOf("-", stdin);
}

async function* fileChunks(name: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(name, { highWaterMark: READ_BYTES });
  try {
    // Boundary: without an encoding a file stream yields buffers only.
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw fileError(name, error);
  }
}

async function filesOf(named: string): Promise<string[]> {
  const kind = await kindOf(named);
  if (kind === "file") return [named];
  if (kind === "folder") {
    const files = await logsBelow(named);
    if (files.length > 0) return files;
    const hint =
      "Name a file, or put .ndjson, .jsonl, .json, .csv, .log or .txt files there (also packed: .gz, .zst).";
    throw new UserError(`${named}: the folder holds no logs`, hint);
  }
  const matches = isDynamicPattern(named) ? await globbed(named) : [];
  if (matches.length > 0) return matches;
  const what = isDynamicPattern(named) ? "no file matches this pattern" : "there is no such file or folder";
  throw new UserError(
    `${named}: ${what}`,
    "Check the path; it is taken from the folder in which the command runs.",
  );
}

async function kindOf(named: string): Promise<"file" | "folder" | null> {
  try {
    // Pipes and devices (`<(zcat ...)`, /dev/stdin) are read like files.
    return (await stat(named)).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (isMissing(error)) return null;
    throw fileError(named, error);
  }
}

async function logsBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && LOG_NAME.test(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted(byCodeUnit);
  } catch (error) {
    throw fileError(folder, error);
  }
}

async function globbed(pattern: string): Promise<string[]> {
  const found = await glob(pattern, { dot: false, onlyFiles: true, expandDirectories: false });
  return found.toSorted(byCodeUnit);
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(codeOf(error));
}

const FILE_ERRORS: { readonly [code: string]: readonly [what: string, hint: string] } = {
  EACCES: ["permission denied", "Make the file readable for this user."],
  EPERM: ["permission denied", "Make the file readable for this user."],
  EISDIR: ["this is a folder", "Name the files in it, or the folder itself as an argument."],
  ENOENT: ["there is no such file", "Check the path; it is taken from the folder in which the command runs."],
  ELOOP: ["a link that leads in a circle", "Name the file itself."],
};

/** Errors of the file system become the user's; a `UserError` from further in stays as it is. */
function fileError(name: string, error: unknown): unknown {
  if (error instanceof UserError || codeOf(error) === "") return error;
  const [what, hint] = FILE_ERRORS[codeOf(error)] ?? [
    `cannot be read (${codeOf(error)})`,
    "Check the file and the disk.",
  ];
  return new UserError(`${name}: ${what}`, hint);
}
