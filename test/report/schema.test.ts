import { describe, expect, test } from "vitest";
import { parseReport, reportJsonSchema } from "../../src/report/schema.ts";
import { healthyReport, hostileReport, sampleReport } from "../support/reports.ts";

describe("the schema", () => {
  test.each([
    ["the sample", sampleReport()],
    ["a healthy log", healthyReport()],
    ["a hostile log", hostileReport()],
  ])("takes %s, also after a way through JSON", (_, report) => {
    expect(parseReport(report)).toEqual(report);
    expect(parseReport(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });

  const sample = sampleReport();
  test.each([
    ["an unknown key", { ...sample, extra: 1 }, "extra"],
    ["an unknown key deep inside", { ...sample, tool: { ...sample.tool, home: "x" } }, "home"],
    ["another version", { ...sample, schemaVersion: 2 }, "schemaVersion"],
    ["a local time", { ...sample, span: { from: "2026-03-02 09:00", to: "x" } }, "span"],
    ["a missing part", { ...sample, agents: undefined }, "agents"],
    ["half an attempt", { ...sample, buckets: [{ ...sample.buckets[0], attempts: 0.5 }] }, "attempts"],
    [
      "an optional key that says undefined",
      { ...sample, findings: [{ ...sample.findings[0], incident: undefined }] },
      "incident",
    ],
  ])("refuses %s", (_, report, named) => {
    expect(() => parseReport(report)).toThrow(named);
  });

  test("as JSON Schema forbids unknown keys and names every part", () => {
    const schema = reportJsonSchema();
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "why429 report",
      type: "object",
      additionalProperties: false,
      required: Object.keys(sample),
    });
    // Every object is closed: it has listed keys, or it is a map from names to values of one kind.
    const text = JSON.stringify(schema);
    expect(text.match(/"type":"object","properties"/g)?.length).toBe(
      text.match(/"additionalProperties":false/g)?.length,
    );
  });
});
