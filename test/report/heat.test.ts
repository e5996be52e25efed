import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStyle } from "../../src/report/style.ts";
import { type Axis, axisHead, axisOf, drawHeat, heatValues } from "../../src/report/text/heat.ts";

const NINE = Date.UTC(2026, 2, 2, 9, 0, 0);
const unicode = createStyle({ color: false, width: 80 }).glyphs;
const ascii = createStyle({ color: false, width: 80, ascii: true }).glyphs;

interface Series {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly sent: readonly number[];
  readonly throttled: readonly number[];
}

function seriesOf(sent: readonly number[], fromMs = NINE, stepMs = 1_000): Series {
  return { fromMs, stepMs, sent, throttled: sent.map((count) => Math.floor(count / 2)) };
}

/** The axis, which these series have. */
function axisFor(series: readonly Series[], width: number): Axis {
  const axis = axisOf(series, width);
  if (axis === null) throw new Error("these series have an axis");
  return axis;
}

describe("the axis", () => {
  test("seven steps in four characters stand two by two", () => {
    expect(axisOf([seriesOf([1, 2, 3, 4, 5, 6, 7])], 4)).toEqual({
      fromMs: NINE,
      toMs: NINE + 8_000,
      stepMs: 2_000,
      values: 4,
      repeat: 1,
    });
  });

  test("three steps in ten characters are drawn three wide", () => {
    expect(axisOf([seriesOf([1, 2, 3])], 10)).toMatchObject({ values: 3, stepMs: 1_000, repeat: 3 });
  });

  test("two steps are not stretched over a whole line", () => {
    expect(axisOf([seriesOf([1, 2])], 60)).toMatchObject({ values: 2, repeat: 4 });
  });

  test("holds series that start at different times", () => {
    const axis = axisFor([seriesOf([1, 1]), seriesOf([2, 2], NINE + 3_000)], 5);
    expect(heatValues(axis, [seriesOf([1, 1])], "sent")).toEqual([1, 1, 0, 0, 0]);
    expect(heatValues(axis, [seriesOf([2, 2], NINE + 3_000)], "sent")).toEqual([0, 0, 0, 2, 2]);
  });

  test("there is none without series, steps or room", () => {
    expect(axisOf([], 10)).toBeNull();
    expect(axisOf([seriesOf([])], 10)).toBeNull();
    expect(axisOf([seriesOf([1])], 0)).toBeNull();
  });

  test("no attempt is lost, and no strip is wider than its room", () => {
    const sent = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 80 });
    const starts = fc.nat({ max: 40 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(sent, starts), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 70 }),
        (told, width) => {
          const series = told.map(([counts, start]) => seriesOf(counts, NINE + start * 1_000));
          const axis = axisFor(series, width);
          const values = heatValues(axis, series, "sent");
          const total = told.flatMap(([counts]) => counts).reduce((sum, count) => sum + count, 0);
          expect(values.reduce((sum, count) => sum + count, 0)).toBe(total);
          expect(Array.from(drawHeat(axis, values, 50, unicode)).length).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

describe("the strip", () => {
  const axis = axisFor([seriesOf([0, 1, 2, 3, 4, 5, 6, 7, 8])], 9);

  test("eighths of the top, each its own height", () => {
    const values = heatValues(axis, [seriesOf([0, 1, 2, 3, 4, 5, 6, 7, 8])], "sent");
    expect(drawHeat(axis, values, 8, unicode)).toBe("·▁▂▃▄▅▆▇█");
    expect(drawHeat(axis, values, 8, ascii)).toBe("._-=+*%#@");
  });

  test("one attempt shows beside a thousand", () => {
    expect(drawHeat(axis, [0, 1, 125, 126, 1_000, 0, 0, 0, 0], 1_000, unicode)).toBe("·▁▁▂█····");
  });

  test("refusals are drawn from their own counts", () => {
    expect(heatValues(axis, [seriesOf([0, 1, 2, 3, 4, 5, 6, 7, 8])], "throttled")).toEqual([
      0, 0, 1, 1, 2, 2, 3, 3, 4,
    ]);
  });
});

describe("the times over the strip", () => {
  const heads: readonly (readonly [string, number, number, string])[] = [
    ["minutes for an hour", 60, 60_000, "09:00          10:00"],
    ["seconds for some minutes", 60, 5_000, "09:00:00    09:05:00"],
    ["days for a week", 7, 86_400_000, "03-02          03-09"],
  ];
  test.each(heads)("%s", (_, steps, stepMs, head) => {
    const axis = axisFor(
      [
        seriesOf(
          Array.from({ length: steps }, () => 1),
          NINE,
          stepMs,
        ),
      ],
      20,
    );
    // Sixty steps in twenty characters, or seven drawn two wide.
    expect(axisHead({ ...axis, values: 20, repeat: 1 })).toBe(head);
  });

  test("stay apart over a strip that is shorter than both", () => {
    expect(axisHead(axisFor([seriesOf([1], NINE, 3_600_000)], 20))).toBe("09:00 10:00");
  });

  test("a time that no date can hold is a number", () => {
    expect(axisHead(axisFor([seriesOf([1], 9e15, 1)], 20))).toBe("9000000000000000 9000000000000001");
  });
});
