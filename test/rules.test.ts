import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RULES } from "../rules/index.ts";
import { rankFindings, type RuleResult, runRules } from "../src/diagnose/run-rules.ts";
import { selectRules } from "../src/diagnose/select.ts";
import type { RequestLog } from "../src/model/log.ts";
import type { EvidenceRef, Rule, RuleFinding } from "../src/model/rule.ts";
import { DEFAULT_SETTINGS } from "../src/model/settings.ts";
import { agentLabel } from "../src/words/names.ts";
import { fill } from "../src/words/template.ts";
import type { Case, RecordInput, RuleCases } from "./support/cases.ts";
import { logOf } from "./support/log.ts";
import { blocksOf, headingsOf, recordsOf, sectionOf } from "./support/readme.ts";

const FOLDER = join(import.meta.dirname, "../rules");
const HEADINGS = [
  "What it sees",
  "Why it hurts",
  "What to do",
  "How the number is computed",
  "Tune or silence",
  "A log that fires",
  "A log that does not",
];
const STACKS = ["Python asyncio", "LangChain", "TypeScript"];
/** An id names a failing state; these would name what somebody does about it. */
const VERBS = [
  "avoid",
  "check",
  "detect",
  "find",
  "fix",
  "flag",
  "prefer",
  "prevent",
  "require",
  "use",
  "warn",
];

const folders = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const subjects = await Promise.all(
  folders.map(async (folder) => {
    const [cases, readme] = [join(FOLDER, folder, "cases.ts"), join(FOLDER, folder, "README.md")];
    // Boundary: the type checker sees every cases.ts, but not which one this imports.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const module = existsSync(cases) ? ((await import(cases)) as { readonly cases: RuleCases }) : null;
    return {
      folder,
      rule: RULES.find((one) => one.id === folder) ?? null,
      cases: module?.cases ?? { loud: [], quiet: [], edge: [] },
      readme: existsSync(readme) ? readFileSync(readme, "utf8") : "",
    };
  }),
);

test("every folder is a registered rule and every rule has a folder", () => {
  expect(RULES.map((rule) => rule.id).toSorted()).toEqual(folders.toSorted());
});

