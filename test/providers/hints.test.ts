import { describe, expect, test } from "vitest";
import { retryHint } from "../../src/providers/hints.ts";
import { generic } from "../../src/providers/generic.ts";
import { attempt, SENT, type Told } from "./support.ts";

const headerHint = (text: string, more: Told["headers"] = {}): number | null =>
  retryHint(attempt({ status: 429, durationMs: 500, headers: { "retry-after": text, ...more } }));
const textHint = (errorMessage: string): number | null => retryHint(attempt({ status: 429, errorMessage }));
const httpDate = (ms: number): string => new Date(ms).toUTCString();

describe("retry-after", () => {
  test.each([
    ["5", 5_000],
    ["1.5", 1_500],
    ["0", 0],
    ["30s", 30_000],
    ["2 minutes", 120_000],
    ["2147483", 2_147_483_000],
  ])("%s", (text, ms) => expect(headerHint(text)).toBe(ms));

  test.each([
    "-5",
    "NaN",
    "Infinity",
    "1000abc",
    "",
    " ",
    "soon",
    "1e3",
    "0x10",
    "null",
    "5, 10",
    // 2^31 ms and more: a timer would fire at once.
    "2147484",
    "99999999999999",
  ])("no wait: %j", (text) => expect(headerHint(text)).toBe(null));

  test("a date counts from the server's own clock", () => {
    const server = SENT + 3_600_000;
    expect(headerHint(httpDate(server + 30_000), { date: httpDate(server) })).toBe(30_000);
    expect(headerHint("2026-07-01T11:00:30Z", { date: httpDate(server) })).toBe(30_000);
  });

  test("without it, from the end of the response", () => {
    expect(headerHint(httpDate(SENT + 30_000))).toBe(29_500);
    expect(headerHint(String((SENT + 30_000) / 1_000))).toBe(29_500);
    expect(headerHint(String(SENT + 30_000))).toBe(29_500);
  });

  test("a date that has just passed is a wait of 0; one long past is none", () => {
    expect(headerHint(httpDate(SENT - 30_000))).toBe(0);
    expect(headerHint(httpDate(SENT - 120_000))).toBe(null);
  });

  test("a date beyond what a timer can wait is none", () => {
    expect(headerHint(httpDate(SENT + 26 * 86_400_000))).toBe(null);
  });
});

describe("which of several counts", () => {
  test("milliseconds before seconds", () => {
    expect(headerHint("1", { "retry-after-ms": "320" })).toBe(320);
    expect(headerHint("1", { "x-ms-retry-after-ms": "320" })).toBe(320);
    expect(headerHint("1", { "x-amz-retry-after": "320" })).toBe(320);
  });

  test("but not when they are no wait", () => {
    for (const bad of ["", "-5", "soon", "1e3", "2147483648"])
      expect(headerHint("1", { "retry-after-ms": bad })).toBe(1_000);
  });

  test("what the log tells comes before headers, unless it cannot be", () => {
    const headers = { "retry-after": "5" };
    expect(retryHint(attempt({ retryAfterMs: 700, headers }))).toBe(700);
    expect(retryHint(attempt({ retryAfterMs: -1, headers }))).toBe(5_000);
  });

  test("headers before the text", () => {
    const errorMessage = "try again in 1s";
    expect(retryHint(attempt({ headers: { "retry-after": "7" }, errorMessage }))).toBe(7_000);
    expect(retryHint(attempt({ headers: { "retry-after-ms": "1400" }, errorMessage }))).toBe(1_400);
    expect(retryHint(attempt({ headers: { "retry-after": "soon" }, errorMessage }))).toBe(1_000);
  });

  test("one hint, rounded up to whole seconds in the header", () => {
    const errorMessage = "Please try again in 1.15s.";
    expect(retryHint(attempt({ headers: { "retry-after": "2" }, errorMessage }))).toBe(1_150);
    expect(retryHint(attempt({ headers: { "retry-after": "1" }, errorMessage }))).toBe(1_000);
  });
});

describe("waits in words", () => {
  test.each([
    ["Please try again in 6m0s.", 360_000],
    ["Please try again in 1ms.", 1],
    ["Please try again in 174ms. Visit", 174],
    ["Please try again in 9.816s.", 9_816],
    ["try again in 47.434392449s.", 47_434],
    ["try again in 12h34m16s", 45_256_000],
    ["try again in ~162 min", 9_720_000],
    ["Try again in 1 minute", 60_000],
    ["Please retry after 26 seconds.", 26_000],
    ["try again after 1 seconds", 1_000],
    ["limited — retry after 2s", 2_000],
    ["Please retry in 51.38s.", 51_380],
    ["429 limit exceeded, again in 11 seconds", 11_000],
    ["40000 per 60s used, wait 60 seconds", 60_000],
    ["please wait 5 seconds", 5_000],
    ["please wait for 5 seconds", 5_000],
    ["wait 60 … Retrying in 1 seconds (attempt 2/10)", 60_000],
    ["429: try again in 17 seconds; retrying 5/5 in 3.32s", 17_000],
    ["retry after 30", 30_000],
    ['{"retryDelay": "38s"}', 38_000],
    ['{"retryDelay":"51.38s"}', 51_380],
    ['{"raw":"{\\"retryDelay\\": \\"7s\\"}"}', 7_000],
    ['{"retry_after": 6.5}', 6_500],
    ['{"retry_after_ms": 320}', 320],
    ['{"retry_after_seconds": 12}', 12_000],
    ['{"retryAfterMs": 320}', 320],
    ["{'retry_after': 3, 'code': 429}", 3_000],
    ['{"resets_in_seconds": 4210}', 4_210_000],
    ["请求过于频繁，请 1 秒后重试", 1_000],
    ["Wait before you retry after a while; retry after 4s", 4_000],
  ])("%s", (text, ms) => expect(textHint(text)).toBe(ms));

  test.each([
    "rate limited",
    "try again later",
    "try again in a moment",
    "retry after 3 attempts",
    "we waited 60 s",
    "await 5 s",
    "will retry in 3.32s",
    "I'll retry in 3.32s",
    "Retrying in 3.32s",
    "try again in -5s",
    '{"retry_after": null}',
    '{"retry_after": "soon"}',
    "try again in 40 days",
    // A placeholder for a minute.
    "have exceeded token rate limit. Please retry after 86400 seconds.",
    // Sent beside a quota of a day, where it is no help.
    '{"quotaId": "RequestsPerDay", "retryDelay": "38s"}',
  ])("none: %s", (text) => expect(textHint(text)).toBe(null));

  test("a day is a wait where no limit of a minute is named", () => {
    expect(textHint("retry after 86400 seconds")).toBe(86_400_000);
  });
});

test("only a refusal by the server has a hint", () => {
  const headers = { "retry-after": "5" };
  const hintOf = (told: Told): number | null => generic.read(attempt({ ...told, headers })).retryAfterMs;
  expect(hintOf({ status: 200 })).toBe(null);
  expect(hintOf({ status: 429, local: true })).toBe(null);
  expect(hintOf({ status: 429 })).toBe(5_000);
  expect(hintOf({ status: 503 })).toBe(5_000);
});
