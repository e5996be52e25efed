import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { RULES } from "../../rules/index.ts";
import { parseReport } from "../../src/report/schema.ts";
import { run } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "why429-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** 30 calls at once against 60 a minute with a capacity of 5; each refused one is repeated a minute later, and passes. */
function fanOut(): string {
  const start = 1_780_000_000_000;
  const record = (ms: number, i: number, attempt: number, status: number): string =>
    JSON.stringify({
      ts: new Date(start + ms).toISOString(),
      agent: "code",
      provider: "anthropic",
      model: "claude-sonnet-4-6",
      call_id: `c${i}`,
      attempt,
      status,
      duration_ms: 100,
      headers: {
        "anthropic-ratelimit-requests-limit": "60",
        "anthropic-ratelimit-requests-remaining": status === 200 ? "4" : "0",
        ...(status === 429 ? { "retry-after": "60" } : {}),
      },
      ...(status === 429 ? { error_type: "rate_limit_error" } : {}),
    });
  const lines = Array.from({ length: 30 }, (_, i) => {
    const first = record(i, i, 1, i < 5 ? 200 : 429);
    return i < 5 ? first : `${first}\n${record(61_000 + i * 1_100, i, 2, 200)}`;
  });
  return `${lines.join("\n")}\n`;
}

describe("diagnose", () => {
  test("finds, prints and fails; the gate can be moved and turned off", async () => {
    const found = await run([], { stdin: fanOut() });
    expect(found.stdout).toMatch(/^THROTTLED/);
    expect(found.stdout).toContain("fan-out-over-limit");
    expect(found.stderr).toBe("");
    expect(found.code).toBe(1);
    expect((await run(["--fail-on", "never"], { stdin: fanOut() })).code).toBe(0);
    expect(
      (await run(["diagnose", "-", "--skip", "fan-out-over-limit,high-429-ratio"], { stdin: fanOut() })).code,
    ).toBe(0);
  });

  test("levels and thresholds change the verdict", async () => {
    const lower = await run(["--rule", "fan-out-over-limit=warning"], { stdin: fanOut() });
    expect(lower.code).toBe(0);
    expect(
      (await run(["--rule", "fan-out-over-limit=warning", "--fail-on", "warning"], { stdin: fanOut() })).code,
    ).toBe(1);
    const blind = await run(["--only", "fan-out-over-limit", "--set", "fan-out-over-limit.minCalls=31"], {
      stdin: fanOut(),
    });
    expect(blind.code).toBe(0);
  });

  test("a time before the end of the log is no flag", async () => {
    const attempts = async (args: readonly string[]): Promise<number> => {
      const { stdout } = await run([...args, "--format", "json"], { stdin: fanOut() });
      return parseReport(JSON.parse(stdout)).inputs.reduce(
        (sum, input) => sum + input.accepted - input.outside,
        0,
      );
    };
    expect(await attempts([])).toBe(55);
    // The burst is over after 30 ms; the 25 repeats follow a minute later.
    expect(await attempts(["--since", "-1m"])).toBe(25);
    expect(await attempts(["--until", "-1m"])).toBe(30);
    expect(await attempts(["--since=-1m"])).toBe(25);
  });

  test("JSON is the report, and the same bytes every time", async () => {
    const once = await run(["--format", "json"], { stdin: fanOut() });
    const report = parseReport(JSON.parse(once.stdout));
    expect(report.exitCode).toBe(once.code);
    expect(report.verdicts.map((verdict) => verdict.rule)).toEqual(RULES.map((rule) => rule.id).toSorted());
    expect((await run(["--format", "json"], { stdin: fanOut() })).stdout).toBe(once.stdout);
  });

  test("a told limit stands in the report as such", async () => {
    const { stdout } = await run(["--format", "json", "--limit", "claude-sonnet-*:rpm=50,burst=5"], {
      stdin: fanOut(),
    });
    expect(parseReport(JSON.parse(stdout)).buckets[0]?.limits).toContainEqual({
      dimension: "requests",
      perMinute: 50,
      burst: 5,
      source: "config",
    });
  });

  test("writes the report to files as well, by extension or by name", async () => {
    const [byEnding, byName] = [join(folder, "a.json"), join(folder, "b.out")];
    const { stdout } = await run(["-o", byEnding, "-o", `text=${byName}`, "--fail-on", "never"], {
      stdin: fanOut(),
    });
    expect(stdout).toMatch(/^THROTTLED/);
    expect(parseReport(JSON.parse(readFileSync(byEnding, "utf8"))).verdict.status).toBe("findings");
    expect(readFileSync(byName, "utf8")).toMatch(/^THROTTLED/);
  });

  test("colour: asked for, forbidden by NO_COLOR, forced, and by default only on a terminal", async () => {
    const colored = async (
      args: readonly string[],
      env: { readonly [name: string]: string },
      stdoutIsTerminal: boolean,
    ): Promise<boolean> =>
      (await run(args, { stdin: fanOut(), env, stdoutIsTerminal })).stdout.includes("\u001b[");
    expect(await colored([], {}, false)).toBe(false);
    expect(await colored([], {}, true)).toBe(true);
    expect(await colored([], { NO_COLOR: "1" }, true)).toBe(false);
    expect(await colored([], { FORCE_COLOR: "1" }, false)).toBe(true);
    expect(await colored(["--color", "never"], { FORCE_COLOR: "1" }, true)).toBe(false);
    expect(await colored(["--color", "always"], { NO_COLOR: "1" }, false)).toBe(true);
  });
});

