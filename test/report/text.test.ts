import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Report } from "../../src/model/report.ts";
import { text } from "../../src/report/formats/text.ts";
import { parseReport } from "../../src/report/schema.ts";
import { type StyleOptions, createStyle } from "../../src/report/style.ts";
import { columnsOf } from "../../src/report/text/layout.ts";
import { healthyReport, hostileReport, sampleReport } from "../support/reports.ts";

const REPORTS: readonly (readonly [string, Report])[] = [
  ["the sample", sampleReport()],
  ["a healthy log", healthyReport()],
  ["a hostile log", hostileReport()],
];

function render(report: Report, options: Partial<StyleOptions> = {}): string {
  return text.render(report, createStyle({ color: false, width: 80, ...options }));
}

function linesOf(report: Report, options: Partial<StyleOptions> = {}): readonly string[] {
  return render(report, options).split("\n");
}

/** The lines from the one that starts so up to the next empty one. */
function part(lines: readonly string[], start: string): readonly string[] {
  const from = lines.findIndex((line) => line.startsWith(start));
  const to = lines.indexOf("", from);
  return from === -1 ? [] : lines.slice(from, to === -1 ? lines.length : to);
}

describe("the sample", () => {
  const lines = linesOf(sampleReport());

  test("begins with the verdict", () => {
    expect(lines.slice(0, 2)).toEqual([
      "THROTTLED  145 of 250 attempts refused (58 %) by the requests limit of",
      "           anthropic/default/claude-sonnet (50/min), worst at 09:03:02 UTC: one",
    ]);
  });

  test("shows who sent how much, against the limit and over time", () => {
    expect(part(lines, "anthropic/default/claude-sonnet")).toEqual([
      "anthropic/default/claude-sonnet",
      "  50 requests/min, burst 10 (stated by responses); 30,000 input tokens/min",
      "  (configured); peak 119 attempts/min",
      "  agent      share  calls  attempts  429s   peak/min  09:00              09:12",
      "  code        85 %     72       212   143  114 of 50  ······██▆▄▃▂············",
      "  research    10 %     24        26     2    4 of 50  ▁·▁·▁·▁·▁·▁·▁·▁·▁·▁·▁·▁·",
      "  summarize  4.8 %     12        12     0    1 of 50  ▁·▁·▁·▁·▁·▁·▁·▁·▁·▁·▁·▁·",
      "  429s                                                ······▇▆▅▂▂▁············",
      "                                                      █ = 60 attempts in 30 s",
    ]);
  });

  test("tells the cascade from its cause on, in order of time, with places to open", () => {
    const story = part(lines, "How the failure travelled").join("\n");
    expect(story).toContain("09:03:02 to 09:05:41: 145 of 219 attempts refused; 3/min before, 140/min after");
    expect(
      [...story.matchAll(/^ {2}(cause|carrier|victim) +(\w+) +([\d:]+)/gm)].map((m) => m.slice(1)),
    ).toEqual([
      ["cause", "code", "09:03:02"],
      ["victim", "research", "09:03:05"],
      ["victim", "review", "09:05:02"],
      ["carrier", "deploy", "09:05:04"],
    ]);
    expect([...story.matchAll(/samples\/cascade\.ndjson:(\d+)/g)].map((m) => m[1])).toEqual([
      "31",
      "40",
      "250",
      "252",
    ]);
  });

  test("gives each finding its message, value and limit, evidence, and a fix with its number", () => {
    expect(part(lines, "ERROR  greedy-agent")).toEqual([
      "ERROR  greedy-agent: agent code",
      "  code sent 95 % of the attempts on anthropic/default/claude-sonnet while it was",
      "  refused; research and summarize shared the other 5 %.",
      "  share of attempts 95 % (limit 80 %)",
      "  see  samples/cascade.ndjson:31, samples/cascade.ndjson:33,",
      "       samples/cascade.ndjson:34, +2 more",
      "  fix  Put one token bucket of 36/min with burst 10 in front of all workers of",
      "       code.",
      "       simulated: 429s 145 → 0, attempts 250 → 108, p95 wait 1 m 32 s → 41 s;",
      "       backtest error 4 %",
      "  or   Move code from claude-sonnet to claude-haiku, so that it draws on a",
      "       bucket of its own. (not simulated)",
    ]);
  });

  test("says why a fix has no number, and does not repeat what the message says", () => {
    expect(part(lines, "ERROR  short-timeout")).toEqual([
      "ERROR  short-timeout: waiter review",
      "  review waited 2 m for code, but the retry chain of code needed 2 m 39 s.",
      "  see  samples/cascade.ndjson:250",
      "  fix  Let review wait at least 5 m for code.",
      "       not simulated, because a longer wait changes no request",
    ]);
  });

  test("tells a fix once", () => {
    expect(part(lines, "ERROR  retry-storm")).toContain(
      "  fix  The same as for greedy-agent (429s 145 → 0).",
    );
  });

  test("says what it could not decide, and what the log lacks for it", () => {
    expect(part(lines, "Not decided")).toEqual([
      "Not decided",
      "  priority-inversion, background-starvation: no record has queued_ms",
    ]);
  });

  test("accounts for every line", () => {
    const accounting = part(lines, "What was read").join(" ").replaceAll(/ +/g, " ");
    for (const told of [
      "258 lines, 253 used, 4 rejected, 1 blank",
      "read as canonical (the first records have ts and agent), times in ISO 8601",
      "rejected 3 not-json, first samples/cascade.ndjson:17 Unexpected end of JSON input",
      "rejected 1 no-time, first samples/cascade.ndjson:90",
      "assumed one organisation, since the log names none",
      "window 2026-03-02 09:00:00 to 09:12:00 UTC (12 m)",
    ])
      expect(accounting).toContain(told);
  });

  test("ends with the count, the exit code and where to read on", () => {
    expect(lines.slice(-4)).toEqual([
      "3 errors, 1 warning; exit code 1",
      "rules: 4 found, 2 clear, 1 not applicable, 2 undecided; why429 0.1.0",
      "why429 explain greedy-agent tells more; -v adds all evidence and code to paste",
      "",
    ]);
  });
});

