import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  clip,
  clipStart,
  columnsOf,
  fold,
  foldItems,
  padEnd,
  padStart,
} from "../../src/report/text/layout.ts";

test.each([
  ["", 0],
  ["code", 4],
  ["研究", 4],
  ["ｱ", 1],
  ["한글", 4],
  ["naïve", 5],
  ["nai\u0308ve", 5],
  ["🙂", 2],
  ["…▁█·→", 5],
])("%j takes %d columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test("cutting marks what is gone, at the end or at the start", () => {
  expect(clip("summarize", 9, "…")).toBe("summarize");
  expect(clip("summarize", 8, "…")).toBe("summari…");
  expect(clip("研究研究", 6, "…")).toBe("研究…");
  expect(clipStart("a/long/path.ndjson:12", 12, "…")).toBe("…h.ndjson:12");
});

test("padding counts columns, not characters", () => {
  expect(padEnd("研", 4)).toBe("研  ");
  expect(padStart("研", 4)).toBe("  研");
  expect(padEnd("longer", 3)).toBe("longer");
});

describe("folding", () => {
  test("breaks at spaces", () => {
    expect(fold("one two three", 8)).toEqual(["one two", "three"]);
    expect(fold("  one   two ", 80)).toEqual(["one two"]);
    expect(fold("", 80)).toEqual([]);
  });

  test("keeps a number with its unit", () => {
    expect(fold("it used 96 % of it", 10)).toEqual(["it used", "96 % of it"]);
    expect(fold("waited for 39 s.", 14)).toEqual(["waited for", "39 s."]);
    expect(fold("one a second", 8)).toEqual(["one a", "second"]);
  });

  test("breaks a word that no line can hold", () => {
    expect(fold("ab abcdefghij", 4)).toEqual(["ab", "abcd", "efgh", "ij"]);
    expect(fold("研究研究", 5)).toEqual(["研究", "研究"]);
    // A wide letter in one column cannot be helped, but must not loop.
    expect(fold("研究", 1)).toEqual(["研", "究"]);
  });

  test("items stay whole, and the separator ends the line", () => {
    expect(foldItems(["my file:1", "my file:2", "+3 more"], ", ", 21)).toEqual([
      "my file:1, my file:2,",
      "+3 more",
    ]);
  });

  test("loses no letter and keeps to the width", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        const lines = fold(text, width);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });
});
