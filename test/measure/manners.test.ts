import { describe, expect, test } from "vitest";
import { type Manners, mannersOf } from "../../src/measure/manners.ts";
import { logOf } from "../support/log.ts";
import { chain, REFUSED } from "../support/traffic.ts";

/** One call with these waits; the server asks for `askedMs` each time, if at all. */
function mannersIn(waitsMs: readonly number[], askedMs: number | null = null): Manners {
  const failed = { ...REFUSED, ...(askedMs === null ? {} : { retry_after_ms: askedMs }) };
  const log = logOf(chain({ agent: "code", id: "a", fromMs: 0, waitsMs, failed }));
  return mannersOf(log, [...waitsMs, 0].keys());
}

describe("with a hint", () => {
  test("a repeat on time is well-mannered, one too soon is stubborn", () => {
    expect(mannersIn([20_500, 21_000], 20_000)).toEqual({ judged: 2, unruly: 0, stubborn: 0 });
    expect(mannersIn([1_500, 21_000], 20_000)).toEqual({ judged: 2, unruly: 1, stubborn: 1 });
  });

  test("a twentieth is no hurry", () => {
    expect(mannersIn([19_100], 20_050)).toMatchObject({ unruly: 0 });
    expect(mannersIn([19_000], 20_050)).toMatchObject({ unruly: 1 });
  });
});

describe("without a hint", () => {
  test("the first repeat is not judged", () => {
    expect(mannersIn([1_000])).toEqual({ judged: 0, unruly: 0, stubborn: 0 });
  });

  test("waits that grow by a fifth back off, others do not", () => {
    expect(mannersIn([1_000, 1_200, 1_440])).toEqual({ judged: 2, unruly: 0, stubborn: 0 });
    expect(mannersIn([1_000, 1_190])).toEqual({ judged: 1, unruly: 1, stubborn: 0 });
  });

  test("a fixed distance is stubborn, an uneven one may have been asked for", () => {
    expect(mannersIn([1_000, 1_000, 950])).toEqual({ judged: 2, unruly: 2, stubborn: 2 });
    expect(mannersIn([1_000, 600])).toEqual({ judged: 1, unruly: 1, stubborn: 0 });
  });

  test("whoever waits five seconds loads nobody", () => {
    expect(mannersIn([5_000, 5_000])).toEqual({ judged: 1, unruly: 0, stubborn: 0 });
    expect(mannersIn([4_999, 4_999])).toEqual({ judged: 1, unruly: 1, stubborn: 1 });
  });
});

test("only the rows asked for count", () => {
  const log = logOf(chain({ agent: "code", id: "a", fromMs: 0, waitsMs: [1_000, 1_000, 1_000] }));
  expect(mannersOf(log, [2])).toEqual({ judged: 1, unruly: 1, stubborn: 1 });
});
