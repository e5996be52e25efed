import { describe, expect, test } from "vitest";
import { leadingDuration, parseDuration, parseInstant, parseNumber } from "../../src/providers/durations.ts";

const S = 1_000;
const M = 60 * S;
const H = 60 * M;

describe("durations", () => {
  test.each([
    ["120ms", 120],
    ["1ms", 1],
    ["1s", S],
    ["6m0s", 6 * M],
    ["7.66s", 7_660],
    ["2m59.56s", 2 * M + 59_560],
    ["37.044s", 37_044],
    ["1m30.002s", M + 30_002],
    ["12h34m16s", 12 * H + 34 * M + 16 * S],
    ["6m23s", 6 * M + 23 * S],
    ["850µs", 1],
    ["1500us", 2],
    ["400ns", 0],
    ["1 minute", M],
    ["1 seconds", S],
    ["20 SECONDS", 20 * S],
    ["1 hour and 5 minutes", H + 5 * M],
    ["1 hour, 5 minutes", H + 5 * M],
    ["162 min", 162 * M],
    ["16 days", 16 * 24 * H],
    ["2 weeks", 14 * 24 * H],
    ["1,200 seconds", 1_200 * S],
    ["1 秒", S],
    ["3 分钟", 3 * M],
    ["  5s ", 5 * S],
    ["0s", 0],
  ])("%s", (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each([
    "",
    " ",
    "5",
    "s",
    "-5s",
    "1000abc",
    "5 constructor",
    "5s later",
    "soon",
    "NaN",
    "Infinity",
    "1e3s",
    "0x10s",
    ".5s",
    // Longer than a timer can wait.
    "25 days",
    "999999999999h",
  ])("no duration: %j", (text) => expect(parseDuration(text)).toBe(null));

  test.each([
    ["47.434392449s. Visit", 47_434, ". visit"],
    ["6m0s", 6 * M, ""],
    ["20s. 3 m tokens", 20 * S, ". 3 m tokens"],
    ["5s 3 retries left", 5 * S, " 3 retries left"],
    ["1 秒后重试", S, "后重试"],
  ])("leading: %s", (text, ms, rest) => expect(leadingDuration(text)).toEqual({ ms, rest }));
});

describe("numbers are strict", () => {
  test.each([
    ["0", 0],
    ["1.5", 1.5],
    [" 30 ", 30],
    ["007", 7],
  ])("%j", (text, value) => expect(parseNumber(text)).toBe(value));
  test.each(["", " ", "-5", "1e3", "0x10", "NaN", "Infinity", "1,000", "1.", ".5", "5s", "١"])(
    "%j is none",
    (text) => expect(parseNumber(text)).toBe(null),
  );
});

describe("instants", () => {
  const at = Date.UTC(2026, 6, 1, 10, 0, 30);
  test.each([
    ["Wed, 01 Jul 2026 10:00:30 GMT", at],
    ["Wed, 01 Jul 2026 10:00:30 -0000", at],
    ["Wed, 01 Jul 2026 12:00:30 +0200", at],
    // Without a zone: UTC, not this machine's.
    ["Wed, 01 Jul 2026 10:00:30", at],
    ["Wednesday, 01-Jul-26 10:00:30 GMT", at],
    ["Wed Jul  1 10:00:30 2026", at],
    ["2026-07-01T10:00:30Z", at],
    ["2026-07-01T10:00:30.250Z", at + 250],
    ["2026-07-01T12:00:30+02:00", at],
    ["2026-07-01 10:00:30", at],
    [String(at / 1_000), at],
    [String(at), at],
    [`${at}000`, at],
    [`${at}000000`, at],
  ])("%s", (text, ms) => expect(parseInstant(text)).toBe(ms));

  test.each([
    "",
    "-5",
    "5",
    "12",
    "1.5",
    "soon",
    "2026",
    "07/01/2026",
    "Wed, 99 Jul 2026 10:00:30 GMT",
    "100000",
  ])("no instant: %j", (text) => expect(parseInstant(text)).toBe(null));
});
