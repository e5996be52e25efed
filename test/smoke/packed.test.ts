import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../..");
const project = mkdtempSync(join(tmpdir(), "why429-smoke-"));
const installed = join(project, "node_modules/why429");
const bin = join(installed, "dist/src/cli/bin.js");

function run(
  command: string,
  args: readonly string[],
  cwd: string = project,
  input = "",
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(command, args, { cwd, input, encoding: "utf8" });
}

/** What a user gets from the registry: the packed files, beside the dependencies that are installed here already. */
beforeAll(() => {
  const packed = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", project], ROOT);
  expect(packed.stderr.includes("npm error"), packed.stderr).toBe(false);
  const [tarball = ""] = /why429-[\w.-]+\.tgz/.exec(packed.stdout) ?? [];
  mkdirSync(join(project, "node_modules"));
  expect(run("tar", ["-xzf", join(project, tarball)]).status).toBe(0);
  cpSync(join(project, "package"), installed, { recursive: true });
  for (const name of Object.keys(dependencies())) link(name);
  link("@types/node");
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const MANIFEST = z.object({ dependencies: z.record(z.string(), z.string()) });

function dependencies(): Readonly<Record<string, string>> {
  return MANIFEST.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))).dependencies;
}

function link(name: string): void {
  const target = join(project, "node_modules", name);
  mkdirSync(join(target, ".."), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), target);
}

describe("the packed package", () => {
  test("holds what it should and nothing else", () => {
    for (const file of [
      "dist/src/index.js",
      "dist/src/index.d.ts",
      "dist/report.schema.json",
      "rules/greedy-agent/README.md",
      "samples/cascade.ndjson",
      "LICENSE",
    ])
      expect(existsSync(join(installed, file)), file).toBe(true);
    for (const file of [
      "src",
      "test",
      "rules/greedy-agent/rule.ts",
      "rules/greedy-agent/cases.ts",
      "dist/test",
    ])
      expect(existsSync(join(installed, file)), file).toBe(false);
  });

  test("diagnoses a sample in each format and exits with 1", () => {
    const sample = join(installed, "samples/cascade.ndjson");
    const text = run(process.execPath, [bin, sample]);
    expect(text.stderr).toBe("");
    expect(text.stdout).toMatch(/^THROTTLED /);
    expect(text.status).toBe(1);
    const json = run(process.execPath, [bin, sample, "--format", "json", "--fail-on", "never"]);
    expect(json.status).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ schemaVersion: 1, verdict: { status: "findings" } });
  });

  test("reads a pipe", () => {
    const piped = run(
      process.execPath,
      [bin, "--fail-on", "never"],
      project,
      readFileSync(join(ROOT, "samples/cascade.ndjson"), "utf8"),
    );
    expect(piped.stdout).toMatch(/^THROTTLED /);
    expect(piped.status).toBe(0);
  });

  test("a reader that goes away is no error", () => {
    const sample = join(installed, "samples/cascade.ndjson");
    const closed = run("bash", [
      "-c",
      `"${process.execPath}" "${bin}" "${sample}" -v | head -1; echo "exit \${PIPESTATUS[0]}"`,
    ]);
    expect(closed.stderr).toBe("");
    expect(closed.stdout).toMatch(/^THROTTLED [^\n]*\nexit [01]\n$/);
  });

  test("explains a rule from its own page", () => {
    const page = run(process.execPath, [bin, "explain", "greedy-agent"]);
    expect(page.stdout).toContain("## What it sees");
    expect(page.status).toBe(0);
  });

  test("writes a completion script", () => {
    expect(run(process.execPath, [bin, "completion"]).stdout).toContain("why429");
  });

  test("is a library with types", () => {
    writeFileSync(join(project, "package.json"), '{ "type": "module" }\n');
    writeFileSync(
      join(project, "use.ts"),
      `import { diagnose, type Report, readLog, render } from "why429";
const log = await readLog("node_modules/why429/samples/cascade.ndjson");
const report: Report = diagnose(log, { failOn: "never" });
process.stdout.write(render(report, "text").slice(0, 9));
`,
    );
    const tsc = run(process.execPath, [
      join(ROOT, "node_modules/typescript/bin/tsc"),
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--types",
      "node",
      "use.ts",
    ]);
    expect(tsc.stdout + tsc.stderr).toBe("");
    const used = run(process.execPath, ["use.js"]);
    expect(used.stderr).toBe("");
    expect(used.stdout).toBe("THROTTLED");
  });
});
