import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  defineRule,
  diagnose,
  inputOf,
  parseReport,
  readLog,
  render,
  RULES,
  simulate,
  UserError,
} from "../../src/index.ts";

const line = (i: number, status: number): string =>
  `${JSON.stringify({ ts: 1_780_000_000_000 + i, agent: "code", call_id: `c${i}`, status })}\n`;
const someRefused = (): ReturnType<typeof inputOf> =>
  inputOf(
    "memory",
    Array.from({ length: 40 }, (_, i) => Buffer.from(line(i, i < 10 ? 200 : 429))),
  );

test("bytes become a log, a report and any of its layouts", async () => {
  const report = diagnose(await readLog([someRefused()]));
  expect(report.inputs).toMatchObject([{ source: "memory", lines: 40, accepted: 40 }]);
  expect(report.buckets).toMatchObject([{ attempts: 40, throttled: 30 }]);
  expect(report.verdicts.map(({ rule }) => rule)).toEqual(
    RULES.map((rule) => rule.id).toSorted((a, b) => (a < b ? -1 : 1)),
  );
  const json = render(report, "json");
  expect(render(parseReport(JSON.parse(json)), "text")).toBe(render(report));
  expect(() => render(report, "pfd")).toThrow(RangeError);
});

test("settings left out are those of the command line", async () => {
  const log = await readLog([someRefused()]);
  expect(diagnose(log, { failOn: "never" }).exitCode).toBe(0);
  expect(
    diagnose(log, {
      limits: [{ model: "*", dimension: "requests", perMinute: 7, burst: 3, source: "config" }],
    }).buckets[0]?.limits[0],
  ).toMatchObject({ perMinute: 7, burst: 3, source: "config" });
  // Limits told for one diagnosis do not leak into the next.
  expect(diagnose(log).buckets[0]?.limits.some(({ source }) => source === "config")).toBe(false);
});

test("a rule of the program's own runs beside or instead of ours", async () => {
  const own = defineRule({
    id: "few-attempts",
    title: "The log is short",
    why: "A short log shows little.",
    severity: "warning",
    needs: ["status"],
    options: { atLeast: { default: 100, unit: "count", reason: "an example" } },
    messages: { short: "{attempts} attempts" },
    check: ({ attempts }, { atLeast }) =>
      attempts.length >= atLeast
        ? { outcome: "clear", because: "enough" }
        : {
            outcome: "found",
            because: "too few",
            findings: [
              {
                subject: {},
                message: "short",
                numbers: { attempts: { value: attempts.length, unit: "count", limit: atLeast } },
                evidence: [{ attempt: 0, note: "the first" }],
                fixes: [{ kind: "batch", advice: "Log more." }],
                harm: { refusals: 0, lostMs: 0, failedCalls: 0 },
              },
            ],
          },
  });
  const log = await readLog([someRefused()]);
  const report = diagnose(log, { rules: [own], failOn: "warning" });
  expect(report.findings).toMatchObject([{ rule: "few-attempts", message: "40 attempts" }]);
  expect(report.exitCode).toBe(1);
  expect(diagnose(log, { rules: [own], set: { "few-attempts": { atLeast: 40 } } }).findings).toEqual([]);
});

test("a scenario is simulated, with its seed or another", () => {
  const text = readFileSync(join(import.meta.dirname, "../../samples/simulate/burst-30.json"), "utf8");
  const results = simulate(text);
  expect(results.find(({ id }) => id === "C")).toMatchObject({ throttled: 77, failed: 0 });
  expect(simulate(text, 1)).not.toEqual(results);
  expect(simulate(text)).toEqual(results);
  expect(() => simulate("{}")).toThrow(UserError);
});

test("what a user can mend is a UserError with a hint", async () => {
  const failed: unknown = await readLog("nowhere.ndjson").catch((error: unknown) => error);
  if (!(failed instanceof UserError)) throw new Error(`not a UserError: ${String(failed)}`);
  expect(failed.message).toContain("nowhere.ndjson");
  expect(failed.hint).not.toBe("");
});
