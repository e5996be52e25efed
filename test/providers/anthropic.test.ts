import { describe, expect, test } from "vitest";
import { anthropic } from "../../src/providers/anthropic.ts";
import { attempt, type Case, expectMeaning, python } from "./support.ts";

const body = (type: string, message: string, errorCode?: string): string =>
  JSON.stringify({
    type: "error",
    error: {
      type,
      message,
      ...(errorCode === undefined ? {} : { details: { error_code: errorCode } }),
    },
    request_id: "req_011",
  });

const RAMP =
  "This request would exceed your organization's acceleration limit: 58,276 input tokens per minute now, 68,276 from the next minute. Please scale up more gradually.";
const INPUT =
  "This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: 1234, model: claude-sonnet-4-5).";

const LIMITS: readonly Case[] = [
  ["a success", { status: 200, outputTokens: 12 }, "ok"],
  ["a bare 429", { status: 429 }, "throttled"],
  ["a hand-made line", { status: 429, errorMessage: "rate limited" }, "throttled"],
  ["type alone", { status: 429, errorType: "rate_limit_error" }, "throttled"],
  ["type in the field of the code", { status: 429, errorCode: "rate_limit_error" }, "throttled"],
  ["input tokens", { status: 429, errorMessage: INPUT }, "throttled input-tokens"],
  [
    "output tokens",
    { status: 429, errorMessage: INPUT.replace("input", "output") },
    "throttled output-tokens",
  ],
  [
    "requests",
    {
      status: 429,
      errorType: "rate_limit_error",
      errorMessage: "your organization's rate limit of 50 requests per minute",
    },
    "throttled requests",
  ],
  [
    "requests, older words",
    { status: 429, errorMessage: "Number of requests has exceeded your per-minute rate limit" },
    "throttled requests",
  ],
  [
    "request tokens, older words",
    { status: 429, errorMessage: "Number of request tokens has exceeded your per-minute rate limit" },
    "throttled input-tokens",
  ],
  [
    "connections",
    { status: 429, errorMessage: "Number of concurrent connections has exceeded your rate limit" },
    "throttled concurrency",
  ],
  [
    "the body as JSON",
    { status: 429, errorMessage: body("rate_limit_error", INPUT) },
    "throttled input-tokens",
  ],
  [
    "the body as Python prints it",
    { errorMessage: python(429, { type: "error", error: { type: "rate_limit_error", message: "slow" } }) },
    "throttled",
  ],
  [
    "ramp by text, which names input tokens a minute too",
    { status: 429, errorMessage: RAMP },
    "acceleration input-tokens",
  ],
  [
    "ramp by code in the body",
    { status: 429, errorMessage: body("rate_limit_error", "later", "ramp_limit_exceeded") },
    "acceleration input-tokens",
  ],
  [
    "ramp by code in its field",
    { status: 429, errorCode: "ramp_limit_exceeded" },
    "acceleration input-tokens",
  ],
  [
    "ramp, other words",
    { status: 429, errorMessage: "exceeds the maximum usage increase rate for your organization" },
    "acceleration input-tokens",
  ],
  [
    "output tokens, no status",
    { errorMessage: "more than 8,000 output tokens per minute" },
    "throttled output-tokens",
  ],
  [
    "connections, no status",
    { errorMessage: "Number of concurrent connections is too high" },
    "throttled concurrency",
  ],
  [
    "a type that is none of money, whatever the words",
    { status: 429, errorType: "rate_limit_error", errorMessage: "ask billing for a daily quota" },
    "throttled",
  ],
  ["a plan's window", { status: 429, errorMessage: "Claude AI usage limit reached|1790000600" }, "daily"],
  ["a plan's week", { status: 429, errorMessage: "You've hit your weekly limit ∙ resets Aug 18" }, "daily"],
  ["a plan's five hours", { status: 429, errorMessage: "5-hour limit reached ∙ resets 3am" }, "daily"],
  ["a session", { status: 429, errorMessage: "session limit reached" }, "daily"],
  [
    "a plan's window by header",
    {
      status: 429,
      errorType: "rate_limit_error",
      headers: { "anthropic-ratelimit-unified-status": "rejected" },
    },
    "daily",
  ],
  [
    "a plan's window that still allows",
    {
      status: 429,
      errorType: "rate_limit_error",
      headers: { "anthropic-ratelimit-unified-status": "allowed_warning" },
    },
    "throttled",
  ],
  [
    "the limit that its headers show empty",
    {
      status: 429,
      headers: {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-input-tokens-remaining": "21000",
      },
    },
    "throttled requests",
  ],
  [
    "two empty limits name none",
    {
      status: 429,
      headers: {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-input-tokens-remaining": "0",
      },
    },
    "throttled",
  ],
  [
    "a text beats what headers show",
    { status: 429, errorMessage: INPUT, headers: { "anthropic-ratelimit-requests-remaining": "0" } },
    "throttled input-tokens",
  ],
];

