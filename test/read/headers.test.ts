import { describe, expect, test } from "vitest";
import { errorPartsOf } from "../../src/read/errors.ts";
import { createHeaderReader } from "../../src/read/headers.ts";
import { spelledAttempt } from "./support.ts";

const TWO = [
  ["retry-after", "5"],
  ["x-ratelimit-remaining-requests", "0"],
];

describe("header shapes", () => {
  test.each([
    ["object", { "Retry-After": "5", "X-RateLimit-Remaining-Requests": 0, "Set-Cookie": "secret" }],
    [
      "pairs",
      [
        ["Retry-After", "5"],
        ["x-ratelimit-remaining-requests", "0"],
        ["Cookie", "secret"],
      ],
    ],
    [
      "named pairs",
      [
        { name: "retry-after", value: "5" },
        { key: "X-Ratelimit-Remaining-Requests", value: 0 },
      ],
    ],
    ["flat list", ["Retry-After", "5", "x-ratelimit-remaining-requests", "0", "Cookie", "secret"]],
    ["JSON in text", '{"retry-after":"5","x-ratelimit-remaining-requests":"0","authorization":"secret"}'],
    [
      "Python's print",
      "Headers({'retry-after': '5', 'x-ratelimit-remaining-requests': '0', 'cookie': 'secret'})",
    ],
    ["Python's pairs", "[('retry-after', '5'), ('x-ratelimit-remaining-requests', '0')]"],
    [
      "lines",
      "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nX-RateLimit-Remaining-Requests: 0\r\nCookie: secret",
    ],
    ["several lines of one name", { "retry-after": ["5"], "x-ratelimit-remaining-requests": ["0"] }],
  ])("%s", (_, value) => {
    expect([...(createHeaderReader().read(value, []) ?? [])]).toEqual(TWO);
  });

  test("flattened keys", () => {
    const record = {
      time: 1_782_900_000,
      status: 429,
      "response_headers.Retry-After": "5",
      "response.headers.date": "x",
    };
    expect([...(spelledAttempt(record).headers ?? [])]).toEqual([
      ["retry-after", "5"],
      ["date", "x"],
    ]);
  });

  test("a list of several limits stays one text", () => {
    const headers = createHeaderReader().read({ "ratelimit-limit": ["1000", "60000;w=60"] }, []);
    expect(headers?.get("ratelimit-limit")).toBe("1000, 60000;w=60");
  });

  test.each([
    ["anthropic-ratelimit-requests-remaining", true],
    ["x-ms-retry-after-ms", true],
    ["x-should-retry", true],
    ["date", true],
    ["request-id", true],
    ["anthropic-organization-id", true],
    ["authorization", false],
    ["x-api-key", false],
    ["cookie", false],
    ["set-cookie", false],
    ["content-type", false],
    ["x-forwarded-for", false],
  ])("%s is read: %s", (name, wanted) => {
    expect(
      createHeaderReader()
        .read({ [name]: "v" }, [])
        ?.has(name),
    ).toBe(wanted);
  });

  test("what is no list of headers is unreadable", () => {
    expect(createHeaderReader().read(5, [])).toBeUndefined();
    expect(createHeaderReader().read("nothing here", [])).toBeUndefined();
  });
});

describe("errors", () => {
  test.each([
    ["too slow", { type: null, code: null, message: "too slow", status: null }],
    [
      { type: "error", error: { type: "rate_limit_error", message: "slow" } },
      { type: "rate_limit_error", code: null, message: "slow", status: null },
    ],
    [
      '{"error":{"code":"rate_limit_exceeded","type":"tokens","message":"m"}}',
      { type: "tokens", code: "rate_limit_exceeded", message: "m", status: null },
    ],
    [
      [{ error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "m" } }],
      { type: "RESOURCE_EXHAUSTED", code: "429", message: "m", status: 429 },
    ],
    [
      { code: "1300", message: "rate limit" },
      { type: null, code: "1300", message: "rate limit", status: null },
    ],
    [
      { name: "APIError", status: 529 },
      { type: "APIError", code: null, message: null, status: 529 },
    ],
    [
      { error: "in words", status_code: 503 },
      { type: null, code: null, message: "in words", status: 503 },
    ],
    ["{broken", { type: null, code: null, message: "{broken", status: null }],
    ["", null],
    [{}, null],
    [[], null],
    [null, null],
    [false, null],
  ])("%j", (value, parts) => {
    expect(errorPartsOf(value)).toEqual(parts);
  });

  test("wrappers without end are left alone", () => {
    let deep: unknown = "core";
    for (let i = 0; i < 100; i++) deep = { error: deep };
    expect(errorPartsOf(deep)).toBeNull();
  });
});
