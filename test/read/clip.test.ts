import { describe, expect, test } from "vitest";
import { parseBound } from "../../src/read/bounds.ts";
import { clip } from "../../src/read/clip.ts";
import { read, told } from "./support.ts";

const TEN = 1_782_900_000_000; // 2026-07-01T10:00:00Z

/** One attempt a minute for ten minutes, by agents a and b in turn, on a model each; a wait at the start. */
const LINES = [
  ...Array.from({ length: 10 }, (_, i) =>
    JSON.stringify({
      ts: TEN / 1_000 + 60 * i,
      duration_ms: 500,
      agent: i % 2 === 0 ? "a" : "b",
      run_id: i < 5 ? "early" : "late",
      provider: "openai",
      model: i < 8 ? "gpt-5.2" : "gpt-5.2-mini",
      status: i === 3 ? 429 : 200,
      ...(i === 3 && { error_type: "rate_limit_exceeded" }),
      ...(i < 2 && { api_key_id: "k" }),
    }),
  ),
  JSON.stringify({
    event: "wait",
    ts: TEN / 1_000,
    duration_ms: 5,
    agent: "x",
    waits_for: "a",
    outcome: "ok",
  }),
].join("\n");

/** Sent times of what is left, minutes after ten. */
async function minutes(options: { since?: string; until?: string }): Promise<number[]> {
  const log = await read(LINES, options);
  return [...log.attempts.sentMs].map((ms) => (ms - TEN) / 60_000);
}

describe("since and until", () => {
  test("are half-open", async () => {
    expect(await minutes({ since: "2026-07-01T10:03:00Z", until: "2026-07-01T10:05:00Z" })).toEqual([3, 4]);
    expect(await minutes({ since: "2026-07-01T10:03:00.001Z", until: "2026-07-01T10:05:00.001Z" })).toEqual([
      4, 5,
    ]);
  });

  test("count back from the end of the log, which is half a second and a millisecond after the last send", async () => {
    expect(await minutes({ since: "-2m" })).toEqual([8, 9]);
    expect(await minutes({ until: "-2m" })).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await minutes({ since: "-5m", until: "-2m30s" })).toEqual([5, 6]);
  });

  test("outside the log leave nothing, and that is no error", async () => {
    expect(await minutes({ since: "2027-01-01" })).toEqual([]);
    expect(await minutes({ since: "-1m", until: "-5m" })).toEqual([]);
    const log = await read(LINES, { since: "2027-01-01" });
    expect([log.span, log.buckets, log.inputs[0]?.outside]).toEqual([null, [], 11]);
  });

  test("of nothing is nothing", async () => {
    expect((await read("", { since: "-1h" })).span).toBeNull();
  });

  test.each(["yesterday", "-3", "3h", "-3w", "", "10:00:00"])("refuse %j", (text) => {
    expect(() => parseBound("since", text)).toThrow(/--since/);
  });

  test.each([
    ["-90m", { beforeEndMs: 5_400_000 }],
    ["-1d12h", { beforeEndMs: 129_600_000 }],
    ["2026-07-01T12:00:00+02:00", { atMs: TEN }],
    ["1782900000", { atMs: TEN }],
  ])("%s", (text, bound) => {
    expect(parseBound("until", text)).toEqual(bound);
  });
});

describe("the part", () => {
  test("is the log of its lines alone, but for the accounting", async () => {
    const part = await read(LINES, { since: "2026-07-01T10:05:00Z" });
    const alone = await read(LINES.split("\n").slice(5, 10).join("\n"));
    expect(told(part)).toEqual(told(alone));
    // The tables keep the order of the whole log.
    for (const field of ["agents", "runs"] as const)
      expect([field, part[field].toSorted()]).toEqual([field, alone[field].toSorted()]);
    for (const field of ["origins", "buckets", "errors", "limits", "waits", "actions", "span"] as const)
      expect([field, part[field]]).toEqual([field, alone[field]]);
  });

  test("has its own facts and accounting", async () => {
    const part = await read(LINES, { since: "2026-07-01T10:05:00Z" });
    expect(part.facts.keys).toEqual({
      present: false,
      because: "no record between --since and --until carries it",
    });
    expect(part.facts.waits.present).toBe(false);
    expect(part.facts.status).toEqual({ present: true, because: "on 5 of 5 attempts" });
    expect(part.facts.tokens).toEqual((await read(LINES)).facts.tokens);
    expect(part.inputs[0]).toMatchObject({ lines: 11, accepted: 11, outside: 6 });
  });

  test("leaves the whole as it was", async () => {
    const whole = await read(LINES);
    const before = told(whole);
    clip(whole, { from: TEN + 60_000, to: TEN + 120_000 });
    expect(told(whole)).toEqual(before);
  });

  test("of everything is everything", async () => {
    const whole = await read(LINES);
    expect(clip(whole, { from: 0, to: Number.POSITIVE_INFINITY })).toEqual(whole);
  });
});
