import { expect, test } from "vitest";
import { REPORTERS } from "../../src/report/formats/index.ts";
import { json } from "../../src/report/formats/json.ts";
import { createStyle } from "../../src/report/style.ts";
import { healthyReport, hostileReport, sampleReport } from "../support/reports.ts";

const style = createStyle({ color: true, width: 80 });

test("JSON is the report, indented by two, with a newline at the end", () => {
  const report = sampleReport();
  expect(json.render(report, style)).toBe(`${JSON.stringify(report, null, 2)}\n`);
});

test.each([sampleReport(), healthyReport(), hostileReport()])("JSON reads back as the report", (report) => {
  const text = json.render(report, style);
  expect(JSON.parse(text)).toEqual(report);
  expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}/u);
});

test("formats are found by id and by the ending of a file", () => {
  expect(REPORTERS.map((reporter) => reporter.id)).toEqual(["json", "text"]);
  const endings = REPORTERS.flatMap((reporter) => reporter.extensions);
  expect(new Set(endings).size).toBe(endings.length);
  for (const ending of endings) expect(ending).toMatch(/^\.[a-z]+$/);
});
