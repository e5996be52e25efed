import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCsvDecoder } from "../../src/read/decode/csv.ts";
import type { Decoder, DecoderSink } from "../../src/read/decode/decoder.ts";
import { createJsonDecoder } from "../../src/read/decode/json-values.ts";
import { createLineDecoder } from "../../src/read/decode/lines.ts";
import { findLists } from "../../src/read/decode/lists.ts";
import { salvage } from "../../src/read/decode/salvage.ts";
import { bytesOf, pieces } from "./support.ts";

type Event = readonly [line: number, what: unknown];

interface Decoded {
  readonly events: readonly Event[];
  readonly count: number;
  readonly blank: number;
}

/** Runs a decoder over pieces of the given sizes and writes down what it finds. */
function run(
  create: (sink: DecoderSink<unknown>, note: (line: number, what: unknown) => void) => Decoder,
  content: string | Uint8Array,
  sizes: readonly number[] = [],
): Decoded {
  const events: Event[] = [];
  const note = (line: number, what: unknown): void => void events.push([line, what]);
  const decoder = create(
    { found: (what, line) => note(line, what), reject: (code, line) => note(line, { code }) },
    note,
  );
  for (const piece of pieces(typeof content === "string" ? bytesOf(content) : content, sizes))
    decoder.push(piece);
  decoder.end();
  return { events, count: decoder.count(), blank: decoder.blank() };
}

const lines = (content: string | Uint8Array, sizes?: readonly number[], maxBytes?: number): Decoded =>
  run(
    (sink, note) => createLineDecoder(sink, (text, line) => note(line, { last: text }), maxBytes),
    content,
    sizes,
  );

const values = (
  content: string | Uint8Array,
  path: readonly string[] = [],
  sizes?: readonly number[],
): Decoded => run((sink) => createJsonDecoder(sink, path), content, sizes);

const csv = (content: string | Uint8Array, sizes?: readonly number[], delimiter = ","): Decoded =>
  run((sink, note) => createCsvDecoder(sink, (names) => note(0, names), delimiter), content, sizes);

function lastText(what: unknown): unknown {
  return typeof what === "object" && what !== null && "last" in what ? what.last : null;
}

