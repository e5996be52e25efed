import { expect, test } from "vitest";
import { dimensionAt } from "../../src/measure/attempts.ts";
import { mostNamed, tellsLimit, tokenRefusals } from "../../src/measure/dimensions.ts";
import type { RecordInput } from "../support/cases.ts";
import { logOf } from "../support/log.ts";
import { attempt, REFUSED } from "../support/traffic.ts";

function dimensionOf(
  requests: string,
  tokens: string,
  fields: { readonly [field: string]: unknown },
): string {
  const headers = {
    "anthropic-ratelimit-requests-remaining": requests,
    "anthropic-ratelimit-tokens-remaining": tokens,
  };
  return dimensionAt(logOf([attempt(0, { headers, ...fields })]).attempts, 0);
}

test.each([
  ["no requests are left", "0", "900", "requests"],
  ["requests are left, tokens are not", "7", "0", "tokens"],
  ["both are left: it was something else", "7", "900", "unknown"],
])("a refusal that names nothing: %s", (_, requests, tokens, expected) => {
  expect(dimensionOf(requests, tokens, REFUSED)).toBe(expected);
});

test("what the error names counts more than what is left", () => {
  const named = { ...REFUSED, error_message: "rate limit of 50 requests per minute" };
  expect(dimensionOf("7", "0", named)).toBe("requests");
});

test("only a refusal has a dimension", () => {
  expect(dimensionOf("0", "0", {})).toBe("unknown");
});

const named = (error_message: string): RecordInput => attempt(0, { ...REFUSED, error_message });
const GROWTH = {
  ...REFUSED,
  error_message: "Your input tokens per minute increased too quickly; this is an acceleration limit.",
};

test.each([
  ["a minute's limit", named("rate limit of 50 requests per minute"), true],
  ["nothing", attempt(0, REFUSED), false],
  ["growth", attempt(0, GROWTH), true],
  ["no refusal at all", attempt(0), false],
])("tells which limit it hit: %s", (_, record, expected) => {
  expect(tellsLimit(logOf([record]), 0)).toBe(expected);
});

test("token refusals are those of a minute's token limit", () => {
  const log = logOf([
    named("rate limit of 30,000 input tokens per minute"),
    named("rate limit of 50 requests per minute"),
    named("rate limit of 8,000 output tokens per minute"),
    attempt(0, GROWTH),
    attempt(0),
  ]);
  expect(tokenRefusals(log, Uint32Array.of(0, 1, 2, 3, 4))).toEqual(["input-tokens", "output-tokens"]);
});

test("the dimension that is named most, and of equals the first", () => {
  expect(mostNamed(["tokens", "output-tokens", "output-tokens"])).toBe("output-tokens");
  expect(mostNamed(["tokens", "output-tokens"])).toBe("tokens");
  expect(mostNamed([])).toBeNull();
});
