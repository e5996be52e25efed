import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { createTimeReader } from "../../src/read/times.ts";

const TEN: number = 1_782_900_000_000; // 2026-07-01T10:00:00Z

function ms(value: unknown): number {
  return createTimeReader().read(value);
}

describe("ISO 8601", () => {
  test.each([
    ["2026-07-01T10:00:00Z", TEN],
    ["2026-07-01T10:00:00.5Z", TEN + 500],
    ["2026-07-01T10:00:00.123Z", TEN + 123],
    ["2026-07-01T10:00:00.1239999Z", TEN + 123],
    ["2026-07-01T10:00:00.123456789Z", TEN + 123],
    ["2026-07-01t10:00:00z", TEN],
    ["2026-07-01 10:00:00Z", TEN],
    ["2026-07-01T10:00:00,123Z", TEN + 123],
    ["2026-07-01 10:00:00,123", TEN + 123],
    ["2026-07-01T12:00:00+02:00", TEN],
    ["2026-07-01T12:00:00+0200", TEN],
    ["2026-07-01T12:00:00+02", TEN],
    ["2026-07-01T04:30:00.250-05:30", TEN + 250],
    ["2026-07-01T10:00:00-00:00", TEN],
    ["2026-07-01T10:00:00", TEN],
    ["2026-07-01T10:00", TEN],
    ["2026/07/01 10:00:00", TEN],
    ["2026-07-01 10:00:00.123 +0000 UTC", TEN + 123],
    ["2026-07-01T12:00:00+02:00[Europe/Berlin]", TEN],
    ["  2026-07-01T10:00:00Z ", TEN],
    ["2026-07-01", TEN - 10 * 3_600_000],
    ["2026-06-30T23:59:60Z", TEN - 10 * 3_600_000],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000],
  ])("%s", (text, expected) => {
    expect(ms(text)).toBe(expected);
  });

  test.each([
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-07-00T00:00:00Z",
    "2026-07-01T24:00:00Z",
    "2026-07-01T10:60:00Z",
    "2026-07-01T10:00:61Z",
    "2026-07-01T10:00:00.Z",
    "2026-07-01T10:00:0aZ",
    "2026-07-01T10:00:00.12x4Z",
    "2026-07-01T10:00:00+25:00",
    "2026-07-01T10:00:00+02:60",
    "2026-07-01T10:00:00 CEST",
    "1969-12-31T23:59:59Z",
    "9999-12-31T23:59:59Z",
    "7/1/2026",
    "soon",
    "",
    "2026",
    null,
    undefined,
    true,
    {},
    [],
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])("refuses %j", (value) => {
    expect(ms(value)).toBeNaN();
  });

  test("any instant, as JavaScript writes it", () => {
    const instant = fc.date({ min: new Date(0), max: new Date(9_999_999_999_999), noInvalidDate: true });
    fc.assert(
      fc.property(fc.array(instant, { minLength: 1 }), (dates) => {
        // One reader for all: its cached day must not leak into the next date.
        const reader = createTimeReader();
        for (const date of dates) expect(reader.read(date.toISOString())).toBe(date.getTime());
      }),
    );
  });
});

