import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Decompress } from "fzstd";
import { UserError } from "../model/user-error.ts";

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Gzip (also several members in a row) and zstd (also several frames) are unpacked, everything else passes. The first
 * bytes decide, not the name: a log is sometimes packed twice or not at all, whatever its name says.
 *
 * @throws {UserError} while being read, where packed data is cut off or damaged
 */
export async function* inflated(name: string, chunks: Chunks): AsyncGenerator<Uint8Array> {
  const { head, rest } = await peek(chunks, MAGIC_BYTES);
  if (isGzip(head)) yield* gunzipped(name, rest);
  else if (isZstd(head)) yield* unzstd(name, rest);
  else yield* rest;
}

/** The packed data ends too early; what came before it was delivered. */
export class CutOffError extends UserError {}

const MAGIC_BYTES = 4;

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** A frame, or a skippable frame before it. */
function isZstd(head: Uint8Array): boolean {
  if (head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return head[0] === 0x28;
  return head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18 && ((head[0] ?? 0) & 0xf0) === 0x50;
}

async function* gunzipped(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // What fails in the source must reach the reader, not the process: pipe() would drop it.
  const source = Readable.from(copied(chunks));
  source.once("error", (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    // Boundary: a zlib stream without an encoding yields buffers only.
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw isZlibError(error) ? damaged(name, "gzip", error.code === "Z_BUF_ERROR") : error;
  } finally {
    source.destroy();
  }
}

/** Streams read ahead, and the caller may use its buffer again. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunk.slice();
}

function isZlibError(error: unknown): error is Error & { readonly code: string } {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_")
  );
}

async function* unzstd(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const decompress = new Decompress((chunk) => {
    if (chunk.length > 0) ready.push(chunk);
  });
  const push = (chunk: Uint8Array, final: boolean): void => {
    try {
      decompress.push(chunk, final);
    } catch (error) {
      throw damaged(name, "zstd", final && error instanceof Error);
    }
  };
  for await (const chunk of chunks) {
    push(chunk, false);
    yield* ready.splice(0);
  }
  push(new Uint8Array(0), true);
  yield* ready.splice(0);
}

function damaged(name: string, packing: "gzip" | "zstd", cut: boolean): UserError {
  if (cut)
    return new CutOffError(
      `${name}: the ${packing} data ends too early`,
      "Copy the file again: it was cut off.",
    );
  const hint = "Copy the file again, or unpack it with its own tool first.";
  return new UserError(`${name}: the ${packing} data is damaged`, hint);
}

/** The first bytes, and everything from the start once more. */
async function peek(
  chunks: Chunks,
  bytes: number,
): Promise<{ head: Uint8Array; rest: AsyncGenerator<Uint8Array> }> {
  const iterator = toAsync(chunks);
  const first: Uint8Array[] = [];
  let have = 0;
  while (have < bytes) {
    const next = await iterator.next();
    if (next.done === true) break;
    // A copy: it is kept while the source may go on using its buffer.
    first.push(next.value.slice());
    have += next.value.length;
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield* first;
    yield* iterator;
  }
  return { head: Buffer.concat(first), rest: rest() };
}

async function* toAsync(chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