const MONEY: readonly Case[] = [
  [
    "the tier's cap",
    { status: 429, errorMessage: "You have reached your monthly API usage threshold" },
    "quota",
  ],
  [
    "the tier's cap by code, under the type of a rate limit",
    { status: 429, errorType: "rate_limit_error", errorCode: "enforced_spend_limit_reached" },
    "quota",
  ],
  [
    "a contract's cap",
    { status: 429, errorMessage: body("rate_limit_error", "stop", "contract_spend_limit_reached") },
    "quota",
  ],
  ["402", { status: 402 }, "quota"],
  [
    "402 by a linked organisation",
    { status: 402, errorCode: "linked_organization_spend_limit_reached" },
    "quota",
  ],
  ["billing_error without a status", { errorType: "billing_error" }, "quota"],
  [
    "400: the cap that the customer set",
    {
      status: 400,
      errorType: "invalid_request_error",
      errorMessage: "You have reached your specified API usage limits. You will regain access on 2026-08-01",
    },
    "quota",
  ],
  [
    "400: a workspace's cap",
    { status: 400, errorMessage: "You have reached your specified workspace API usage limits." },
    "quota",
  ],
  [
    "400: no credit",
    {
      status: 400,
      errorMessage: body("invalid_request_error", "Your credit balance is too low to access the API."),
    },
    "quota",
  ],
  ["a cap, no status", { errorMessage: "You have reached your specified API usage limits." }, "quota"],
  ["no credit, no status", { errorMessage: "Your credit balance is too low to access the API." }, "quota"],
];

const OTHERS: readonly Case[] = [
  ["529", { status: 529, errorType: "overloaded_error", errorMessage: "Overloaded" }, "overloaded"],
  ["a bare 529", { status: 529 }, "overloaded"],
  ["overloaded within a stream", { status: 200, errorType: "overloaded_error" }, "overloaded"],
  [
    "overloaded within a stream, after tokens",
    { status: 200, outputTokens: 55, errorMessage: body("overloaded_error", "Overloaded") },
    "overloaded",
  ],
  ["overloaded under 500", { status: 500, errorMessage: "Overloaded" }, "overloaded"],
  ["overloaded under 429", { status: 429, errorType: "overloaded_error" }, "overloaded"],
  ["a rate limit under 529", { status: 529, errorType: "rate_limit_error" }, "throttled"],
  [
    "a rate limit under 400 keeps its dimension",
    { status: 400, errorType: "rate_limit_error", errorMessage: INPUT },
    "throttled input-tokens",
  ],
  ["a rate limit within a stream", { status: 200, errorType: "rate_limit_error" }, "throttled"],
  ["500", { status: 500, errorType: "api_error" }, "server-error"],
  ["504", { status: 504, errorType: "timeout_error" }, "timeout"],
  ["413", { status: 413, errorType: "request_too_large" }, "permanent"],
  [
    "400: too long",
    { status: 400, errorMessage: "prompt is too long: 210000 tokens > 200000 maximum" },
    "permanent",
  ],
  ["400: on hold", { status: 400, errorCode: "organization_on_hold" }, "permanent"],
  ["400", { status: 400, errorType: "invalid_request_error" }, "permanent"],
  ["401", { status: 401, errorType: "authentication_error" }, "permanent"],
  ["403", { status: 403, errorType: "permission_error" }, "permanent"],
  ["404", { status: 404, errorType: "not_found_error" }, "permanent"],
  ["409", { status: 409, errorType: "conflict_error" }, "permanent"],
  ["no response at all", {}, "timeout"],
  ["no status, but tokens", { outputTokens: 7 }, "ok"],
  ["refused by the client itself", { status: 429, local: true, errorMessage: INPUT }, "local"],
];

describe("what Anthropic's answers mean", () => {
  test.each([...LIMITS, ...MONEY, ...OTHERS])("%s", (_, told, meaning) =>
    expectMeaning(anthropic, told, meaning),
  );
});

