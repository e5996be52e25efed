import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLog } from "../../src/read/read.ts";
import { inputOf } from "../../src/read/source.ts";
import { accounts, bytesOf, inputFrom, read, substance, told } from "./support.ts";
import { rawZstd } from "./zstd.ts";

/** Records as they come in a canonical log: attempts with distinct times, waits and actions. */
const attempt = fc.record(
  {
    agent: fc.constantFrom("plan", "draft", "café", 'ops "b", c', "\u001b[31mred"),
    run_id: fc.constantFrom("r1", "r2"),
    provider: fc.constantFrom("anthropic", "openai"),
    model: fc.constantFrom("claude-sonnet-4-6", "gpt-5.2"),
    api_key_id: fc.constantFrom("k1", "k2"),
    status: fc.constantFrom(200, 429, 500, 529),
    duration_ms: fc.nat(60_000),
    attempt: fc.integer({ min: 1, max: 5 }),
    input_tokens: fc.nat(10_000),
    output_tokens: fc.nat(1_000),
    error_type: fc.constantFrom("rate_limit_error", "overloaded_error"),
    error_message: fc.constantFrom("slow down, please", 'line one\nline "two"'),
    retry_after_ms: fc.nat(60_000),
    priority: fc.constantFrom("critical", 1),
    local: fc.boolean(),
    headers: fc.record({
      "retry-after": fc.constantFrom("1", "20"),
      "anthropic-ratelimit-requests-limit": fc.constant("50"),
    }),
  },
  { requiredKeys: ["agent", "status"] },
);
const other = fc.oneof(
  fc.record({
    event: fc.constant("wait"),
    agent: fc.constant("lead"),
    waits_for: fc.constantFrom("plan", "draft"),
    duration_ms: fc.nat(9_000),
    outcome: fc.constantFrom("ok", "timeout"),
  }),
  fc.record({
    event: fc.constant("action"),
    agent: fc.constant("lead"),
    action: fc.constantFrom("rollback", "alert"),
  }),
);
type Fields = { readonly [name: string]: unknown };
const records: fc.Arbitrary<Fields[]> = fc
  .array(fc.oneof({ weight: 5, arbitrary: attempt }, { weight: 1, arbitrary: other }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((all) => all.map((each, i) => ({ ts: new Date(1_782_900_000_000 + i * 777).toISOString(), ...each })));

const ndjson = (all: readonly Fields[]): string => all.map((each) => `${JSON.stringify(each)}\n`).join("");

function cell(value: unknown): string {
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  return /["\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(all: readonly Fields[], delimiter: string): string {
  const names = [...new Set(all.flatMap((each) => Object.keys(each)))];
  return [names, ...all.map((each) => names.map((name) => each[name]))]
    .map((row) => row.map(cell).join(delimiter))
    .join("\n");
}

/** Each way of writing the same records. */
const writings: { readonly [how: string]: (all: readonly Fields[]) => string | Uint8Array } = {
  CRLF: (all) => ndjson(all).replaceAll("\n", "\r\n"),
  "no line end at the end": (all) => ndjson(all).trimEnd(),
  "a byte-order mark": (all) => `\ufeff${ndjson(all)}`,
  "empty lines between": (all) => ndjson(all).replaceAll("\n", "\n\n  \n"),
  "escaped names and letters": (all) =>
    ndjson(all).replaceAll('"agent"', '"\\u0061gent"').replaceAll("é", "\\u00e9"),
  "keys in another order": (all) =>
    ndjson(all.map((each) => Object.fromEntries(Object.entries(each).toReversed()))),
  "fields nobody knows": (all) =>
    ndjson(all.map((each) => ({ messages: [{ content: "secret" }], ...each, x: { agent: "no" } }))),
  gzip: (all) => gzipSync(ndjson(all)),
  "gzip in several members": (all) => Buffer.concat(all.map((each) => gzipSync(ndjson([each])))),
  zstd: (all) => rawZstd(bytesOf(ndjson(all))),
  "zstd in several frames": (all) => Buffer.concat(all.map((each) => rawZstd(bytesOf(ndjson([each]))))),
  "a JSON list": (all) => JSON.stringify(all),
  "a printed JSON list": (all) => JSON.stringify(all, null, 2),
  "a list in an object": (all) =>
    JSON.stringify({ total: all.length, page: [1], data: { logs: all } }, null, 1),
  "printed objects": (all) => all.map((each) => JSON.stringify(each, null, 2)).join("\n"),
  "CSV with commas": (all) => csv(all, ","),
  "CSV with semicolons": (all) => csv(all, ";"),
  "CSV with tabs": (all) => csv(all, "\t"),
  "CSV with CRLF": (all) =>
    csv(
      all.filter((each) => each["error_message"] !== 'line one\nline "two"'),
      ",",
    ).replaceAll("\n", "\r\n"),
};

describe("one log, however it is written", () => {
  expect(Object.keys(writings).length).toBeGreaterThan(15);

  test.each(Object.keys(writings))("%s", async (how) => {
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        const kept =
          how === "CSV with CRLF"
            ? all.filter((each) => each["error_message"] !== 'line one\nline "two"')
            : all;
        fc.pre(kept.length > 0);
        // A lone wait or action has no fields by which its format could be told.
        const options = { from: "canonical" };
        const written = writings[how]?.(kept) ?? "";
        const [plain, same] = await Promise.all([read(ndjson(kept), options), read(written, options)]);
        expect(substance(same)).toEqual(substance(plain));
        expect(accounts(same).every(({ lines, sum }) => lines === sum)).toBe(true);
        expect(same.inputs[0]?.accepted).toBe(kept.length);
      }),
      { numRuns: 25 },
    );
  });

  test("in any chunks", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
    const how = fc.constantFrom(...Object.keys(writings));
    await fc.assert(
      fc.asyncProperty(records, how, sizes, async (all, name, cut) => {
        const written = writings[name]?.(all) ?? "";
        const [whole, inPieces] = await Promise.all([
          readLog([inputFrom(written)]),
          readLog([inputFrom(written, cut)]),
        ]);
        expect(inPieces).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  test.each(["CRLF", "a JSON list", "CSV with commas", "gzip"])(
    "from a source that reuses its buffer: %s",
    async (how) => {
      const all = Array.from({ length: 3_000 }, (_, i) => ({
        ts: 1_782_900_000 + i,
        agent: `agent-${i % 7}`,
        status: 200,
      }));
      const written = writings[how]?.(all) ?? "";
      const bytes = typeof written === "string" ? bytesOf(written) : written;
      function* reusing(): Generator<Uint8Array> {
        const buffer = new Uint8Array(1_000);
        for (let at = 0; at < bytes.length; at += buffer.length) {
          const part = bytes.subarray(at, at + buffer.length);
          buffer.set(part);
          yield buffer.subarray(0, part.length);
        }
      }
      const [whole, reused] = [await read(written), await readLog([inputOf("log", reusing())])];
      expect(whole.attempts.length).toBe(3_000);
      expect(reused).toEqual(whole);
    },
  );

  test("in any order of lines", async () => {
    const shuffled = records.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, async ([all, mixed]) => {
        const [plain, same] = await Promise.all([read(ndjson(all)), read(ndjson(mixed))]);
        expect(substance(same)).toEqual(substance(plain));
        expect(told(same)).toEqual(told(plain));
      }),
      { numRuns: 40 },
    );
  });

  test("in three inputs, given in any order", async () => {
    const split = fc.tuple(
      records,
      fc.array(fc.nat(2), { minLength: 25, maxLength: 25 }),
      fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(split, async ([all, homes, order]) => {
        const parts = order.map((part) =>
          inputFrom(ndjson(all.filter((_, i) => homes[i] === part)), [], `part-${part}`),
        );
        const [plain, same] = await Promise.all([read(ndjson(all)), readLog(parts, { from: "canonical" })]);
        expect(substance(same)).toEqual(substance(plain));
        expect(told(same)).toEqual(told(plain));
        expect(same.inputs.map((input) => input.source)).toEqual(order.map((part) => `part-${part}`));
      }),
      { numRuns: 40 },
    );
  });
});

function lineOf(agent: string): string {
  return `{"ts":"2026-07-01T10:00:00Z","agent":"${agent}","status":200}\n`;
}

test("equal times keep the order of inputs and lines", async () => {
  const log = await readLog([
    inputFrom(lineOf("b") + lineOf("a"), [], "one"),
    inputFrom(lineOf("c"), [], "two"),
  ]);
  expect([...log.attempts.agent].map((agent) => log.agents[agent])).toEqual(["b", "a", "c"]);
  expect([...log.attempts.line]).toEqual([1, 2, 1]);
  expect([...log.attempts.source]).toEqual([0, 0, 1]);
});

/** Refused on purpose, whatever else they are. */
function isUtf16(content: Uint8Array): boolean {
  return content.some((byte) => byte === 0) || (content[0] ?? 0) >= 0xfe;
}

function isPacked(content: Uint8Array): boolean {
  return content[0] === 0x1f || content[0] === 0x28;
}

describe("the account", () => {
  const bytes = fc.array(fc.oneof(fc.nat(255), fc.constantFrom(10, 13, 34, 44, 58, 91, 93, 123, 125)), {
    maxLength: 80,
  });
  const nearly = fc.array(
    fc.constantFrom(
      '{"ts":1782900000,"status":200}',
      '{"ts":"x"}',
      "[",
      "]",
      ",",
      '"',
      "{",
      "}",
      "\n",
      "\r\n",
      "ts,status\n",
      "1782900000,200\n",
      "\0",
      "é",
    ),
    { maxLength: 14 },
  );
  const garbage = fc.oneof(
    bytes.map((each) => Uint8Array.from(each)),
    nearly.map((each) => bytesOf(each.join(""))),
  );

  test("accepted + rejected + blank = lines, whatever comes", async () => {
    await fc.assert(
      fc.asyncProperty(garbage, fc.integer({ min: 1, max: 9 }), async (content, size) => {
        fc.pre(!isUtf16(content) && !isPacked(content));
        const log = await readLog([inputFrom(content, [size])]);
        for (const { lines, sum } of accounts(log)) expect(sum).toBe(lines);
        const rejected = log.inputs.reduce((sum, input) => sum + input.rejected, 0);
        expect(Object.values(log.problems.totals).reduce((sum, count) => sum + (count ?? 0), 0)).toBe(
          rejected,
        );
      }),
      { numRuns: 300 },
    );
  });

  test("an empty input is no error", async () => {
    const log = await read("");
    expect(log.inputs[0]).toMatchObject({ lines: 0, accepted: 0, rejected: 0, blank: 0, why: "empty" });
    expect([log.attempts.length, log.span]).toEqual([0, null]);
  });

  test("at most twenty samples of each code, and the totals", async () => {
    const log = await read(
      `{"ts":1782900000,"status":200}\n${'{"status":200}\n'.repeat(30)}${"text\n".repeat(25)}`,
    );
    expect(log.problems.totals).toEqual({ "no-time": 30, "not-json": 25 });
    expect(log.problems.samples.filter(({ code }) => code === "no-time").map(({ line }) => line)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 2),
    );
    expect(log.problems.samples).toHaveLength(40);
  });
});
