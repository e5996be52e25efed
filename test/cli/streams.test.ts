import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "why429-streams-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CALM = '{"ts":"2026-01-01T00:00:00Z","agent":"a","status":200}\n';

/** A stream that cannot be written to, for this reason. */
function broken(code: string): Writable {
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(`${code}: no`), { code }));
    },
  });
  return stream.on("error", () => undefined);
}

describe("a stream that fails", () => {
  test("a full disk under standard output is told, and is not taken for findings", async () => {
    const { code, stderr } = await run(["rules"], { stdout: broken("ENOSPC") });
    expect(stderr).toMatch(/^why429: the output cannot be written \(ENOSPC: no\)\n {2}/);
    expect(code).toBe(2);
  });

  test("where nobody hears the complaint the exit code still tells", async () => {
    expect((await run(["--no-such-flag"], { stderr: broken("EPIPE") })).code).toBe(2);
    expect((await run([], { stderr: broken("EPIPE") })).code).toBe(2);
  });

  test("an error that is ours is called so, with its stack only when asked for", async () => {
    const stdin = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(CALM);
      throw new TypeError("a bug\nof two lines");
    };
    const plain = await run([], { stdin: stdin() });
    expect(plain.stderr).toBe(
      "why429: internal error: TypeError: a bug\n  Please report it, with the output under WHY429_DEBUG=1.\n",
    );
    expect(plain.code).toBe(2);
    for (const whole of [
      await run(["-v"], { stdin: stdin() }),
      await run([], { stdin: stdin(), env: { WHY429_DEBUG: "1" } }),
    ])
      expect(whole.stderr).toMatch(/TypeError: a bug\nof two lines\n +at /);
  });
});

describe("files of -o", () => {
  const inFolder = (name: string): string => join(folder, name);

  test("replace what is there, and leave no draft", async () => {
    writeFileSync(inFolder("old.json"), "old");
    await run(["-o", inFolder("old.json")], { stdin: CALM });
    expect(readFileSync(inFolder("old.json"), "utf8")).toMatch(/^\{/);
    expect(readdirSync(folder)).toEqual(["old.json"]);
  });

  test("a folder is refused before anything is written", async () => {
    mkdirSync(inFolder("taken.json"));
    const { code, stderr } = await run(["-o", inFolder("first.json"), "-o", inFolder("taken.json")], {
      stdin: CALM,
    });
    expect(stderr).toContain("taken.json: cannot be written (it is a folder)");
    expect(code).toBe(2);
    expect(readdirSync(folder)).not.toContain("first.json");
  });

  test("a link stays a link and is written through, as /dev/stderr must be", async () => {
    writeFileSync(inFolder("target.json"), "old");
    symlinkSync(inFolder("target.json"), inFolder("link.json"));
    await run(["-o", inFolder("link.json")], { stdin: CALM });
    expect(readFileSync(inFolder("target.json"), "utf8")).toMatch(/^\{/);
    expect(
      readdirSync(folder, { withFileTypes: true })
        .find(({ name }) => name === "link.json")
        ?.isSymbolicLink(),
    ).toBe(true);
  });
});
