import * as fc from "fast-check";
import { expect } from "vitest";
import { rankFindings, type RuleResult, runRules } from "../../src/diagnose/run-rules.ts";
import { selectRules } from "../../src/diagnose/select.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { EvidenceRef, Rule, RuleFinding } from "../../src/model/rule.ts";
import { DEFAULT_SETTINGS } from "../../src/model/settings.ts";
import { agentLabel } from "../../src/words/names.ts";
import { fill } from "../../src/words/template.ts";
import type { Case } from "./cases.ts";
import { logOf } from "./log.ts";

/**
 * Runs one case of a rule: the verdict and its numbers are as expected, the findings complete, the log untouched, and the
 * lines in any other order give the same.
 */
export function tryCase(rule: Rule, one: Case): void {
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

/** What the rule says of a log, with its needs checked as in a diagnosis. */
export function resultOf(rule: Rule, log: RequestLog, options: Case["options"] = {}): RuleResult {
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