test("a healthy log gets a short, calm report with its headroom", () => {
  const lines = linesOf(healthyReport());
  expect(lines.slice(0, 4)).toEqual([
    "CLEAR  no rate limit was hit. The busiest minute used 64 % of the requests limit",
    "       (32 of 50).",
    "  anthropic/default/claude-sonnet: busiest minute 32 of 50 requests (64 %, 36 %",
    "  free); 384 attempts, 0 refused",
  ]);
  expect(lines.length).toBeLessThan(20);
  expect(lines).toContain("no findings; exit code 0");
  expect(lines.join(" ")).toContain("stdin: 384 lines, 384 used");
});

describe("other verdicts", () => {
  const sample = sampleReport();
  const calm = { ...sample, buckets: sample.buckets.map((bucket) => ({ ...bucket, throttled: 0 })) };

  test("nothing refused yet is a warning", () => {
    const findings = sample.findings.filter((found) => found.severity === "warning");
    expect(linesOf({ ...calm, findings })[0]).toMatch(/^WARNING {2}145/);
  });

  test("an error without throttling, such as billing, is a problem", () => {
    expect(linesOf(calm)[0]).toMatch(/^PROBLEM {2}145/);
  });

  test("a log that tells too little is inconclusive", () => {
    const verdict = { status: "inconclusive" as const, headline: "the log is empty: nothing to diagnose." };
    const empty: Report = {
      ...healthyReport(),
      verdict,
      inputs: [],
      span: null,
      buckets: [],
      agents: [],
      exitCode: 3,
    };
    const lines = linesOf(empty);
    expect(lines[0]).toBe("INCONCLUSIVE  the log is empty: nothing to diagnose.");
    expect(lines).toContain("no findings; exit code 3");
  });
});

