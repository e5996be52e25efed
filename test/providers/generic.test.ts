import { describe, expect, test } from "vitest";
import { generic } from "../../src/providers/generic.ts";
import { attempt, type Case, expectMeaning, type Told } from "./support.ts";

const GEMINI_WORDS = "You exceeded your current quota, please check your plan and billing details.";
const gemini = (quotaId: string, value: string): string =>
  JSON.stringify(
    {
      error: {
        code: 429,
        message: GEMINI_WORDS,
        status: "RESOURCE_EXHAUSTED",
        details: [
          { "@type": "QuotaFailure", violations: [{ quotaId, quotaValue: value }] },
          { "@type": "RetryInfo", retryDelay: "38s" },
        ],
      },
    },
    null,
    2,
  );
const HTML =
  "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>billing payment credit quota per day</body></html>";

const LIMITS: readonly Case[] = [
  ["a bare 429", { status: 429 }, "throttled"],
  ["a body of text", { status: 429, errorMessage: "slow down" }, "throttled"],
  ["a page of HTML, whatever it says", { status: 429, errorMessage: HTML }, "throttled"],
  ["a code in text", { errorCode: "429" }, "throttled"],
  ["a provider's own number", { status: 429, errorCode: "1300", errorMessage: "rate limit" }, "throttled"],
  [
    "billing words on a limit of a minute",
    { status: 429, errorMessage: gemini("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "15") },
    "throttled requests",
  ],
  [
    "billing words on input tokens of a minute",
    { status: 429, errorMessage: gemini("GenerateContentInputTokensPerModelPerMinute-FreeTier", "250000") },
    "throttled input-tokens",
  ],
  [
    "billing words on a limit of a day, with a wait of seconds",
    { status: 429, errorMessage: gemini("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "50") },
    "daily",
  ],
  [
    "a limit of 0, of a day too",
    { status: 429, errorMessage: gemini("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "0") },
    "quota",
  ],
  [
    "billing words with a name that is none of money",
    { status: 429, errorType: "RESOURCE_EXHAUSTED", errorMessage: GEMINI_WORDS },
    "throttled",
  ],
  [
    "billing words with a wait",
    { status: 429, errorMessage: `${GEMINI_WORDS} Please retry in 51.38s.` },
    "throttled",
  ],
  ["billing words alone", { status: 429, errorMessage: GEMINI_WORDS }, "quota"],
  [
    "billing words under the phrase of the status",
    { status: 429, errorMessage: `Too Many Requests: ${GEMINI_WORDS}` },
    "quota",
  ],
  [
    "limit: 0",
    { status: 429, errorMessage: "Quota exceeded for metric x_requests, limit: 0, model: m" },
    "quota",
  ],
  ["limit: 0.5 is not 0", { status: 429, errorMessage: "rate limit: 0.5 per second" }, "throttled"],
  ["limit: 05 is not 0", { status: 429, errorMessage: "rate limit: 05, per minute" }, "throttled"],
  [
    "insufficient_quota on a limit of a minute",
    { status: 429, errorCode: "insufficient_quota", errorMessage: "tokens per minute exceeded" },
    "throttled tokens",
  ],
  [
    "insufficient_quota on some limit of a minute",
    { status: 429, errorCode: "insufficient_quota", errorMessage: "5 per minute" },
    "throttled",
  ],
  [
    "insufficient_quota under words of a rate",
    { status: 429, errorCode: "insufficient_quota", errorMessage: "Rate limit" },
    "quota",
  ],
  ["tokens by type", { status: 429, errorType: "tokens" }, "throttled tokens"],
  ["requests by type", { status: 429, errorType: "requests" }, "throttled requests"],
  ["output tokens", { status: 429, errorMessage: "output tokens per minute" }, "throttled output-tokens"],
  ["insufficient_quota", { status: 429, errorCode: "insufficient_quota" }, "quota"],
  ["insufficient_quota under 403", { status: 403, errorCode: "insufficient_quota" }, "quota"],
  [
    "Azure: token rate",
    {
      status: 429,
      errorMessage:
        "Requests have exceeded token rate limit of your current S0 tier. Please retry after 6 seconds.",
    },
    "throttled tokens",
  ],
  [
    "Azure: call rate",
    { status: 429, errorMessage: "Requests have exceeded call rate limit of your current S0 tier." },
    "throttled requests",
  ],
  [
    "Azure: capacity",
    { status: 429, errorMessage: "The system is currently experiencing high demand" },
    "overloaded",
  ],
  [
    "Vertex: shared pool",
    {
      status: 429,
      errorType: "RESOURCE_EXHAUSTED",
      errorMessage: "Resource exhausted. Please try again later.",
    },
    "overloaded",
  ],
  [
    "Vertex: quota",
    {
      status: 429,
      errorMessage:
        "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_minute_per_base_model",
    },
    "throttled requests",
  ],
  [
    "Bedrock: tokens",
    {
      status: 429,
      errorType: "ThrottlingException",
      errorMessage: "Too many tokens, please wait before trying again.",
    },
    "throttled tokens",
  ],
  [
    "Bedrock: tokens of a day",
    {
      status: 429,
      errorType: "ThrottlingException",
      errorMessage: "Too many tokens per day, please wait before trying again.",
    },
    "daily",
  ],
  [
    "Bedrock: as 400",
    { status: 400, errorType: "ThrottlingException", errorMessage: "Rate exceeded" },
    "throttled",
  ],
  [
    "Bedrock: by header",
    { status: 400, headers: { "x-amzn-errortype": "ThrottlingException:http://internal/" } },
    "throttled",
  ],
  [
    "Bedrock: requests",
    { status: 429, errorMessage: "Too many requests, please wait before trying again." },
    "throttled requests",
  ],
  ["Bedrock: lower case", { status: 400, errorType: "throttlingException" }, "throttled"],
  [
    "Bedrock: too fast",
    { status: 429, errorMessage: "Your request rate is too high. Reduce the frequency." },
    "acceleration requests",
  ],
  ["Bedrock: account quota", { status: 400, errorType: "ServiceQuotaExceededException" }, "quota"],
  [
    "too many tokens in one call",
    { status: 400, errorType: "ValidationException", errorMessage: "input has too many tokens" },
    "permanent",
  ],
  [
    "Groq: larger than the bucket",
    {
      status: 413,
      errorType: "tokens",
      errorCode: "rate_limit_exceeded",
      errorMessage: "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000",
    },
    "permanent",
  ],
  [
    "larger than the bucket as 429",
    { status: 429, errorMessage: "Request too large on tokens per minute (TPM): Limit 8000" },
    "permanent",
  ],
  ["Groq: flex", { status: 498, errorCode: "capacity_exceeded" }, "overloaded"],
  [
    "Groq: day",
    { status: 429, errorCode: "rate_limit_exceeded", errorMessage: "on tokens per day (TPD): Limit 100000" },
    "daily",
  ],
  ["Together: requests", { status: 429, errorType: "dynamic_request_limited" }, "acceleration requests"],
  ["Together: tokens", { status: 429, errorType: "dynamic_token_limited" }, "acceleration tokens"],
  [
    "Mistral: capacity",
    { status: 429, errorType: "service_tier_capacity_exceeded", errorCode: "3505" },
    "overloaded",
  ],
  [
    "xAI",
    {
      status: 429,
      errorCode: "resource-exhausted",
      errorMessage: "Too many requests. Requests per Minute (actual/limit): 61/60",
    },
    "throttled requests",
  ],
  ["OpenRouter: day", { status: 429, errorMessage: "Rate limit exceeded: free-models-per-day" }, "daily"],
  [
    "OpenRouter: minute",
    { status: 429, errorMessage: "Rate limit exceeded: free-models-per-min" },
    "throttled requests",
  ],
  [
    "OpenRouter: in flight",
    { status: 402, errorCode: "in_flight_budget_exhausted" },
    "throttled concurrency",
  ],
  [
    "LiteLLM: its own TPM",
    { status: 429, errorMessage: "No deployments: over available TPM" },
    "throttled tokens",
  ],
  [
    "LiteLLM: its own RPM",
    { status: 429, errorMessage: "No deployments: over available RPM" },
    "throttled requests",
  ],
  [
    "LiteLLM: budget",
    { status: 400, errorType: "budget_exceeded", errorMessage: "Budget has been exceeded!" },
    "quota",
  ],
  [
    "LiteLLM: budget as 429",
    { status: 429, errorMessage: "ExceededBudget: User has exceeded budget" },
    "quota",
  ],
  [
    "parallel requests in words, tokens in fact",
    { status: 429, errorMessage: "max parallel requests hit; tokens per minute limit 40k" },
    "throttled tokens",
  ],
  [
    "parallel requests",
    { status: 429, errorMessage: "Max parallel request limit reached" },
    "throttled concurrency",
  ],
  ["other languages: too fast", { errorMessage: "请求过于频繁，请 1 秒后重试" }, "throttled"],
  ["other languages: no balance", { status: 429, errorMessage: "您的账户余额不足" }, "quota"],
  ["a month", { status: 429, errorMessage: "limited to 1000 API calls / month" }, "quota"],
];

const STATUSES: readonly Case[] = [
  ["402", { status: 402, errorMessage: "Insufficient Balance" }, "quota"],
  ["402 under the name of a rate limit", { status: 402, errorType: "RESOURCE_EXHAUSTED" }, "quota"],
  ["403 of a quota", { status: 403, errorMessage: "Out of call volume quota." }, "quota"],
  ["400 of a bill", { status: 400, errorType: "billing_error" }, "quota"],
  ["403 of a balance", { status: 403, errorCode: "insufficient_balance" }, "quota"],
  ["400 of a cap", { status: 400, errorMessage: "You reached the usage cap you set" }, "quota"],
  ["403", { status: 403 }, "permanent"],
  ["401", { status: 401, errorType: "rate_limit_error" }, "permanent"],
  ["400", { status: 400 }, "permanent"],
  ["404", { status: 404 }, "permanent"],
  ["409", { status: 409 }, "permanent"],
  ["413", { status: 413 }, "permanent"],
  ["422", { status: 422 }, "permanent"],
  ["408", { status: 408 }, "timeout"],
  ["504", { status: 504 }, "timeout"],
  ["524", { status: 524 }, "timeout"],
  ["499", { status: 499 }, "cancelled"],
  ["503", { status: 503 }, "overloaded"],
  ["529", { status: 529 }, "overloaded"],
  ["500", { status: 500 }, "server-error"],
  ["502", { status: 502 }, "server-error"],
  ["424", { status: 424, errorType: "ModelErrorException" }, "server-error"],
  [
    "500 around a 429",
    { status: 500, errorMessage: '{"message":"429 limit exceeded, again in 11 seconds"}' },
    "throttled",
  ],
  [
    "500 that begins with a 429",
    { status: 500, errorMessage: "429 limit exceeded, again in 11 seconds" },
    "throttled",
  ],
  [
    "500 with a code of 429",
    { status: 500, errorMessage: '{"error":{"code":429,"message":"x"}}' },
    "throttled",
  ],
  ["500 that counts 429 things", { status: 500, errorMessage: "429 bytes written" }, "server-error"],
  ["500 at line 429", { status: 500, errorMessage: "at errors.ts:429:15" }, "server-error"],
  ["500 without slots", { status: 500, errorMessage: "no slots available after 10 retries" }, "overloaded"],
  ["400 with a rate limit's type", { status: 400, errorType: "rate_limit_error" }, "throttled"],
  [
    "429 with another type",
    { status: 429, errorType: "invalid_request_error", errorMessage: "rate limit" },
    "throttled",
  ],
  ["429 in two wrappers", { errorMessage: 'RateLimitError: 429 429 {"type":"error"}' }, "throttled"],
];

const SUCCESSES: readonly Case[] = [
  ["a success", { status: 200 }, "ok"],
  ["one that says so", { status: 200, errorType: "none", errorCode: "0", errorMessage: "OK" }, "ok"],
  ["one with a remark", { status: 200, outputTokens: 40, errorMessage: "cache miss" }, "ok"],
  [
    "one that was printed whole",
    { status: 200, outputTokens: 4, errorMessage: '{"id":"1","error": null,"type":"message"}' },
    "ok",
  ],
  ["an unknown error", { status: 200, errorType: "stream_broken" }, "server-error"],
  ["an error of a body", { status: 200, errorMessage: '{"error":{"message":"broken"}}' }, "server-error"],
  ["a 429 of a body", { status: 200, errorMessage: '{"error":{"code":429}}' }, "throttled"],
  [
    "no answer but a refusal",
    { status: 200, outputTokens: 0, errorMessage: "gave up after 3 tries: HTTP 429" },
    "throttled",
  ],
  [
    "an answer about refusals",
    { status: 200, outputTokens: 90, errorMessage: "handled HTTP 429 before" },
    "ok",
  ],
  [
    "a stream that ended in an error",
    { status: 200, outputTokens: 3, errorMessage: '{"choices":[{"finish_reason":"error"}]}' },
    "server-error",
  ],
  ["a stream that the client left", { status: 200, errorType: "cancelled" }, "cancelled"],
];

const UNANSWERED: readonly Case[] = [
  ["nothing told", {}, "timeout"],
  ["tokens", { outputTokens: 1 }, "ok"],
  ["no tokens", { outputTokens: 0 }, "timeout"],
  ["timeout", { errorType: "timeout" }, "timeout"],
  ["httpx", { errorType: "httpx.ReadTimeout" }, "timeout"],
  ["asyncio", { errorMessage: "concurrent.futures._base.TimeoutError" }, "timeout"],
  ["connection", { errorType: "APIConnectionError" }, "timeout"],
  ["reset", { errorMessage: "read ECONNRESET" }, "timeout"],
  ["aborted connection", { errorMessage: "('Connection aborted.', RemoteDisconnected())" }, "timeout"],
  ["aborted", { errorType: "AbortError" }, "cancelled"],
  ["cancelled", { errorType: "asyncio.CancelledError" }, "cancelled"],
  ["cancelled in words", { errorMessage: "request was cancelled" }, "cancelled"],
  ["overloaded in words", { errorMessage: "model is overloaded" }, "overloaded"],
  ["rate limited", { errorType: "rate_limited" }, "throttled"],
  ["status in words", { errorMessage: "HTTP 503 from upstream" }, "overloaded"],
  ["wrong request", { errorType: "BadRequestError" }, "permanent"],
  ["wrong key", { errorType: "AuthenticationError" }, "permanent"],
  ["broken server", { errorType: "InternalServerError" }, "server-error"],
  ["an error that nobody knows", { errorType: "error" }, "server-error"],
  ["a size that is no status", { errorMessage: "sha 9f429ab, used 429 tokens" }, "server-error"],
  ["refused locally", { local: true }, "local"],
  ["refused locally, with a status", { local: true, status: 429, outputTokens: 3 }, "local"],
];

describe("limits", () => {
  test.each(LIMITS)("%s", (_, told, meaning) => expectMeaning(generic, told, meaning));
});
describe("statuses", () => {
  test.each(STATUSES)("%s", (_, told, meaning) => expectMeaning(generic, told, meaning));
});
describe("successes", () => {
  test.each(SUCCESSES)("%s", (_, told, meaning) => expectMeaning(generic, told, meaning));
});
describe("no response", () => {
  test.each(UNANSWERED)("%s", (_, told, meaning) => expectMeaning(generic, told, meaning));
});

describe("borrowed and windowed headers", () => {
  const read = (
    headers: NonNullable<Told["headers"]>,
    told: Told = {},
  ): readonly [readonly string[], number | null, number | null] => {
    const reading = generic.read(attempt({ status: 200, ...told, headers }));
    const limits = reading.limits.map(
      ({ dimension, perMinute, from }) => `${dimension} ${perMinute} ${from}`,
    );
    return [limits, reading.remainingRequests, reading.remainingTokens];
  };

  test("both big dialects, and a proxy's prefix", () => {
    expect(read({ "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-tokens": "9" })).toEqual([
      ["requests 60 headers"],
      null,
      9,
    ]);
    expect(read({ "anthropic-ratelimit-input-tokens-limit": "30000" })[0]).toEqual([
      "input-tokens 30000 headers",
    ]);
    expect(read({ "llm_provider-x-ratelimit-remaining-requests": "7" })).toEqual([[], 7, null]);
    expect(read({ "x-ratelimit-limit-tokens-minute": "500000" })[0]).toEqual(["tokens 500000 headers"]);
  });

  test("one limit of one dimension, the nearest header's", () => {
    expect(
      read({ "x-ratelimit-limit-requests": "60", "llm_provider-x-ratelimit-limit-requests": "70" })[0],
    ).toEqual(["requests 60 headers"]);
  });

  test("requests a day under the name of requests a minute", () => {
    // Groq's own example: 14,400 a day, 30 of them used, 2m59.56s until full.
    expect(
      read({
        "x-ratelimit-limit-requests": "14400",
        "x-ratelimit-remaining-requests": "14370",
        "x-ratelimit-reset-requests": "2m59.56s",
        "x-ratelimit-limit-tokens": "18000",
      }),
    ).toEqual([["tokens 18000 headers"], null, null]);
  });

  test.each([
    ["1000, 1000;w=1, 60000;w=60", ["requests 60000 headers"]],
    ["10, 10;w=1, 300;w=60", ["requests 300 headers"]],
    ["100;window=60", ["requests 100 headers"]],
    // Nothing about a minute:
    ["100", []],
    ["100;w=3600", []],
    ["0;w=60", []],
    ["100;w=0", []],
    ["100;w=soon", []],
    ["many;w=60", []],
  ])("ratelimit-limit: %s", (text, limits) => expect(read({ "ratelimit-limit": text })[0]).toEqual(limits));

  test("structured fields", () => {
    expect(read({ "ratelimit-policy": '"default";q=100;w=60', ratelimit: '"default";r=50;t=30' })).toEqual([
      ["requests 100 headers"],
      50,
      null,
    ]);
    expect(
      read({ "ratelimit-policy": '"t";q=9000;qu="tokens";w=30', "ratelimit-remaining": "8000" }),
    ).toEqual([["tokens 18000 headers"], null, 8_000]);
    expect(read({ "ratelimit-policy": '"b";q=100;qu="content-bytes";w=60' })[0]).toEqual([]);
  });

  test("more left than the limit has is not told", () => {
    expect(read({ "ratelimit-limit": "100;w=60", "ratelimit-remaining": "101" })[1]).toBe(null);
  });

  test("x-ratelimit-limit without a window may be anything", () => {
    expect(read({ "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0" })).toEqual([[], null, null]);
  });

  test("headers before the text", () => {
    const told = { status: 429, errorMessage: "Rate limit of 50 requests per minute" };
    expect(read({ "ratelimit-limit": "40;w=60" }, told)[0]).toEqual(["requests 40 headers"]);
    expect(read({}, told)[0]).toEqual(["requests 50 message"]);
  });

  test("asked and allowed", () => {
    const errorMessage = "Requests per Minute (actual/limit): 61/60";
    expect(read({}, { status: 429, errorMessage })[0]).toEqual(["requests 60 message"]);
  });
});

test.each([
  ["meta-llama/llama-3.3-70b:free", "llama-3.3-70b:free"],
  ["gemini-2.5-flash", "gemini-2.5-flash"],
  ["mistral-large-latest", "mistral-large"],
  ["us.meta.llama3-70b-instruct-v1:0", "llama3-70b-instruct"],
])("%s draws on %s", (model, family) => expect(generic.family(model)).toBe(family));
