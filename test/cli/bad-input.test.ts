import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "why429-cli-"));
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const line = (i: number, status: number = 200): string =>
  JSON.stringify({
    ts: new Date(1_780_000_000_000 + i * 1_000).toISOString(),
    agent: "code",
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    call_id: `c${i}`,
    attempt: 1,
    status,
    duration_ms: 500,
  });
const calm = (count: number): string => Array.from({ length: count }, (_, i) => `${line(i)}\n`).join("");

let good = "";
beforeAll(() => {
  good = file("good.ndjson", calm(60));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** 2: could not run. Message with what and where, then a line that says what to do. */
describe("what cannot be run exits with 2 and says what, where and what to do", () => {
  test.each([
    ["a missing file", ["nowhere.ndjson"], /nowhere\.ndjson/],
    ["a pattern without a match", ["nowhere-*.ndjson"], /nowhere-\*\.ndjson/],
    [
      "an unknown flag",
      ["x.ndjson", "--fial-on", "never"],
      /unknown flag --fial-on\n {2}Did you mean "fail-on"\?/,
    ],
    [
      "an unknown rule",
      ["x.ndjson", "--skip", "greedy-agnet"],
      /--skip: unknown rule "greedy-agnet"\n {2}Did you mean "greedy-agent"\?/,
    ],
    [
      "an unknown rule to explain",
      ["explain", "retry-strom"],
      /explain: unknown rule "retry-strom"\n {2}Did you mean "retry-storm"\?/,
    ],
    [
      "an unknown key in --limit",
      ["x.ndjson", "--limit", "*:rmp=50"],
      /unknown key "rmp"\n {2}Did you mean "rpm"\?/,
    ],
    ["a --limit without a number", ["x.ndjson", "--limit", "*:rpm=many"], /rpm is "many"/],
    ["a --limit without a model", ["x.ndjson", "--limit", "rpm=50"], /no model/],
    [
      "an unknown tier",
      ["x.ndjson", "--tier", "anthropic:strat"],
      /no tier "strat"\n {2}Did you mean "?start"?\?/,
    ],
    [
      "an unknown option of a rule",
      ["x.ndjson", "--set", "greedy-agent.minShrae=0.5"],
      /no option "minShrae"\n {2}Did you mean "minShare"\?/,
    ],
    [
      "a threshold that is no number",
      ["x.ndjson", "--set", "greedy-agent.minShare=big"],
      /not RULE\.OPTION=NUMBER/,
    ],
    ["an unknown level", ["x.ndjson", "--rule", "greedy-agent=loud"], /the level is "loud"/],
    ["an unknown report format", ["x.ndjson", "--format", "jsno"], /--format jsno/],
    ["an output without a known extension", ["x.ndjson", "-o", "report.xyz"], /-o report\.xyz/],
    ["an unknown log format", ["x.ndjson", "--from", "cannonical"], /cannonical/],
    ["a --map without a path", ["x.ndjson", "--map", "agent"], /--map agent: not FIELD=PATH/],
    ["an unknown field in --map", ["x.ndjson", "--map", "agnet=a.b"], /agnet/],
    ["a share that is none", ["x.ndjson", "--max-invalid", "200%"], /--max-invalid 200%/],
    ["a value that is not among the choices", ["x.ndjson", "--fail-on", "fatal"], /fatal/],
    ["a flag without its value", ["x.ndjson", "--since"], /since/],
    ["a time that is none", ["GOOD", "--since", "yesterday-ish"], /yesterday-ish/],
  ])("%s", async (_what, args, message) => {
    const { code, stdout, stderr } = await run(
      args.map((word) => (word === "x.ndjson" || word === "GOOD" ? good : word)),
    );
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^why429: [^\n]+\n {2}[^\n]+\n$/);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("a folder without logs", async () => {
    const empty = join(folder, "no-logs");
    mkdirSync(empty);
    writeFileSync(join(empty, "photo.png"), "x");
    const { code, stderr } = await run([empty]);
    expect(stderr).toContain("no-logs");
    expect(code).toBe(2);
  });

  test("no input and a terminal: help, not a hang", async () => {
    const { code, stderr, stdout } = await run([]);
    expect(stderr).toContain("--fail-on");
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("an output that cannot be written leaves nothing behind, and prints no report", async () => {
    const there = join(folder, "there.json");
    const { code, stderr, stdout } = await run([
      good,
      "-o",
      there,
      "-o",
      join(folder, "not-there", "x.json"),
    ]);
    expect(stderr).toMatch(/-o .*x\.json: cannot be written/);
    expect(stdout).toBe("");
    expect(code).toBe(2);
    expect((await run([there])).code).toBe(2);
  });
});

/** 3: ran, but the log cannot carry a diagnosis. */
describe("what cannot be diagnosed exits with 3 and says why", () => {
  test.each([
    ["an empty file", "", /empty/],
    ["a file of blank lines", "\n\n\n", /empty/],
    [
      "a binary file",
      Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 7919) % 256)),
      /no usable record/,
    ],
    ["a log of an unknown shape", '{"level":"info","msg":"hello"}\n'.repeat(50), /no usable record/],
    ["a text log", "2026-01-01 10:00:00 INFO all is well\n".repeat(50), /no usable record/],
    [
      "30 % broken lines",
      Array.from({ length: 100 }, (_, i) => (i % 10 < 3 ? "{broken\n" : `${line(i)}\n`)).join(""),
      /30 of 100 records could not be read/,
    ],
  ])("%s", async (_what, content, message) => {
    const { code, stdout } = await run([file("odd.ndjson", content)]);
    expect(stdout.replace(/\s+/g, " ")).toMatch(message);
    expect(code).toBe(3);
  });

  test("30 % broken lines are fine when the user says so, and are shown", async () => {
    const content = Array.from({ length: 100 }, (_, i) => (i % 10 < 3 ? "{broken\n" : `${line(i)}\n`)).join(
      "",
    );
    const { code, stdout } = await run([file("odd.ndjson", content), "--max-invalid", "30%"]);
    expect(stdout).toMatch(/30 .*not-json/);
    expect(code).toBe(0);
  });

  test("standard input that is closed at once", async () => {
    const { code, stdout } = await run([], { stdin: "" });
    expect(stdout).toContain("empty");
    expect(code).toBe(3);
    expect((await run(["--allow-empty"], { stdin: "" })).code).toBe(0);
  });

  test("a line of 50 MB is refused without being held", async () => {
    const block = Buffer.alloc(1 << 20, "x");
    const stdin = (async function* () {
      yield Buffer.from(calm(60));
      yield Buffer.from('{"ts":"');
      for (let i = 0; i < 50; i++) yield block;
      yield Buffer.from(`"}\n${line(99)}\n`);
    })();
    const { code, stdout } = await run([], { stdin });
    expect(stdout).toContain("line-too-long");
    expect(stdout).toContain("61 used");
    expect(code).toBe(0);
  });
});

test("a reader that has gone is no error", async () => {
  const gone = new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    },
  });
  gone.on("error", () => undefined);
  const { code, stderr } = await run([good], { stdout: gone });
  expect(stderr).toBe("");
  expect(code).toBe(0);
});