describe("the other commands", () => {
  test("rules lists every rule, the symptom table first", async () => {
    const { stdout, code } = await run(["rules"]);
    expect(code).toBe(0);
    const ids = stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((row) => row.split(" ")[0] ?? "");
    expect(ids.slice(0, 6)).toEqual([
      "greedy-agent",
      "retry-storm",
      "fan-out-over-limit",
      "short-timeout",
      "transient-as-fatal",
      "quota-exhausted",
    ]);
    expect(ids.toSorted()).toEqual(RULES.map((rule) => rule.id).toSorted());
  });

  test("explain prints the page and the thresholds of each rule", async () => {
    for (const rule of RULES) {
      const { stdout, code } = await run(["explain", rule.id]);
      expect(code).toBe(0);
      expect(stdout).toContain("## What it sees");
      expect(stdout).toContain("## What a predicted effect assumes");
      for (const option of Object.keys(rule.options)) expect(stdout).toContain(`${rule.id}.${option}`);
    }
  });

  test("simulate prints the published rows, and refuses a scenario with a typo", async () => {
    const { stdout, code } = await run([
      "simulate",
      join(import.meta.dirname, "../../samples/simulate/burst-30.json"),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^C {2,}77 {2,}77 {2,}0 {2,}16\.52 {2,}4\.07 /m);
    const typo = await run(["simulate", "-"], {
      stdin: '{"server":{"capacity":5,"ratePerSecond":5},"latencyMs":1,"calls":[],"stratgies":[]}',
    });
    expect(typo.stderr).toContain('Did you mean "strategies"?');
    expect(typo.code).toBe(2);
  });

  test("plan says whether a load fits, and when not, from when on", async () => {
    const burst = await run([
      "plan",
      "--tasks",
      "50",
      "--calls-per-task",
      "3",
      "--limit",
      "*:rpm=50,burst=5",
    ]);
    // 150 at once against a bucket of 5: 145 are refused at once; (150 - 5) / 50 a minute + 1 s = 2 m 55 s.
    expect(burst.stdout).toContain("145 of 150 calls would be refused, the first after 0 ms");
    expect(burst.stdout).toContain("at least 2 m 55 s");
    expect(burst.code).toBe(1);
    const calm = await run(["plan", "--tasks", "4", "--limit", "*:rpm=50,burst=5"]);
    expect(calm.stdout).toMatch(/^FITS/);
    expect(calm.code).toBe(0);
    const nothing = await run(["plan"]);
    expect(nothing.stderr).toContain("--tasks 50");
    expect(nothing.code).toBe(2);
  });

  test("formats, help and version", async () => {
    expect((await run(["formats"])).stdout).toContain("canonical");
    expect((await run(["--help"])).stdout).toContain("why429");
    expect((await run(["simulate", "--help"])).stdout).toContain("--seed");
    expect((await run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