describe("lines", () => {
  test("end at LF or CRLF; another CR is text", () => {
    const { events, count, blank } = lines("a\nb\r\n\r\n  \nc\rd\ne");
    expect(events).toEqual([
      [1, "a"],
      [2, "b"],
      [5, "c\rd"],
      [6, { last: "e" }],
    ]);
    expect([count, blank]).toEqual([6, 2]);
  });

  test("an input without content has no line, one line feed makes one", () => {
    expect(lines("").count).toBe(0);
    expect(lines("\n")).toEqual({ events: [], count: 1, blank: 1 });
  });

  test("a line that is not UTF-8 costs itself only", () => {
    const bytes = Uint8Array.from([...bytesOf("a\n"), 0xff, 0x41, 10, ...bytesOf("é\n"), 0xc3]);
    expect(lines(bytes).events).toEqual([
      [1, "a"],
      [2, { code: "not-utf8" }],
      [3, "é"],
      [4, { code: "not-utf8" }],
    ]);
  });

  test("a line that is too long is not held", () => {
    const { events, count } = lines(`${"x".repeat(10)}\n${"y".repeat(11)}\nz\n${"w".repeat(30)}`, [3], 10);
    expect(events).toEqual([
      [1, "x".repeat(10)],
      [2, { code: "line-too-long" }],
      [3, "z"],
      [4, { code: "line-too-long" }],
    ]);
    expect(count).toBe(4);
  });

  test("are the same wherever the chunks are cut", () => {
    const content = fc.string({
      unit: fc.constantFrom("a", "é", "😀", "\n", "\r", "\r\n", " ", "\0"),
      maxLength: 60,
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(content, sizes, (text, cut) => {
        expect(lines(text, cut, 12)).toEqual(lines(text, [], 12));
      }),
    );
  });

  test("are those of a plain split", () => {
    const content = fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r\n", "\t"), maxLength: 60 });
    fc.assert(
      fc.property(content, (text) => {
        const { events, count } = lines(text, [5]);
        const parts = text.split("\n");
        if (parts.at(-1) === "") parts.pop();
        const expected = parts.map((part, i) => [i + 1, part.replace(/\r$/, "")] as const);
        expect(count).toBe(parts.length);
        const texts = events.map(([line, what]) => [line, typeof what === "string" ? what : lastText(what)]);
        expect(texts).toEqual(expected.filter(([, part]) => part.trim() !== ""));
      }),
    );
  });
});

describe("JSON values", () => {
  test("the elements of a list, with their first lines", () => {
    expect(values('[\n  {"a": 1,\n   "b": "]}"},\n  {"a": "\\"{"}, 3, null,\n"x"]').events).toEqual([
      [2, '{"a": 1,\n   "b": "]}"}'],
      [4, '{"a": "\\"{"}'],
      [4, "3"],
      [4, "null"],
      [5, '"x"'],
    ]);
  });

  test("values one after another, with or without commas", () => {
    expect(values('{"a":1}{"a":2}\n{\n"a":3}, {"a":[{}]}\n').events.map(([, text]) => text)).toEqual([
      '{"a":1}',
      '{"a":2}',
      '{\n"a":3}',
      '{"a":[{}]}',
    ]);
  });

  test("the list within an object, and nothing else of it", () => {
    const text =
      '{"data":"no","x":{"data":[{"z":0}]},"log":{"y":[1],"data":[{"a":1},{"b":{"data":[2]}}]},"t":[{"c":1}]}';
    expect(values(text, ["log", "data"]).events.map(([, found]) => found)).toEqual([
      '{"a":1}',
      '{"b":{"data":[2]}}',
    ]);
  });

  test("a record that lacks its brace ends where the next begins", () => {
    expect(values('[{"a":1,\n{"b":{"c":2},\n{"d":3}]').events).toEqual([
      [1, '{"a":1,\n'],
      [2, '{"b":{"c":2},\n'],
      [3, '{"d":3}'],
    ]);
  });

  test("a string that lacks its quote ends with its line", () => {
    expect(values('[{"a":"x},\n{"b":2}]').events.at(-1)).toEqual([2, '{"b":2}']);
  });

  test("what the end cuts off is unfinished", () => {
    expect(values('[{"a":1},{"b":').events).toEqual([
      [1, '{"a":1}'],
      [1, { code: "unfinished" }],
    ]);
  });

  test("too long a record is dropped while it is read", () => {
    const decoded = run((sink) => createJsonDecoder(sink, [], 10), '[{"a":"0123456789"},{"b":1}]', [4]);
    expect(decoded.events).toEqual([
      [1, { code: "line-too-long" }],
      [1, '{"b":1}'],
    ]);
  });

  const json = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 });

  test("are those of JSON.parse, however the text is laid out", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1, 2, "\t"), (elements, indent) => {
        const { events, count } = values(JSON.stringify(elements, null, indent), [], [7]);
        expect(events.map(([, text]): unknown => JSON.parse(String(text)))).toEqual(
          JSON.parse(JSON.stringify(elements)),
        );
        expect(count).toBe(elements.length);
      }),
    );
  });

  test("are the same wherever the chunks are cut, broken or not", () => {
    const text = fc.string({
      unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", "é", "\n", " "),
      maxLength: 50,
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, fc.constantFrom([], ["é"], ["1", "é"]), sizes, (broken, path, cut) => {
        expect(values(broken, path, cut)).toEqual(values(broken, path));
      }),
    );
  });
});

describe("lists in objects", () => {
  test.each([
    ['{"logs":[{"a":1}]}', [["logs"]]],
    ['{"a":[1],"b":{"c":[{"d":[{}]}]},"e":[ {', [["b", "c"], ["e"]]],
    ['[{"a":[{}]}]', []],
    ['{"a":"[{"}', []],
    ['{"a":[{"b":1', [["a"]]],
    ["", []],
    ["{{{[[[", []],
  ])("%s", (head, paths) => {
    expect(findLists(bytesOf(head))).toEqual(paths);
  });
});

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

