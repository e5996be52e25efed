import { describe, expect, test } from "vitest";
import type { RequestLog } from "../src/model/log.ts";
import type { Rule, RuleFinding } from "../src/model/rule.ts";
import type { Case, RecordInput } from "./support/cases.ts";
import { tryCase } from "./support/try-case.ts";

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
