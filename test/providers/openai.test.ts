import { describe, expect, test } from "vitest";
import { openai } from "../../src/providers/openai.ts";
import { attempt, type Case, expectMeaning, python, type Told } from "./support.ts";

const reached = (of: string, limit: string): string =>
  `Rate limit reached for gpt-4o in organization org-abc on ${of}: Limit ${limit}, Used ${limit}, Requested 1. Please try again in 6.9s. Visit the account page to learn more.`;
const TOO_LARGE =
  "Request too large for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.";
const BILLING = "You exceeded your current quota, please check your plan and billing details.";

/** Stands behind ordinary refusals of new accounts. */
const OFFER = "Please add a payment method to your account billing to increase your rate limit.";

const LIMITS: readonly Case[] = [
  ["a success", { status: 200 }, "ok"],
  ["a bare 429", { status: 429 }, "throttled"],
  ["a hand-made line", { status: 429, errorMessage: "rate limited" }, "throttled"],
  ["RPM", { status: 429, errorMessage: reached("requests per min (RPM)", "3") }, "throttled requests"],
  ["TPM", { status: 429, errorMessage: reached("tokens per min (TPM)", "30000") }, "throttled tokens"],
  ["RPD", { status: 429, errorMessage: reached("requests per day (RPD)", "200") }, "daily"],
  ["TPD", { status: 429, errorMessage: reached("tokens per day (TPD)", "90000") }, "daily"],
  ["images", { status: 429, errorMessage: "limit of 5 images per min" }, "throttled"],
  ["images, with an offer", { status: 429, errorMessage: `5 images per min. ${OFFER}` }, "throttled"],
  ["input images", { status: 429, errorMessage: "5 input images per minute: see billing" }, "throttled"],
  [
    "RPM, with an offer",
    { status: 429, errorMessage: `${reached("requests per min (RPM)", "3")} ${OFFER}` },
    "throttled requests",
  ],
  ["unnamed, with an offer", { status: 429, errorMessage: `Rate limit reached. ${OFFER}` }, "throttled"],
  [
    "code, with words of money",
    { status: 429, errorCode: "rate_limit_exceeded", errorMessage: "see billing" },
    "throttled",
  ],
  ["type tokens", { status: 429, errorType: "tokens", errorCode: "rate_limit_exceeded" }, "throttled tokens"],
  [
    "type requests",
    { status: 429, errorType: "requests", errorCode: "rate_limit_exceeded" },
    "throttled requests",
  ],
  ["code alone", { status: 429, errorCode: "rate_limit_exceeded" }, "throttled"],
  ["code without a status", { errorCode: "rate_limit_exceeded" }, "throttled"],
  [
    "an exception's name without a status",
    { errorType: "openai.RateLimitError", errorMessage: reached("tokens per min (TPM)", "30000") },
    "throttled tokens",
  ],
  ["only words, no status", { errorMessage: "Rate limit reached, slow" }, "throttled"],
  [
    "JSON in the message",
    {
      status: 429,
      errorMessage: JSON.stringify({
        error: { message: "later", type: "tokens", code: "rate_limit_exceeded" },
      }),
    },
    "throttled tokens",
  ],
  [
    "Python in the message, no status",
    {
      errorMessage: python(429, {
        error: { message: "later", type: "requests", param: null, code: "rate_limit_exceeded" },
      }),
    },
    "throttled requests",
  ],
  [
    "JSON within a string of JSON",
    {
      status: 429,
      errorMessage: JSON.stringify({ raw: JSON.stringify({ error: { type: "tokens", code: "429" } }) }),
    },
    "throttled tokens",
  ],
  [
    "key=value text of old clients",
    {
      status: 429,
      errorMessage:
        "error_code=None error_message='limit reached' error_type=requests message='OpenAI API error received'",
    },
    "throttled requests",
  ],
  ["slow_down", { status: 429, errorType: "rate_limit_error", errorCode: "slow_down" }, "acceleration"],
  ["slow_down, no status", { errorCode: "slow_down" }, "acceleration"],
  ["slow down in words", { status: 429, errorMessage: "Slow down, please" }, "acceleration"],
  ["slow down as 503", { status: 503, errorMessage: "Slow Down: increase your rate less" }, "acceleration"],
  [
    "slow_down as 503 with the type of a rate limit",
    { status: 503, errorType: "rate_limit_error", errorCode: "slow_down" },
    "acceleration",
  ],
  [
    "larger than the bucket",
    { status: 429, errorCode: "rate_limit_exceeded", errorMessage: TOO_LARGE },
    "permanent",
  ],
  [
    "larger than the bucket, by type",
    { status: 429, errorType: "tokens", errorMessage: TOO_LARGE },
    "permanent",
  ],
  [
    "413 with the code of a rate limit",
    { status: 413, errorCode: "rate_limit_exceeded", errorMessage: TOO_LARGE },
    "permanent",
  ],
  ["a sign-in plan", { status: 429, errorType: "usage_limit_reached" }, "daily"],
  ["a sign-in plan, in words", { status: 429, errorMessage: "You've hit your usage limit." }, "daily"],
  ["not in the plan", { status: 429, errorCode: "usage_not_included" }, "permanent"],
  [
    "the limit that its headers show empty",
    {
      status: 429,
      headers: { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-remaining-requests": "12" },
    },
    "throttled tokens",
  ],
];

const MONEY: readonly Case[] = [
  ["in the type", { status: 429, errorType: "insufficient_quota" }, "quota"],
  ["in the code", { status: 429, errorCode: "insufficient_quota" }, "quota"],
  ["in the message", { status: 429, errorMessage: "Error: insufficient_quota" }, "quota"],
  [
    "type with a null code, in JSON",
    { status: 429, errorMessage: '{"error":{"code":null,"type":"insufficient_quota"}}' },
    "quota",
  ],
  ["in words", { status: 429, errorMessage: BILLING }, "quota"],
  ["in words, no status", { errorMessage: BILLING }, "quota"],
  [
    "credit",
    { status: 429, errorType: "insufficient_quota", errorCode: "credit_balance_exhausted" },
    "quota",
  ],
  ["organisation's cap", { status: 429, errorCode: "organization_spend_limit_exceeded" }, "quota"],
  ["project's cap", { status: 429, errorCode: "project_spend_limit_exceeded" }, "quota"],
  [
    "usage limit of an organisation",
    { status: 429, errorCode: "organization_usage_limit_exceeded" },
    "quota",
  ],
  ["hard limit as 400", { status: 400, errorCode: "billing_hard_limit_reached" }, "quota"],
  ["within a stream", { status: 200, errorCode: "insufficient_quota" }, "quota"],
];

const OTHERS: readonly Case[] = [
  ["flex without capacity", { status: 429, errorMessage: "Resource unavailable" }, "overloaded"],
  [
    "503",
    { status: 503, errorCode: "server_is_overloaded", errorType: "service_unavailable_error" },
    "overloaded",
  ],
  ["a bare 503", { status: 503 }, "overloaded"],
  ["overloaded within a stream", { status: 200, errorCode: "server_is_overloaded" }, "overloaded"],
  ["in words within a stream", { status: 200, errorMessage: "The server is overloaded" }, "overloaded"],
  ["500", { status: 500, errorType: "server_error" }, "server-error"],
  ["too long", { status: 400, errorCode: "context_length_exceeded" }, "permanent"],
  ["policy", { status: 400, errorCode: "content_policy_violation" }, "permanent"],
  ["moderation", { status: 400, errorCode: "moderation_blocked" }, "permanent"],
  ["wrong key", { status: 401, errorMessage: "Incorrect API key provided: sk-***" }, "permanent"],
  ["country", { status: 403, errorCode: "unsupported_country_region_territory" }, "permanent"],
  ["no model", { status: 404, errorCode: "model_not_found" }, "permanent"],
  ["time-out", { errorType: "APITimeoutError", errorMessage: "Request timed out." }, "timeout"],
  ["connection", { errorType: "openai.APIConnectionError" }, "timeout"],
  ["aborted by the user", { errorType: "APIUserAbortError" }, "cancelled"],
];

describe("what OpenAI's answers mean", () => {
  test.each([...LIMITS, ...MONEY, ...OTHERS])("%s", (_, told, meaning) =>
    expectMeaning(openai, told, meaning),
  );
});

describe("limits", () => {
  const limitsOf = (told: Told): readonly unknown[] => openai.read(attempt(told)).limits;
  const requests = (limit: string, left: string, reset: string): Told => ({
    status: 200,
    headers: {
      "x-ratelimit-limit-requests": limit,
      "x-ratelimit-remaining-requests": left,
      "x-ratelimit-reset-requests": reset,
    },
  });

  test("headers, and their owner", () => {
    const reading = openai.read(
      attempt({
        status: 200,
        headers: {
          "x-ratelimit-limit-requests": "500",
          "x-ratelimit-remaining-requests": "499",
          "x-ratelimit-reset-requests": "120ms",
          "x-ratelimit-limit-tokens": "30,000",
          "x-ratelimit-remaining-tokens": "0",
          "openai-organization": "acme",
          "openai-project": "proj_1",
        },
      }),
    );
    expect(reading).toEqual({
      outcome: "ok",
      dimension: "unknown",
      retryAfterMs: null,
      limits: [
        { dimension: "requests", perMinute: 500, from: "headers" },
        { dimension: "tokens", perMinute: 30_000, from: "headers" },
      ],
      remainingRequests: 499,
      remainingTokens: 0,
      orgId: "acme",
      workspaceId: "proj_1",
    });
  });

  test.each([
    ["1 of 10,000 a day is back after 8.64 s", "10000", "9999", "8.64s", []],
    ["all of 200 a day are back after a day", "200", "0", "23h59m59s", []],
    ["1 of 10,000 a minute is back after 6 ms", "10000", "9999", "6ms", [10_000]],
    ["1 of 60 a minute is back after 1 s", "60", "59", "1s", [60]],
    ["nothing used tells no window", "10000", "10000", "0s", [10_000]],
    ["a bare number has no unit", "10000", "9999", "10", [10_000]],
  ])("%s", (_, limit, left, reset, perMinute) => {
    expect(openai.read(attempt(requests(limit, left, reset))).limits.map((one) => one.perMinute)).toEqual(
      perMinute,
    );
  });

  test("impossible values are not told", () => {
    expect(limitsOf(requests("0", "-1", "1s"))).toEqual([]);
    expect(openai.read(attempt(requests("0", "-1", "1s"))).remainingRequests).toBe(null);
    expect(openai.read(attempt(requests("200000", "250000", "1s"))).remainingRequests).toBe(null);
    expect(openai.read(attempt(requests("soon", "0x10", "1s"))).remainingRequests).toBe(null);
  });

  test.each([
    [reached("tokens per min (TPM)", "30000"), "tokens", 30_000],
    [reached("tokens per min (TPM)", "2,000,000"), "tokens", 2_000_000],
    [reached("tokens per min (TPM)", "50K"), "tokens", 50_000],
    [reached("requests per min (RPM)", "3"), "requests", 3],
    ["limit reached on requests per min. Limit: 60.000000 / min. Current: 70.000000 / min.", "requests", 60],
  ])("%s", (errorMessage, dimension, perMinute) => {
    expect(limitsOf({ status: 429, errorMessage })).toEqual([{ dimension, perMinute, from: "message" }]);
  });

  test("a call larger than the bucket tells how large that is", () => {
    expect(limitsOf({ status: 429, errorMessage: TOO_LARGE })).toEqual([
      { dimension: "tokens", perMinute: 30_000, from: "message" },
    ]);
  });

  test("a limit of a day, and a text without one, are none of a minute", () => {
    expect(limitsOf({ status: 429, errorMessage: reached("requests per day (RPD)", "200") })).toEqual([]);
    expect(limitsOf({ status: 429, errorMessage: "tokens per min (TPM): slow" })).toEqual([]);
  });
});

test.each([
  ["gpt-4o-2024-08-06", "gpt-4o"],
  ["openai/gpt-5.2", "gpt-5.2"],
  ["GPT-4o", "gpt-4o"],
  ["gpt-4-0613", "gpt-4"],
  ["gpt-4o-mini", "gpt-4o-mini"],
  ["gpt-4.1-mini-long-context", "gpt-4.1-mini-long-context"],
  ["o3-2025-04-16", "o3"],
  ["ft:gpt-4o-2024-08-06:acme::abc123", "gpt-4o"],
  ["gpt-6.1-sol", "gpt-6.1-sol"],
  ["chatgpt-4o-latest", "chatgpt-4o"],
  ["text-embedding-3-small", "text-embedding-3-small"],
])("%s draws on %s", (model, family) => expect(openai.family(model)).toBe(family));

test("a family is its own family", () => {
  for (const { model } of openai.presets) expect([model, openai.family(model)]).toEqual([model, model]);
});