describe("how much is told", () => {
  test("quiet: the verdict and the findings", () => {
    const lines = linesOf(sampleReport(), { detail: "quiet" });
    expect(lines[0]).toMatch(/^THROTTLED/);
    expect(lines.filter((line) => /^(?:ERROR|WARNING) /.test(line))).toHaveLength(4);
    expect(lines.join("\n")).not.toMatch(/What was read|Not decided|How the failure|exit code/);
  });

  test("verbose: all evidence with its notes, every number, the code of the fixes", () => {
    const lines = linesOf(sampleReport(), { detail: "verbose" });
    expect(lines.filter((line) => line.includes("a refused attempt of code"))).toHaveLength(5);
    expect(lines).toContain("  share of attempts 95 % (limit 80 %), fair share 33 %");
    expect(lines).toContain("       limiter = AsyncLimiter(max_rate=10, time_period=16.667)");
    expect(lines).toContain("  missing   queue-times: no record has queued_ms");
  });

  test("top: the worst so many, and how many more there are", () => {
    const lines = linesOf(sampleReport(), { top: 1 });
    expect(lines.filter((line) => /^(?:ERROR|WARNING) /.test(line))).toEqual([
      "ERROR  greedy-agent: agent code",
    ]);
    expect(lines).toContain("3 more findings, left out by --top 1");
    expect(lines).toContain("3 errors, 1 warning; exit code 1");
  });

  test("findings come by severity, and within it as the report ranks them", () => {
    const sample = sampleReport();
    const reversed = { ...sample, findings: sample.findings.toReversed() };
    const heads = linesOf(reversed).filter((line) => /^(?:ERROR|WARNING) /.test(line));
    expect(heads.map((line) => /^\w+ +([a-z-]+)/.exec(line)?.[1])).toEqual([
      "retry-storm",
      "short-timeout",
      "greedy-agent",
      "no-headroom",
    ]);
  });

  test("a suppressed finding is counted and does not stand among the others", () => {
    const sample = sampleReport();
    const suppressed = { by: "baseline", reason: "accepted in March" };
    const findings = sample.findings.map((found, i) => (i === 0 ? { ...found, suppressed } : found));
    const lines = linesOf({ ...sample, findings });
    expect(lines.filter((line) => line.startsWith("ERROR"))).toHaveLength(2);
    expect(lines).toContain("1 finding suppressed");
    expect(render({ ...sample, findings }, { detail: "verbose" })).toContain(
      "greedy-agent: agent code; by baseline: accepted in March",
    );
  });

  test("of many agents the heaviest have a row, and the others add up in one", () => {
    const table = tableOf(linesOf(hostileReport(), { width: 120 }));
    // Heading, 7 agents, the others, the scale; nothing was refused.
    expect(table).toHaveLength(10);
    const others = table.find((line) => line.includes("33 others")) ?? "";
    // 33 agents with 48 attempts and 48 calls each.
    expect(others).toMatch(/33 others +83 % +1,584 +1,584 +0 +99/);
    expect(
      linesOf(hostileReport(), { detail: "verbose" }).filter((line) => /^ {2}worker-\d+ /.test(line)),
    ).toHaveLength(36);
  });

  test("calm buckets beside a throttled one have a line each", () => {
    const sample = sampleReport();
    const [bucket] = sample.buckets;
    if (bucket === undefined) throw new Error("the sample has a bucket");
    const calm = { ...bucket, id: "openai/default/gpt-5", throttled: 0, peakPerMinute: 10, limits: [] };
    const lines = linesOf({ ...sample, buckets: [calm, bucket] });
    expect(part(lines, "Other buckets")).toEqual([
      "Other buckets",
      "  openai/default/gpt-5: busiest minute 10 attempts, limit not known; 250",
      "  attempts, 0 refused",
    ]);
    expect(part(lines, "anthropic/default/claude-sonnet").join(" ")).toContain("145 of 250 attempts refused");
  });

  test("of each bucket the worst incident is told, and the others are counted", () => {
    const sample = sampleReport();
    const [worst] = sample.incidents;
    if (worst === undefined) throw new Error("the sample has an incident");
    const small = { ...worst, id: "i0", throttled: 3, attempts: 4, to: "2026-03-02T09:03:02.400Z" };
    const other = { ...small, id: "i2", bucket: "openai/default/gpt-5", rateBefore: null };
    const report = { ...sample, incidents: [small, worst, other] };
    expect(incidentHeads(linesOf(report, { width: 100 }))).toEqual([
      "  09:03:02 to 09:05:41: 145 of 219 attempts refused; 3/min before, 140/min after the first 429",
      "  09:03:02: 3 of 4 attempts refused; 140/min after the first 429",
    ]);
    expect(linesOf(report)).toContain("  and in 1 further incident (-v tells more)");
    expect(incidentHeads(linesOf(report, { detail: "verbose" }))).toHaveLength(3);
  });

  test("evidence that points twice at one place is one place", () => {
    const sample = sampleReport();
    const findings = sample.findings.map((found) => ({
      ...found,
      evidence: [...found.evidence.slice(0, 1), ...found.evidence.slice(0, 1)],
    }));
    expect(linesOf({ ...sample, findings }).filter((line) => line.startsWith("  see "))).toEqual([
      "  see  samples/cascade.ndjson:31",
      "  see  samples/cascade.ndjson:250",
      "  see  samples/cascade.ndjson:60",
      "  see  samples/cascade.ndjson:210",
    ]);
  });

  test("tokens have a column when they tell another story than attempts", () => {
    const sample = sampleReport();
    const shares = [0.1, 0.85, 0.05];
    const agents = sample.agents.map((agent, i) => ({ ...agent, shareOfTokens: shares[i] ?? 0 }));
    const table = tableOf(linesOf({ ...sample, agents }, { width: 100 }));
    expect(table[0]).toMatch(/agent +share +tokens/);
    expect(table[1]).toMatch(/research +10 % +85 %/);
    expect(table[2]).toMatch(/code +85 % +10 %/);
  });
});

