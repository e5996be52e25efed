import { describe, expect, test } from "vitest";
import { read } from "./support.ts";

const CANONICAL = { ts: "2026-07-01T10:00:00Z", agent: "a", status: 200, duration_ms: 5, run_id: "r" };
const SPELLED = { time: "2026-07-01T10:00:00Z", worker: "a", statusCode: 200, latency: 5 };
const LARGE = "x".repeat(100_000);

async function found(text: string): Promise<readonly [format: string, layout: string, accepted: number]> {
  const [input] = (await read(text)).inputs;
  return [input?.format ?? "", (input?.why ?? "").split(";")[0] ?? "", input?.accepted ?? 0];
}

const ndjson = (...records: readonly object[]): string =>
  records.map((each) => `${JSON.stringify(each)}\n`).join("");

describe("layout and format", () => {
  test.each([
    ["canonical lines", ndjson(CANONICAL, CANONICAL), "canonical", "one JSON object a line", 2],
    ["other names", ndjson(SPELLED), "spelled", "one JSON object a line", 1],
    [
      "canonical names with some of others",
      ndjson({ ts: 1_782_900_000, agent: "a", statusCode: 429 }),
      "spelled",
      "one JSON object a line",
      1,
    ],
    [
      "a canonical record with an id of its own",
      ndjson({ ...CANONICAL, id: "x", trace_id: "t" }),
      "canonical",
      "one JSON object a line",
      1,
    ],
    ["a list", JSON.stringify([SPELLED, SPELLED]), "spelled", "a JSON list", 2],
    [
      "a list with one record a line",
      `[\n${JSON.stringify(CANONICAL)},\n${JSON.stringify(CANONICAL)}\n]\n`,
      "canonical",
      "a JSON list",
      2,
    ],
    ["an object around a list", JSON.stringify({ data: [SPELLED] }), "spelled", "the JSON list data", 1],
    [
      "lists deeper within",
      JSON.stringify({ a: [{ b: 1 }], log: { entries: [CANONICAL] } }),
      "canonical",
      "the JSON list log.entries",
      1,
    ],
    ["a lone object", JSON.stringify(CANONICAL, null, 2), "canonical", "JSON objects one after another", 1],
    [
      "lines with a list of objects in each",
      ndjson({ ...CANONICAL, messages: [{ ts: 1, status: 2 }] }),
      "canonical",
      "one JSON object a line",
      1,
    ],
    [
      "lines glued together",
      ndjson(CANONICAL).repeat(5).replace("\n", ""),
      "canonical",
      "one JSON object a line",
      4,
    ],
    [
      "lines behind a prefix",
      `w1 | ${ndjson(SPELLED)}w2 | ${ndjson(SPELLED)}`,
      "spelled",
      "one JSON object a line",
      2,
    ],
    ["CSV", "time,worker,status\n1782900000,a,200\n", "spelled", "CSV with ,", 1],
    [
      "CSV with semicolons and commas in names",
      '"time, UTC";ts;status\nx;1782900000;200\n',
      "canonical",
      "CSV with ",
      1,
    ],
    [
      "CSV of one record whose cells hold JSON",
      'ts,status,headers\n1782900000,429,"{""retry-after"":""5""}"\n',
      "canonical",
      "CSV with ,",
      1,
    ],
  ])("%s", async (_, text, format, layout, accepted) => {
    expect(await found(text)).toEqual([format, layout, accepted]);
  });

  test.each([
    ["lines", ndjson({ ...SPELLED, prompt: LARGE }, SPELLED), "one JSON object a line"],
    ["a list", JSON.stringify([{ ...SPELLED, prompt: LARGE }, SPELLED]), "a JSON list"],
    [
      "a list in an object",
      JSON.stringify({ logs: [{ ...SPELLED, prompt: LARGE }, SPELLED] }),
      "the JSON list logs",
    ],
  ])("%s whose first record is larger than the usual head", async (_, text, layout) => {
    expect(await found(text)).toEqual(["spelled", layout, 2]);
  });

  test("requests that begin only after much else", async () => {
    const chatter = ndjson({
      timestamp: "2026-07-01T10:00:00Z",
      level: "info",
      message: "starting up",
    }).repeat(2_000);
    expect(await found(chatter + ndjson(SPELLED))).toEqual(["spelled", "one JSON object a line", 1]);
  });
});
