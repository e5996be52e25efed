import { describe, expect, test } from "vitest";
import { createStyle } from "../../src/report/style.ts";

const PAINTS = ["plain", "strong", "dim", "error", "warning", "info", "good"] as const;

describe("a style", () => {
  test.each(PAINTS)("paints %s only with colour on", (as) => {
    expect(createStyle({ color: false, width: 80 }).paint("x", as)).toBe("x");
    const painted = createStyle({ color: true, width: 80 }).paint("x", as);
    expect(painted === "x").toBe(as === "plain");
    expect(painted).toContain("x");
  });

  test("takes what a caller leaves out", () => {
    expect(createStyle({ color: false, width: 80 })).toMatchObject({
      width: 80,
      ascii: false,
      detail: "normal",
      top: null,
    });
  });

  test.each([
    [0, 40],
    [39, 40],
    [80.9, 80],
    [200, 200],
  ])("a terminal of %d columns is taken as %d", (width, taken) => {
    expect(createStyle({ color: false, width }).width).toBe(taken);
  });

  test.each([true, false])("has eight distinct heights besides none (ascii: %s)", (ascii) => {
    const { levels, none } = createStyle({ color: false, width: 80, ascii }).glyphs;
    expect(levels).toHaveLength(8);
    expect(new Set([none, ...levels]).size).toBe(9);
  });
});
