import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safeJson, safeLines, safeText } from "../../src/words/safe.ts";

const ESC = "\u001b";
const BEL = "\u0007";

describe("safeText", () => {
  test.each([
    ["colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
    ["a cursor move in 8-bit form", "a\u009b2Jb", "ab"],
    ["a window title with its text", `a${ESC}]0;owned${BEL}b`, "ab"],
    ["a link", `${ESC}]8;;http://x${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
    ["a title that never ends, without its start", `a${ESC}]0;owned`, "a0;owned"],
    ["a charset switch", `a${ESC}(0b`, "ab"],
    ["a lone escape", `a${ESC}`, "a"],
    ["line breaks of every kind", "a\r\nb\u2028c\td\u0085e", "a b c d e"],
    ["bidirectional overrides and isolates", "a\u202eb\u2066c\u200fd", "abcd"],
    ["zero-width characters", "a\u200bb\ufeffc\u2060d", "abcd"],
    ["null and delete", "a\u0000b\u007fc", "abc"],
    ["half a surrogate pair", "a\ud83d", "a\ufffd"],
    ["what is plain stays", "研究 naïve 🙂 <b>|::", "研究 naïve 🙂 <b>|::"],
  ])("%s", (_, text, safe) => {
    expect(safeText(text)).toBe(safe);
  });

  test("of no text is anything invisible left", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        expect(safeText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 500 },
    );
  });

  test("a text of openers without an end takes no longer than its length allows", () => {
    expect(safeText(`${ESC}]`.repeat(50_000))).toBe("");
    expect(safeText("\u009d".repeat(50_000))).toBe("");
  });
});

test("safeLines keeps line breaks and nothing else", () => {
  expect(safeLines(`a${ESC}[2Jb\r\nc\u2028d\n`)).toBe("ab\nc d\n");
});

test("safeJson escapes what JSON leaves raw, and the value stays the same", () => {
  const value = { "\u009b31m": "a\u202e\u007f\u2028\u{e0001}b" };
  const text = safeJson(JSON.stringify(value));
  expect(text).toBe('{"\\u009b31m":"a\\u202e\\u007f\\u2028\\udb40\\udc01b"}');
  expect(JSON.parse(text)).toEqual(value);
});
