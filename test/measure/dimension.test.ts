import { expect, test } from "vitest";
import { dimensionAt } from "../../src/measure/attempts.ts";
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
