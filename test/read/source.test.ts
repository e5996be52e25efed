import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readLog } from "../../src/read/read.ts";
import { expandInputs, inputOf } from "../../src/read/source.ts";
import { bytesOf, inputFrom, pieces, read, told } from "./support.ts";
import { PACKED, rawZstd, UNPACKED } from "./zstd.ts";

const LINE = '{"ts":"2026-07-01T10:00:00Z","agent":"a","status":200}\n';
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "why429-"));
  await mkdir(path.join(folder, "logs", "deep"), { recursive: true });
  await mkdir(path.join(folder, "empty"));
  const write = (name: string, content: string | Uint8Array): Promise<void> =>
    writeFile(path.join(folder, name), content);
  await write("logs/b.ndjson", LINE);
  await write("logs/B.jsonl", LINE);
  await write("logs/a.csv", "ts,agent,status\n2026-07-01T10:00:00Z,a,200\n");
  await write("logs/deep/c.json.gz", gzipSync(`[${LINE}]`));
  await write("logs/deep/d.log.zst", rawZstd(bytesOf(LINE)));
  await write("logs/README.md", "no log");
  await write("odd[1].ndjson", LINE);
  await write("named.txt", gzipSync(LINE));
  await symlink(path.join(folder, "nowhere"), path.join(folder, "empty", "link.txt"));
});

afterAll(() => rm(folder, { recursive: true }));

async function* stdin(): AsyncGenerator<Uint8Array> {
  yield* pieces(gzipSync(LINE), [9]);
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield gzipSync(LINE).subarray(0, 20);
  throw new Error("the network went away");
}

const at = (name: string): string => path.join(folder, name);
const names = async (...paths: string[]): Promise<string[]> =>
  (await expandInputs(paths.map(at))).map((input) => path.relative(folder, input.name));

describe("what is named", () => {
  test("a folder: the logs in it and below, by code unit", async () => {
    expect(await names("logs")).toEqual([
      "logs/B.jsonl",
      "logs/a.csv",
      "logs/b.ndjson",
      "logs/deep/c.json.gz",
      "logs/deep/d.log.zst",
    ]);
    expect((await readLog(await expandInputs([at("logs")]))).attempts.length).toBe(5);
  });

  test("a pattern, and a file whose name looks like one", async () => {
    expect(await names("logs/*.{ndjson,csv}")).toEqual(["logs/a.csv", "logs/b.ndjson"]);
    expect(await names("logs/**/*.gz")).toEqual(["logs/deep/c.json.gz"]);
    expect(await names("odd[1].ndjson")).toEqual(["odd[1].ndjson"]);
  });

  test("arguments in their order, each file once", async () => {
    expect(await names("logs/b.ndjson", "logs/a.csv", "logs/*.ndjson", "logs/../logs/a.csv")).toEqual([
      "logs/b.ndjson",
      "logs/a.csv",
    ]);
  });

  test.each([
    ["nothing.ndjson", "there is no such file or folder"],
    ["logs/b.ndjson/x", "there is no such file or folder"],
    ["logs/*.parquet", "no file matches this pattern"],
  ])("%s: %s", async (name, what) => {
    await expect(expandInputs([at(name)])).rejects.toMatchObject({
      name: "UserError",
      message: `${at(name)}: ${what}`,
    });
  });

  test("a folder without logs", async () => {
    await rm(at("empty/link.txt"));
    await expect(expandInputs([at("empty")])).rejects.toMatchObject({
      message: `${at("empty")}: the folder holds no logs`,
    });
    await symlink(at("nowhere"), at("empty/link.txt"));
  });

  test("a file that is gone when it is opened", async () => {
    const inputs = await expandInputs([at("empty")]);
    await expect(readLog(inputs)).rejects.toMatchObject({
      name: "UserError",
      message: `${at("empty/link.txt")}: there is no such file`,
    });
  });

  test("standard input, if there is one", async () => {
    const log = await readLog(await expandInputs(["-"], stdin()));
    expect(log.inputs[0]).toMatchObject({ source: "-", accepted: 1 });
    await expect(expandInputs(["-"])).rejects.toMatchObject({ name: "UserError" });
  });

  test("the bytes tell how a file is packed, not its name", async () => {
    const log = await readLog(await expandInputs([at("named.txt")]));
    expect(log.attempts.length).toBe(1);
  });
});

describe("packed", () => {
  test("by the zstd program, in frames one after another", async () => {
    const twice = Buffer.concat([PACKED, PACKED]);
    for (const sizes of [[], [1], [7, 100]]) {
      const log = await readLog([inputFrom(twice, sizes)]);
      expect(told(log)).toEqual(told(await read(UNPACKED + UNPACKED)));
      expect(log.attempts.length).toBe(120);
    }
  });

  test.each([
    ["gzip", gzipSync(UNPACKED, { level: 0 })],
    ["zstd", rawZstd(bytesOf(UNPACKED.repeat(60)))],
  ])("%s that was cut off is read as far as it goes, and said", async (packing, packed) => {
    const log = await readLog([inputFrom(packed.subarray(0, packed.length - 400))]);
    expect(log.attempts.length).toBeGreaterThan(10);
    const last = log.inputs[0]?.lines;
    expect(log.problems.samples).toContainEqual({
      source: "log",
      line: last,
      code: "unfinished",
      detail: `log: the ${packing} data ends too early`,
    });
  });

  test.each([
    ["gzip", gzipSync(UNPACKED).subarray(0, 12), "ends too early"],
    ["zstd", PACKED.subarray(0, 40), "ends too early"],
    ["gzip", Buffer.concat([gzipSync(UNPACKED).subarray(0, 40), Buffer.alloc(50, 7)]), "is damaged"],
    ["zstd", Buffer.concat([PACKED.subarray(0, 7), Buffer.from([7]), Buffer.alloc(90)]), "is damaged"],
  ])("%s of which nothing can be read: %#", async (packing, packed, what) => {
    await expect(readLog([inputFrom(packed)])).rejects.toMatchObject({
      name: "UserError",
      message: `log: the ${packing} data ${what}`,
    });
  });

  test("an error of the source is not taken for one of the packing", async () => {
    await expect(readLog([inputOf("log", failing())])).rejects.toThrow("the network went away");
  });
});
