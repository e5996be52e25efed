import { describe, expect, test } from "vitest";
import { readLog } from "../../src/read/read.ts";
import { inputOf } from "../../src/read/source.ts";
import { accounts, bytesOf, read, spelledAttempt, containing } from "./support.ts";

const LINE = '{"ts":"2026-07-01T10:00:00Z","agent":"a","status":200}';
const MIB = 1024 * 1024;

test("a line of 50 MiB is rejected and never held", async () => {
  const block = Buffer.alloc(256 * 1024, "x");
  let largest = 0;
  function* chunks(): Generator<Uint8Array> {
    yield bytesOf(`${LINE}\n{"ts":"`);
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < 50 * MIB; sent += block.length) {
      yield block;
      largest = Math.max(largest, process.memoryUsage().arrayBuffers - before);
    }
    yield bytesOf(`"}\n${LINE}\n`);
  }
  const log = await readLog([inputOf("log", chunks())]);
  expect(log.attempts.length).toBe(2);
  expect(log.problems.samples).toEqual([
    { source: "log", line: 2, code: "line-too-long", detail: `longer than ${32 * MIB} bytes` },
  ]);
  // The part up to the limit, and once more for what the collector has not yet taken away.
  expect(largest).toBeLessThan(90 * MIB);
  expect([...log.attempts.line]).toEqual([1, 3]);
});