test("input tokens are what is left of tokens, where both are told", () => {
  const reading = anthropic.read(
    attempt({
      status: 200,
      headers: {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-tokens-limit": "38000",
        "anthropic-ratelimit-tokens-remaining": "37000",
        "anthropic-ratelimit-input-tokens-limit": "30000",
        "anthropic-ratelimit-input-tokens-remaining": "29000",
        "anthropic-ratelimit-output-tokens-limit": "8000",
        "anthropic-ratelimit-output-tokens-remaining": "8000",
        "anthropic-organization-id": "org-1",
        "anthropic-workspace-id": "wrk-1",
      },
    }),
  );
  expect(reading).toEqual({
    outcome: "ok",
    dimension: "unknown",
    retryAfterMs: null,
    limits: [
      { dimension: "requests", perMinute: 50, from: "headers" },
      { dimension: "input-tokens", perMinute: 30_000, from: "headers" },
      { dimension: "output-tokens", perMinute: 8_000, from: "headers" },
      { dimension: "tokens", perMinute: 38_000, from: "headers" },
    ],
    remainingRequests: 49,
    remainingTokens: 29_000,
    orgId: "org-1",
    workspaceId: "wrk-1",
  });
});

describe("limits and what is left", () => {
  const left = (headers: { readonly [name: string]: string }): number | null =>
    anthropic.read(attempt({ status: 200, headers })).remainingTokens;

  test("tokens alone, and output tokens never", () => {
    expect(left({ "anthropic-ratelimit-tokens-remaining": "12000" })).toBe(12_000);
    expect(left({ "anthropic-ratelimit-output-tokens-remaining": "12000" })).toBe(null);
  });

  test("rounding to a thousand may pass the limit by half of it, and no further", () => {
    const of = (remaining: string): number | null =>
      left({
        "anthropic-ratelimit-input-tokens-limit": "30600",
        "anthropic-ratelimit-input-tokens-remaining": remaining,
      });
    expect(of("31000")).toBe(30_600);
    expect(of("32000")).toBe(null);
  });

  test("a limit from the text, only where no header has it", () => {
    const read = (headers: { readonly [name: string]: string }): readonly unknown[] =>
      anthropic.read(attempt({ status: 429, errorMessage: INPUT, headers })).limits;
    expect(read({})).toEqual([{ dimension: "input-tokens", perMinute: 30_000, from: "message" }]);
    expect(read({ "anthropic-ratelimit-input-tokens-limit": "40000" })).toEqual([
      { dimension: "input-tokens", perMinute: 40_000, from: "headers" },
    ]);
  });

  test("the allowance of a ramp is no limit", () => {
    expect(
      anthropic.read(attempt({ status: 429, errorMessage: `${RAMP} Rate limit of 58,276.` })).limits,
    ).toEqual([]);
  });

  test("a reset is the time until full: no hint", () => {
    const headers = { "anthropic-ratelimit-requests-reset": "2026-07-01T10:00:30Z" };
    expect(anthropic.read(attempt({ status: 429, headers })).retryAfterMs).toBe(null);
  });

  test("masked owners are nobody", () => {
    for (const org of ["org-****", "[REDACTED]", "org-ab…9f", ""])
      expect(
        anthropic.read(attempt({ status: 200, headers: { "anthropic-organization-id": org } })).orgId,
      ).toBe(null);
  });
});

test.each([
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4.x"],
  ["claude-sonnet-4-6", "claude-sonnet-4.x"],
  ["anthropic/claude-sonnet-4.5", "claude-sonnet-4.x"],
  ["claude-sonnet-4-5@20250929", "claude-sonnet-4.x"],
  ["claude-sonnet-4-5[1m]", "claude-sonnet-4.x"],
  ["claude-sonnet-4-20250514", "claude-sonnet-4.x"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4.x"],
  ["sonnet-4-5", "claude-sonnet-4.x"],
  ["Claude-Opus-4-8", "claude-opus-4.x"],
  ["claude-opus-4-1-20250805", "claude-opus-4.x"],
  ["claude-opus-5", "claude-opus-5"],
  ["claude-opus-5-5", "claude-opus-5-5"],
  ["claude-sonnet-5", "claude-sonnet-5"],
  ["claude-fable-5-1", "claude-fable-5.x"],
  ["claude-fable-5", "claude-fable-5.x"],
  ["claude-mythos-5.1", "claude-mythos-5.x"],
  ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
  ["claude-3-5-haiku-20241022", "claude-haiku-3-5"],
  ["claude-3-5-haiku-latest", "claude-haiku-3-5"],
  ["claude-3-opus-20240229", "claude-opus-3"],
  ["my-deployment", "my-deployment"],
])("%s draws on %s", (model, family) => expect(anthropic.family(model)).toBe(family));

test("a family is its own family", () => {
  for (const { model } of anthropic.presets) expect([model, anthropic.family(model)]).toEqual([model, model]);
});