describe("CSV", () => {
  test("rows know their first line, also after line feeds in quotes", () => {
    const { events, count, blank } = csv('a,b\r\n1,2\r\n\r\n"x\r\n\r\n""y""",3\n4,5,6\n7,8');
    expect(events).toEqual([
      [0, ["a", "b"]],
      [2, ["1", "2"]],
      [4, ['x\n\n"y"', "3"]],
      [7, { code: "bad-csv" }],
      [8, ["7", "8"]],
    ]);
    expect([count, blank]).toEqual([5, 1]);
  });

  test("a quote out of place costs its row only", () => {
    expect(csv('a,b\n"abc"d,2\n3,4\nab"c,5\n6,7\n').events).toEqual([
      [0, ["a", "b"]],
      [2, { code: "bad-csv" }],
      [3, ["3", "4"]],
      [4, { code: "bad-csv" }],
      [5, ["6", "7"]],
    ]);
  });

  test("a quote that is never closed costs its row only", () => {
    expect(csv('a,b\n"abc,2\n3,4\n\n5,6').events).toEqual([
      [0, ["a", "b"]],
      [2, { code: "bad-csv" }],
      [3, ["3", "4"]],
      [5, ["5", "6"]],
    ]);
    const long = Array.from({ length: 3_000 }, (_, i) => `${i},x`).join("\n");
    const { events, count } = csv(`a,b\n"abc,2\n${long}\n`);
    expect(events.filter(([, what]) => !Array.isArray(what))).toEqual([[2, { code: "bad-csv" }]]);
    expect(count).toBe(3_001);
  });

  test("a line that is not UTF-8 costs its row only", () => {
    const bytes = Uint8Array.from([...bytesOf("a,b\n1,2\n"), 0xff, 44, 49, 10, ...bytesOf("3,4\n")]);
    expect(csv(bytes).events.slice(1)).toEqual([
      [2, ["1", "2"]],
      [3, { code: "not-utf8" }],
      [4, ["3", "4"]],
    ]);
  });

  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "é", " ", ";"), maxLength: 6 });

  test("are what was written", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), (table) => {
        const text = table.map((row) => row.map(quoted).join(",")).join("\n");
        const { events } = csv(text, [5]);
        expect(events.map(([, what]) => what)).toEqual(table);
      }),
    );
  });

  test("are the same wherever the chunks are cut, broken or not", () => {
    const text = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r\n", "é"), maxLength: 50 });
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, sizes, (broken, cut) => {
        const whole = csv(broken);
        expect(csv(broken, cut)).toEqual(whole);
        const rows = whole.events.filter(([line]) => line > 0).length;
        expect(rows + whole.blank).toBe(whole.count);
      }),
    );
  });
});

describe("what a damaged line still holds", () => {
  test.each([
    ['worker-3 | {"a":1}', [{ a: 1 }], "around"],
    ['\u001b[32m{"a":1}\u001b[0m', [{ a: 1 }], "around"],
    ['{"a":1},', [{ a: 1 }], "around"],
    ['{"a":1}{"a":2}', [{ a: 1 }, { a: 2 }], "several"],
    ['{"t":1,"msg":"begi{"t":1,"a":"w2"}n"}', [{ t: 1, a: "w2" }], "inside"],
  ])("%s", (line, objects, how) => {
    expect(salvage(line)).toEqual({ objects, how });
  });

  test.each([
    // Parts of a record that is broken, no records of their own.
    '{"ts":"2026-07-01T10:00:00Z","headers":{"retry-after":"5"},"sta',
    '{"list":[{"ts":1},{"ts":2}',
    "no JSON {at all}",
    "{".repeat(1_000),
  ])("nothing: %s", (line) => {
    expect(salvage(line)).toBeNull();
  });
});
