import { describe, expect, test } from "vitest";
import { RULES } from "../../rules/index.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import type { Report } from "../../src/model/report.ts";
import type { Rule } from "../../src/model/rule.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../src/model/settings.ts";
import type { RecordInput } from "../support/cases.ts";
import { logOf } from "../support/log.ts";

const START = Date.UTC(2026, 5, 1, 10);

function at(ms: number): string {
  return new Date(START + ms).toISOString();
}

function attempt(
  ms: number,
  agent: string,
  call: string,
  fields: { readonly [field: string]: unknown } = {},
): RecordInput {
  return {
    ts: at(ms),
    duration_ms: 1_000,
    agent,
    run_id: "run_1",
    call_id: call,
    attempt: 1,
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    status: 200,
    ...fields,
  };
}

const refused = {
  status: 429,
  duration_ms: 100,
  error_type: "rate_limit_error",
  headers: {
    "retry-after": "70",
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "0",
  },
};
const served = {
  headers: { "anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-remaining": "4" },
};

/** The opening story by hand: code starts 20 calls at once, 15 are refused twice, 70 s apart; review waits 120 s, deploy 125 s. */
function cascade(): RecordInput[] {
  const records: RecordInput[] = [
    attempt(0, "research", "r1", served),
    attempt(20_000, "summarize", "s1", served),
  ];
  for (let i = 0; i < 20; i++) {
    const call = `c${i}`;
    if (i < 5) records.push(attempt(60_000 + i, "code", call, served));
    else {
      records.push(attempt(60_000 + i, "code", call, refused));
      records.push(attempt(130_200 + i, "code", call, { ...refused, attempt: 2 }));
      records.push(attempt(200_400 + i * 1_300, "code", call, { ...served, attempt: 3 }));
    }
  }
  records.push({
    event: "wait",
    ts: at(60_000),
    duration_ms: 120_000,
    agent: "review",
    waits_for: "code",
    timeout_ms: 120_000,
    outcome: "timeout",
    run_id: "run_1",
  });
  records.push({
    event: "wait",
    ts: at(60_000),
    duration_ms: 125_000,
    agent: "deploy",
    waits_for: "review",
    timeout_ms: 125_000,
    outcome: "timeout",
    run_id: "run_1",
  });
  records.push({
    event: "action",
    ts: at(185_500),
    agent: "orchestrator",
    action: "rollback",
    run_id: "run_1",
  });
  return records;
}

function reportOf(
  records: readonly RecordInput[],
  settings: Partial<Settings> = {},
  rules: readonly Rule[] = RULES,
): Report {
  return diagnose(logOf(records), {
    rules,
    recipes: [],
    settings: { ...DEFAULT_SETTINGS, ...settings },
    version: "1.2.3",
  });
}

describe("the cascade of the opening story", () => {
  const report = reportOf(cascade());
  const steps = report.incidents.flatMap((incident) => incident.cascade);
  const step = (agent: string): (typeof steps)[number] | undefined =>
    steps.find((one) => one.agent === agent);

  test("names the cause, the victims and what the orchestrator did", () => {
    expect(step("code")).toMatchObject({ role: "cause", at: at(60_005) });
    expect(step("review")?.role).toBe("victim");
    expect(step("deploy")?.role).toBe("victim");
    expect(step("orchestrator")).toMatchObject({ role: "carrier", at: at(185_500) });
    expect(step("orchestrator")?.what).toContain("rollback");
  });

  test("holds the timeout against the chain", () => {
    // The last call to succeed is c19: sent at 200.4 s + 19 x 1.3 s, answered a second later: 226.1 s; review began at 60 s.
    const finding = report.findings.find(
      (one) => one.rule === "short-timeout" && one.subject.waiter === "review",
    );
    expect(finding?.numbers["timeout"]).toMatchObject({ value: 120_000 });
    expect(finding?.numbers["needed"]?.value).toBe(226_100 - 60_000);
    const fix = finding?.fixes.find((one) => one.kind === "timeout");
    expect(fix?.parameters["timeoutMs"]).toBeGreaterThanOrEqual(166_100);
  });

  test("points each step and finding at a line of the log", () => {
    for (const { evidence } of steps) expect(evidence.line).toBeGreaterThan(0);
    expect(report.findings.length).toBeGreaterThan(0);
    for (const finding of report.findings) expect(finding.evidence.length).toBeGreaterThan(0);
  });

  test("says for each fix what it would do, or why it cannot", () => {
    for (const fix of report.findings.flatMap((finding) => finding.fixes))
      expect(fix.effect === null).toBe(fix.notSimulatedBecause !== undefined);
    const pace = report.findings.flatMap((finding) => finding.fixes).find((fix) => fix.kind === "pace");
    expect(pace?.effect?.before.throttled).toBe(30);
    expect(pace?.effect?.after.throttled).toBe(0);
  });
});