describe("epochs, by magnitude", () => {
  test.each([
    [1_782_900_000, TEN, "epoch s"],
    [1_782_900_000.123, TEN + 123, "epoch s"],
    ["1782900000.123", TEN + 123, "epoch s"],
    ["1782900000", TEN, "epoch s"],
    ["1.7829e9", TEN, "epoch s"],
    [1_782_900_000_123, TEN + 123, "epoch ms"],
    [1_782_900_000_123.9, TEN + 123, "epoch ms"],
    ["1782900000123456", TEN + 123, "epoch us"],
    [1_782_900_000_123_456, TEN + 123, "epoch us"],
    ["1782900000123000000", TEN + 123, "epoch ns"],
    ["1782900000123999999", TEN + 123, "epoch ns"],
    // The number nearest to ...123000000 is a little less: it still means 123 ms.
    [JSON.parse("1782900000123000000"), TEN + 123, "epoch ns"],
    [99_999_999_999, Number.NaN, ""],
    [12.5, Number.NaN, ""],
    [0, Number.NaN, ""],
    [-1_782_900_000, Number.NaN, ""],
    ["0x6a44e720", Number.NaN, ""],
  ])("%s", (value, expected, unit) => {
    const reader = createTimeReader();
    expect(reader.read(value)).toBe(expected);
    expect(reader.unit()).toBe(unit);
  });

  test("the unit is found for each value", () => {
    const reader = createTimeReader();
    expect(
      [1_782_900_000, 1_782_900_001_000, "2026-07-01T10:00:02Z", 1_782_900_003].map(reader.read),
    ).toEqual([TEN, TEN + 1_000, TEN + 2_000, TEN + 3_000]);
    expect(reader.unit()).toBe("epoch s, ISO 8601, epoch ms");
  });
});

describe("written dates", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  const written = [
    ["Wed, 01 Jul 2026 10:00:30 GMT", 30],
    ["1 Jul 2026 12:00:30 +0200", 30],
    ["Wed, 1 Jul 2026 10:00:30 -0000", 30],
    ["Mon, 01 Jul 2026 10:00:30 GMT", 30], // it was a Wednesday: the date counts
    ["Wednesday, 01-Jul-26 10:00:30 GMT", 30],
    ["Wed Jul  1 10:00:30 2026", 30],
    ["01/Jul/2026:12:00:30 +0200", 30],
    ["20260701T100030Z", 30],
    ["20260701100030", 30],
    ["Jul 1, 2026, 10:00:30 AM", 30],
  ] as const;

  test.each([
    ["UTC", 0],
    ["America/New_York", 240],
    ["Asia/Kolkata", -330],
  ])("do not depend on the machine's zone: %s", (machine, minutesWest) => {
    process.env["TZ"] = machine;
    expect(new Date(TEN).getTimezoneOffset()).toBe(minutesWest);
    for (const [text, seconds] of written) expect([text, ms(text)]).toEqual([text, TEN + seconds * 1_000]);
  });

  test("30 February is none in any form", () => {
    expect(ms("Mon, 30 Feb 2026 10:00:30 GMT")).toBeNaN();
    expect(ms("20260230T100030Z")).toBeNaN();
  });
});

describe("times of day", () => {
  test("a jump back by more than twelve hours has passed midnight", () => {
    const reader = createTimeReader();
    expect(["23:59:58,912", "00:00:03,377"].map(reader.read)).toEqual([86_398_912, 86_403_377]);
    expect(reader.assumed()).toEqual([
      "2 times of day without a date: the first day taken as 1970-01-01 UTC, 1 midnight passed",
    ]);
  });

  test("a small jump back is a line out of order, also across midnight", () => {
    const reader = createTimeReader();
    expect(["10:00:05", "10:00:04", "23:59:59", "00:00:01", "23:59:58", "00:00:02"].map(reader.read)).toEqual(
      [36_005_000, 36_004_000, 86_399_000, 86_401_000, 86_398_000, 86_402_000],
    );
  });

  test.each(["24:00:00", "10:60:00", "9:00:00", "10:00:00 PM"])("refuses %s", (text) => {
    expect(ms(text)).toBeNaN();
  });
});

test("what was assumed is counted", () => {
  const reader = createTimeReader();
  for (const text of [
    "2026-07-01 10:00:00",
    "2026-07-01 10:00:01",
    "2026-07-01T10:00:60Z",
    "2026-07-01T10:00:00Z",
  ])
    reader.read(text);
  expect(reader.assumed()).toEqual([
    "2 times without a zone taken as UTC",
    "1 leap second (:60) taken as the next second",
  ]);
});