test.each([
  ["lists", "[".repeat(100_000) + "]".repeat(100_000)],
  ["objects", '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)],
  ["lists without end", "[".repeat(100_000)],
  ["objects without end", '{"a":'.repeat(100_000)],
])("a hundred thousand nested %s", async (_, deep) => {
  const log = await read(`${LINE}\n{"ts":1782900001,"status":200,"x":${deep}}\n${deep}\n${LINE}\n`);
  expect(log.attempts.length).toBeGreaterThanOrEqual(2);
  for (const { lines, sum } of accounts(log)) expect([lines, sum]).toEqual([4, 4]);
});

test.each([
  ["a list", `[${"[".repeat(100_000)}${"]".repeat(100_000)},${LINE}]`],
  ["an object", `{"logs":[{"x":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}},${LINE}]}`],
])("deep nesting within %s", async (_, text) => {
  expect((await read(text, { from: "canonical" })).attempts.length).toBe(1);
});

test("of duplicate keys the last counts, as JSON.parse has it", async () => {
  const log = await read('{"ts":1782900000,"status":200,"status":429,"agent":"a","agent":"b"}');
  expect([log.attempts.status[0], log.agents]).toEqual([429, ["", "b"]]);
});

test("keys named like prototypes change nothing", async () => {
  const log = await read(
    '{"ts":1782900000,"__proto__":{"agent":"evil","status":500},"constructor":{"prototype":{"status":500}},"status":200}',
  );
  expect([log.attempts.status[0], log.agents]).toEqual([200, [""]]);
  expect(Object.hasOwn(Object.prototype, "status")).toBe(false);
});

test("control characters and lone surrogates in names are data", async () => {
  const names = ["\u001b[31mred\u001b[0m", "a\0b", "\ud800", "<script>", "::error::"];
  const log = await read(
    names.map((agent, i) => JSON.stringify({ ts: 1_782_900_000 + i, agent, status: 200 })).join("\n"),
  );
  expect(log.agents).toEqual(["", ...names]);
});

test("the detail of a problem is one short line without control characters", async () => {
  const times = [
    "\u001b[31m2026\u001b[0m\n\r\u0007x",
    "\u202eevil",
    "y".repeat(500),
    "\u001b]8;;http://x\u001b\\link",
  ];
  const log = await read(times.map((ts) => JSON.stringify({ ts, status: 200 })).join("\n"));
  expect(log.problems.samples.map((problem) => problem.detail)).toEqual([
    "2026x",
    "evil",
    `${"y".repeat(59)}…`,
    "link",
  ]);
});

test("a damaged line gives the records that stand whole in it, and says so", async () => {
  const at = (second: number, agent: string): string =>
    `{"ts":${1_782_900_000 + second},"agent":"${agent}","status":200}`;
  const log = await read(
    [
      `worker-3 | ${at(0, "a")}`,
      `${at(1, "b")}${at(2, "c")}`,
      `{"ts":1782900003,"agent":"lost","msg":"begi${at(3, "d")}n"}`,
      `{"ts":1782900004,"agent":"lost","headers":{"ts":1782900004,"status":429},"sta`,
      at(5, "e"),
    ].join("\n"),
  );
  expect(log.agents).toEqual(["", "a", "b", "c", "d", "e"]);
  expect([...log.attempts.line]).toEqual([1, 2, 2, 3, 5]);
  expect(log.inputs[0]).toMatchObject({ lines: 5, accepted: 4, rejected: 1 });
  expect(log.inputs[0]?.assumed).toEqual([
    "1 line: text around the JSON object ignored",
    "1 line: several JSON objects without a line end between them",
    "1 damaged line: a whole record within it was kept, the rest is lost",
  ]);
});

test("a line that is no JSON is not quoted: it can hold a key or a prompt", async () => {
  const log = await read(`${LINE}\n{"api_key":"sk-ant-secret-secret"\nAuthorization: Bearer secret\n`);
  expect(JSON.stringify(log.problems)).not.toContain("secret");
});

describe("strange inputs", () => {
  test.each([
    ["little end first", Buffer.from(`\ufeff${LINE}\n`, "utf16le")],
    ["big end first", Buffer.from(`\ufeff${LINE}\n`, "utf16le").swap16()],
    ["without a mark", Buffer.from(`${LINE}\n`, "utf16le")],
  ])("UTF-16, %s, is refused with the way out", async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({
      name: "UserError",
      message: "log: the text is UTF-16",
      hint: containing("iconv"),
    });
  });

  test.each([
    [
      "a zip archive",
      Buffer.from("PK\u0003\u0004\n\0\0\n\u0014\0", "latin1"),
      "looks like a zip archive, not like a log",
    ],
    ["binary data", Buffer.from([1, 2, 3, 0, 255, 10, 200, 0, 10]), "looks like binary data, not like a log"],
    [
      "text",
      Buffer.from("2026-07-01 10:00:00,123 - httpx - INFO - POST\nINFO, done\n"),
      "no record in the first lines",
    ],
    [
      "records of something else",
      Buffer.from('{"a":1}\n{"a":2}\n'),
      "one JSON object a line; 0 of the first 2 records have ts",
    ],
    [
      "a table of something else",
      Buffer.from("name,size\nx,1\ny,2\n"),
      "CSV with ,; 0 of the first 2 records have ts",
    ],
  ])("%s: every line is rejected, with a reason", async (_, bytes, why) => {
    const log = await read(bytes);
    const [input] = log.inputs;
    expect(input).toMatchObject({ why, accepted: 0, lines: (input?.rejected ?? 0) + (input?.blank ?? 0) });
    expect(input?.rejected).toBeGreaterThan(0);
    expect([log.attempts.length, log.span]).toEqual([0, null]);
  });

  test("a format that does not exist is refused with those that do", async () => {
    await expect(read(LINE, { from: "nonsense" })).rejects.toMatchObject({
      message: "--from nonsense: there is no such format",
      hint: containing("canonical, spelled"),
    });
  });

  test("a named format is taken, whatever the records look like", async () => {
    const log = await read('{"time":1782900000,"status":200}', { from: "canonical" });
    expect(log.problems.totals).toEqual({ "no-time": 1 });
  });
});

test("an attempt keeps no prompt, completion or secret", () => {
  const attempt = spelledAttempt({
    time: 1_782_900_000,
    status: 200,
    prompt: "SECRET",
    messages: [{ content: "SECRET" }],
    response: { choices: ["SECRET"], headers: { authorization: "SECRET", "set-cookie": "SECRET" } },
    request: { body: "SECRET", headers: { "x-api-key": "SECRET" } },
    authorization: "SECRET",
    api_key: "SECRET",
  });
  expect(JSON.stringify({ ...attempt, headers: [...(attempt.headers ?? [])] })).not.toContain("SECRET");
});