describe("findings", () => {
  test("keep their fingerprint when the same thing happens an hour later, and lose it when somebody else does it", () => {
    const later = cascade().map((record) => ({
      ...record,
      ts: new Date(Date.parse(String(record.ts)) + 3_600_000).toISOString(),
    }));
    const renamed = cascade().map((record) => ({
      ...record,
      agent: record["agent"] === "code" ? "coder" : record["agent"],
      waits_for: record["waits_for"] === "code" ? "coder" : record["waits_for"],
    }));
    const prints = (records: readonly RecordInput[]): readonly string[] =>
      reportOf(records)
        .findings.map((finding) => finding.fingerprint)
        .toSorted();
    expect(prints(later)).toEqual(prints(cascade()));
    expect(prints(renamed)).not.toEqual(prints(cascade()));
  });

  test("do not depend on the order of the lines", () => {
    const told = ({ findings, verdict }: Report): unknown => ({
      verdict,
      findings: findings.map(({ evidence: _, ...rest }) => rest),
    });
    expect(told(reportOf(cascade().toReversed()))).toEqual(told(reportOf(cascade())));
  });
});

describe("rules", () => {
  const [first] = RULES;
  if (first === undefined) throw new Error("no rules");
  const throwing: Rule = {
    ...first,
    id: "broken",
    needs: [],
    check() {
      throw new Error("lost its way");
    },
  };

  test("one that throws is told as an error and spoils nothing", () => {
    const report = reportOf(cascade(), {}, [...RULES, throwing]);
    expect(report.verdicts.find((verdict) => verdict.rule === "broken")).toEqual({
      rule: "broken",
      outcome: "error",
      because: "the rule failed: lost its way",
    });
    expect(report.findings).toEqual(reportOf(cascade()).findings);
  });

  test("one whose facts are missing is unknown, with the fact named", () => {
    const report = reportOf([{ ts: at(0), status: 200 }], {}, [{ ...throwing, needs: ["agents"] }]);
    expect(report.verdicts).toEqual([
      { rule: "broken", outcome: "unknown", because: "no record names its agent" },
    ]);
  });

  test("have one verdict each, in order of their ids", () => {
    const ids = reportOf(cascade().toReversed()).verdicts.map((verdict) => verdict.rule);
    expect(ids).toEqual(RULES.map((rule) => rule.id).toSorted());
  });

  test("are switched off, chosen and re-levelled by the settings", () => {
    const ids = (settings: Partial<Settings>): readonly string[] =>
      reportOf(cascade(), settings).verdicts.map((verdict) => verdict.rule);
    expect(ids({ only: ["short-timeout"] })).toEqual(["short-timeout"]);
    expect(ids({ skip: ["short-timeout"] })).not.toContain("short-timeout");
    expect(ids({ levels: { "short-timeout": "off" } })).not.toContain("short-timeout");
    const levelled = reportOf(cascade(), { only: ["short-timeout"], levels: { "short-timeout": "info" } });
    expect(levelled.findings.map((finding) => finding.severity)).toEqual(levelled.findings.map(() => "info"));
    expect(levelled.exitCode).toBe(0);
    expect(levelled.verdict.status).toBe("clear");
  });
});

describe("the exit code", () => {
  test.each<[Partial<Settings>, number]>([
    [{}, 1],
    [{ failOn: "never" }, 0],
    [{ failOn: "info" }, 1],
    [{ only: ["untagged-traffic"] }, 0],
  ])("under %o is %i", (settings, exitCode) => {
    expect(reportOf(cascade(), settings).exitCode).toBe(exitCode);
  });

  test("is 3 where none of the six symptoms can be decided", () => {
    const report = reportOf([{ ts: at(0) }, { ts: at(1) }]);
    expect(report.exitCode).toBe(3);
    expect(report.verdict.status).toBe("inconclusive");
  });

  test("is 3 for an empty log, or 0 where that is allowed", () => {
    expect(reportOf([]).exitCode).toBe(3);
    expect(reportOf([], { allowEmpty: true }).exitCode).toBe(0);
  });
});

test("a healthy log is told its headroom", () => {
  const calm = Array.from({ length: 60 }, (_, i) => attempt(i * 6_000, "code", `c${i}`, served));
  const report = reportOf(calm);
  expect(report.findings).toEqual([]);
  // Ten a minute of fifty.
  expect(report.verdict).toEqual({
    status: "clear",
    headline: "no rate limit was hit. The busiest minute used 20 % of the requests limit (10 of 50).",
  });
  expect(report.exitCode).toBe(0);
});