describe("on every terminal", () => {
  const details = ["quiet", "normal", "verbose"] as const;

  test.each(REPORTS)("%s keeps to the width, whatever it is", (_, report) => {
    for (const width of [40, 60, 80, 100, 173])
      for (const detail of details)
        for (const line of linesOf(withoutSnippets(report), { width, detail, ascii: true }))
          expect(line.length, line).toBeLessThanOrEqual(width);
  });

  test.each(REPORTS)("%s keeps to the width with wide letters", (_, report) => {
    for (const line of linesOf(withoutSnippets(report)))
      expect(columnsOf(line), line).toBeLessThanOrEqual(80);
  });

  test.each(REPORTS)("%s has no control characters, no colour and no space at line ends", (_, report) => {
    for (const detail of details)
      expect(render(report, { detail })).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\p{Cs}|[ ]\n/u);
  });

  test.each(REPORTS)("%s is plain ASCII when asked", (_, report) => {
    for (const detail of details) expect(render(report, { detail, ascii: true })).toMatch(/^[\n -~]*$/);
  });

  test.each(REPORTS)("%s says the same with and without colour", (_, report) => {
    const coloured = render(report, { color: true });
    // oxlint-disable-next-line no-control-regex -- the colours that are to be taken away
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(render(report));
    expect(coloured).not.toBe(render(report));
  });

  test.each(REPORTS)("%s comes out of its JSON alone", (_, report) => {
    const again = parseReport(JSON.parse(JSON.stringify(report)));
    for (const detail of details) expect(render(again, { detail })).toBe(render(report, { detail }));
  });

  test.each(REPORTS)("%s is left as it was", (_, report) => {
    const before = structuredClone(report);
    render(report, { detail: "verbose" });
    expect(report).toEqual(before);
  });

  test("any name at all, anywhere", () => {
    const sample = sampleReport();
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.integer({ min: 1, max: 130 }),
        (name, width) => {
          const agents = sample.agents.map((agent) => ({ ...agent, name, bucket: name }));
          const buckets = sample.buckets.map((bucket) => ({ ...bucket, id: name }));
          const findings = sample.findings.map((found) => ({
            ...found,
            subject: { agent: name },
            message: name,
          }));
          const report = { ...sample, agents, buckets, findings };
          const lines = linesOf(report, { width });
          for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(Math.max(40, width));
          expect(lines.join("")).not.toMatch(/\p{Cc}|\p{Cf}/u);
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Code is never folded, so only reports without it keep to the width. */
function withoutSnippets(report: Report): Report {
  const findings = report.findings.map((found) => ({
    ...found,
    fixes: found.fixes.map((fix) => ({ ...fix, snippets: [] })),
  }));
  return { ...report, findings };
}

/** The table of agents, from its heading on. */
function tableOf(lines: readonly string[]): readonly string[] {
  return part(lines, "  agent ");
}

function incidentHeads(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => /^ {2}\d\d:\d\d:\d\d[: ]/.test(line));
}