describe.each(subjects)("$folder", ({ rule, cases, readme }) => {
  if (rule === null) return;
  describe("names", () => {
    test("the id is a noun phrase, the title has no numbers", () => {
      expect(rule.id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(VERBS).not.toContain(rule.id.split("-")[0]);
      expect(rule.title).not.toMatch(/\d/);
    });

    test("each threshold has a reason", () => {
      for (const option of Object.values(rule.options)) {
        expect(Number.isFinite(option.default)).toBe(true);
        expect(option.reason).not.toBe("");
      }
    });
  });

  describeReadme(rule, readme);
  describeCases(rule, cases);
});

describe("the harness notices", () => {
  const log = (): readonly RecordInput[] => [
    { ts: 1_780_000_000_000, agent: "a", status: 200 },
    { ts: 1_780_000_000_001, agent: "b", status: 429 },
  ];
  const found: RuleFinding = {
    subject: { agent: "a" },
    message: "seen",
    numbers: { attempts: { value: 2, unit: "count" } },
    evidence: [{ attempt: 0, note: "the first" }],
    fixes: [{ kind: "batch", advice: "Send fewer." }],
    harm: { refusals: 0, lostMs: 0, failedCalls: 0 },
  };
  const planted = (finding: (log: RequestLog) => Partial<RuleFinding>): Rule => ({
    id: "planted-fault",
    title: "A fault is planted",
    why: "A harness that cannot fail proves nothing.",
    severity: "warning",
    needs: [],
    options: {},
    messages: { seen: "{attempts} attempts" },
    check: (read) => ({ outcome: "found", because: "planted", findings: [{ ...found, ...finding(read) }] }),
  });
  const one: Case = { name: "planted", log, expect: { outcome: "found", agents: ["a"] } };

  test("nothing where nothing is planted", () => {
    tryCase(
      planted(() => ({})),
      one,
    );
  });

  test.each<readonly [string, (log: RequestLog) => Partial<RuleFinding>]>([
    [
      "a log that was changed",
      ({ attempts }) => {
        attempts.sentMs[0] = 1;
        return {};
      },
    ],
    ["a message that is not there", () => ({ message: "unseen" })],
    ["a placeholder without its number", () => ({ numbers: {} })],
    ["a number that is none", () => ({ numbers: { attempts: { value: Number.NaN, unit: "count" } } })],
    ["a finding without a fix", () => ({ fixes: [] })],
    ["a finding without evidence", () => ({ evidence: [] })],
    ["evidence that is not in the log", () => ({ evidence: [{ attempt: 2, note: "none" }] })],
    ["another culprit", () => ({ subject: { agent: "b" } })],
    [
      "a verdict that hangs on the order of the lines",
      ({ agents }) => ({ words: { first: agents[1] ?? "" } }),
    ],
  ])("%s", (_what, finding) => {
    expect(() => tryCase(planted(finding), one)).toThrow(/./);
  });
});

function describeReadme(rule: Rule, readme: string): void {
  describe("README", () => {
    test("begins with the id and has its headings in order", () => {
      expect(readme.split("\n")[0]).toBe(`# ${rule.id}`);
      expect(headingsOf(readme)).toEqual(HEADINGS);
    });

    test("shows what to do in the code of each stack", () => {
      const advice = sectionOf(readme, "What to do");
      for (const stack of STACKS) expect(advice).toContain(stack);
      expect([...blocksOf(advice, "python"), ...blocksOf(advice, "ts")].length).toBeGreaterThanOrEqual(3);
    });

    test("names each option with its default, and how to silence", () => {
      const tuning = sectionOf(readme, "Tune or silence");
      for (const [name, option] of Object.entries(rule.options))
        expect(tuning).toMatch(new RegExp(`^\\| \`${name}\` *\\| ${option.default} *\\|`, "m"));
      expect(tuning).toContain(`--rule ${rule.id}=off`);
    });

    test("its first log fires, its second does not", () => {
      const [fires = "", ...others] = blocksOf(sectionOf(readme, "A log that fires"), "ndjson");
      const [quiet = "", ...more] = blocksOf(sectionOf(readme, "A log that does not"), "ndjson");
      expect([...others, ...more]).toEqual([]);
      expect(resultOf(rule, logOf(recordsOf(fires))).verdict.outcome).toBe("found");
      const verdict = resultOf(rule, logOf(recordsOf(quiet))).verdict;
      expect(["clear", "unknown", "not-applicable"]).toContain(verdict.outcome);
    });
  });
}

function describeCases(rule: Rule, { loud, quiet, edge }: RuleCases): void {
  const all = [...loud, ...quiet, ...edge];
  test("has enough cases of each kind, with names of their own", () => {
    expect(loud.length).toBeGreaterThanOrEqual(2);
    expect(quiet.length).toBeGreaterThanOrEqual(3);
    expect(edge.length).toBeGreaterThanOrEqual(2);
    const names = all.map((one) => one.name);
    expect(new Set(names).size).toBe(names.length);
    expect(loud.filter((one) => one.expect.outcome !== "found")).toEqual([]);
    expect(quiet.filter((one) => one.expect.outcome === "found" && one.expect.severity !== "info")).toEqual(
      [],
    );
  });

  test("stands on both sides of each threshold", () => {
    for (const option of Object.keys(rule.options)) {
      const sides = edge.filter((one) => one.name.startsWith(`${option}:`)).map((one) => one.expect);
      expect(sides.length, option).toBeGreaterThanOrEqual(2);
      expect(new Set(sides.map((side) => JSON.stringify(side))).size, option).toBeGreaterThanOrEqual(2);
    }
    const unknown = all.flatMap((one) => Object.keys(one.options ?? {})).filter((o) => !(o in rule.options));
    expect(unknown).toEqual([]);
  });

  // Not `test.each`: it cuts names short.
  for (const [kind, some] of Object.entries({ loud, quiet, edge })) {
    for (const one of some) {
      test(`${kind}: ${one.name}`, () => {
        tryCase(rule, one);
      });
    }
  }
}

function tryCase(rule: Rule, one: Case): void {
  const records = one.log();
  const log = logOf(records, one.told);
  const before = structuredClone(log);
  const result = resultOf(rule, log, one.options);
  expect(log).toEqual(before);
  expectVerdict(result, one);
  for (const finding of findingsOf(result)) expectWellFormed(rule, log, finding);

  const told = comparable(result);
  const { length } = records;
  const shuffled = fc.shuffledSubarray([...records], { minLength: length, maxLength: length });
  fc.assert(
    fc.property(shuffled, (other) => {
      expect(comparable(resultOf(rule, logOf(other, one.told), one.options))).toEqual(told);
    }),
    // Backwards, and once at random.
    { numRuns: 2, seed: 429, examples: [[records.toReversed()]] },
  );
}

function resultOf(rule: Rule, log: RequestLog, options: Case["options"] = {}): RuleResult {
  const selected = selectRules([rule], { ...DEFAULT_SETTINGS, set: { [rule.id]: options } });
  const [result] = runRules(log, selected);
  if (result === undefined) throw new Error(`${rule.id} did not run`);
  return result;
}

function findingsOf({ verdict }: RuleResult): readonly RuleFinding[] {
  return verdict.outcome === "found" ? verdict.findings : [];
}

function expectVerdict(result: RuleResult, { expect: expected }: Case): void {
  expect(result.verdict.outcome, result.verdict.because).toBe(expected.outcome);
  expect(result.verdict.because).not.toBe("");
  const [first] = rankFindings([result]);
  if (expected.agents !== undefined) {
    const named = findingsOf(result).flatMap(({ subject }) => subject.waiter ?? subject.agent ?? []);
    expect(named.toSorted()).toEqual(expected.agents.toSorted());
  }
  if (expected.severity !== undefined) expect(first?.severity).toBe(expected.severity);
  if (expected.message !== undefined) expect(first?.finding.message).toBe(expected.message);
  if (expected.fixKinds !== undefined)
    expect(first?.finding.fixes.map((fix) => fix.kind)).toEqual(expected.fixKinds);
  for (const [name, value] of Object.entries(expected.numbers ?? {}))
    expect(first?.finding.numbers[name]?.value, name).toBeCloseTo(value, 9);
  if (expected.fix !== undefined) expect(first?.finding.fixes[0]).toMatchObject(expected.fix);
}

function expectWellFormed(rule: Rule, log: RequestLog, finding: RuleFinding): void {
  expect(Object.keys(rule.messages)).toContain(finding.message);
  expect(messageOf(rule, finding)).not.toMatch(/[{}]|undefined|NaN|unknown/);
  expect(finding.fixes.length).toBeGreaterThan(0);
  expect(finding.evidence.length).toBeGreaterThan(0);
  for (const ref of finding.evidence) expect(isThere(log, ref), JSON.stringify(ref)).toBe(true);
  for (const [name, { value }] of Object.entries(finding.numbers))
    expect(Number.isFinite(value), name).toBe(true);
  for (const [name, value] of Object.entries(finding.harm)) {
    expect(Number.isFinite(value), name).toBe(true);
    expect(value, name).toBeGreaterThanOrEqual(0);
  }
}

function messageOf(rule: Rule, { message, numbers, subject, words }: RuleFinding): string {
  const { agent = "", bucket = "", key = "", waiter = "" } = subject;
  const template = rule.messages[message] ?? "";
  return fill(template, numbers, { agent: agentLabel(agent), bucket, key, waiter, ...words });
}

function isThere(log: RequestLog, ref: EvidenceRef): boolean {
  if ("attempt" in ref)
    return Number.isInteger(ref.attempt) && ref.attempt >= 0 && ref.attempt < log.attempts.length;
  const events = [...log.waits, ...log.actions];
  return events.some((event) => event.source === ref.source && event.line === ref.line);
}

/** What must not depend on the order of the lines: evidence points at lines, so it does. */
function comparable(result: RuleResult): unknown {
  return {
    outcome: result.verdict.outcome,
    findings: rankFindings([result]).map(({ severity, finding }) => ({
      ...finding,
      evidence: finding.evidence.length,
      severity,
    })),
  };
}
