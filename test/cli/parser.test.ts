import { afterEach, describe, expect, test, vi } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.ts";
import { DIAGNOSE_FLAGS } from "../../src/cli/options.ts";
import { parseArguments } from "../../src/cli/parser.ts";
import { run } from "./run.ts";

afterEach(() => vi.unstubAllEnvs());

const parse = (...args: string[]): ReturnType<typeof parseArguments> => parseArguments(args, "1.2.3", 80);

describe("words become a command", () => {
  test.each([
    [
      ["a.ndjson", "b/"],
      ["a.ndjson", "b/"],
    ],
    [["diagnose", "a.ndjson"], ["a.ndjson"]],
    [["-"], ["-"]],
    [["--", "--odd-name"], ["--odd-name"]],
    [
      ["007", "1e3"],
      ["007", "1e3"],
    ],
    [["diagnose", "diagnose"], ["diagnose"]],
    [["--fail-on", "never", "a"], ["a"]],
    [["-o", "x.json", "a", "-o", "y.json"], ["a"]],
  ])("%j reads %j", async (args, positional) => {
    expect(await parse(...args)).toMatchObject({ kind: "command", command: "diagnose", positional });
  });

  test("values stay text, and repeatable flags gather", async () => {
    const parsed = await parse("a", "--top", "3", "--skip", "x", "--skip", "y", "-q", "-o", "r.json");
    expect(parsed).toMatchObject({
      values: { top: "3", skip: ["x", "y"], quiet: true, output: ["r.json"] },
    });
  });
});

describe("what is mistyped exits with 2 and names the right word", () => {
  test.each([
    [["explian", "retry-storm"], 'explian: neither a command nor a file\n  Did you mean "explain"?'],
    [["explain"], "explain: the value is missing\n  why429 explain --help"],
    [["explain", "a", "b"], 'explain: unexpected "b"'],
    [["rules", "more"], 'rules: unexpected "more"'],
    [["x", "--color", "pink"], '--color "pink": not one of "auto", "always", "never"'],
    [["x", "--fail-on"], "--fail-on: the value is missing"],
    [["x", "--fail-on", "info", "--fail-on", "error"], "--fail-on was given more than once"],
    [["x", "-x"], "unknown flag -x\n  why429 diagnose --help"],
    [["rules", "--top", "3"], "unknown flag --top"],
  ])("%j", async (args, message) => {
    const { code, stderr, stdout } = await run(args);
    expect(stderr).toContain(`why429: ${message}`);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });
});

describe("help", () => {
  test("names each flag and each command, whatever the language of the machine", async () => {
    vi.stubEnv("LC_ALL", "de_DE.UTF-8");
    vi.stubEnv("LANG", "de_DE.UTF-8");
    const { stdout, code } = await run(["--help"]);
    for (const { name } of DIAGNOSE_FLAGS) expect(stdout).toContain(` --${name} `);
    for (const { name } of COMMANDS) expect(stdout).toContain(`why429 ${name} `);
    expect(stdout).toContain("Show version number");
    expect(code).toBe(0);
  });

  test("no line is wider than the terminal", async () => {
    const { stdout } = await run(["--help"]);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("completion prints a script, and completes commands", async () => {
    expect((await run(["completion"])).stdout).toContain("why429 completion");
    const { stdout } = await run(["--get-yargs-completions", "why429", "ex"]);
    expect(stdout.split("\n")).toContain("explain");
  });
});
