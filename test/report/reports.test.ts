import { describe, expect, test } from "vitest";
import { healthyReport, hostileReport, sampleReport } from "../support/reports.ts";

/** A sample that contradicts itself would make the layouts' hand-worked numbers worthless. */
describe.each([
  ["the sample", sampleReport()],
  ["a healthy log", healthyReport()],
  ["a hostile log", hostileReport()],
])("%s agrees with itself", (_, report) => {
  test("series add up to the agents", () => {
    for (const agent of report.agents) {
      expect(sum(agent.series.sent)).toBe(agent.attempts);
      expect(sum(agent.series.throttled)).toBe(agent.throttled);
    }
  });

  test("agents add up to their bucket, shares to one", () => {
    for (const bucket of report.buckets) {
      const own = report.agents.filter((agent) => agent.bucket === bucket.id);
      for (const name of ["attempts", "calls", "throttled"] as const)
        expect(sum(own.map((agent) => agent[name]))).toBe(bucket[name]);
      expect(sum(own.map((agent) => agent.shareOfAttempts))).toBeCloseTo(1, 9);
    }
  });

  test("lines are accepted, rejected or blank, and rejected lines have a code", () => {
    for (const input of report.inputs)
      expect(input.accepted + input.rejected + input.blank).toBe(input.lines);
    const rejected = sum(report.inputs.map((input) => input.rejected));
    expect(sum(Object.values(report.problemTotals))).toBe(rejected);
  });

  test("a fix without an effect says why, and only such a one", () => {
    for (const fix of report.findings.flatMap((found) => found.fixes))
      expect(fix.notSimulatedBecause === undefined).toBe(fix.effect !== null);
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
