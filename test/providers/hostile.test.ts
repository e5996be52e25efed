import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIMENSIONS, OUTCOMES } from "../../src/model/outcome.ts";
import { parseAmount, parseLeft } from "../../src/providers/amounts.ts";
import { leadingDuration, LONGEST_WAIT, parseDuration, parseInstant } from "../../src/providers/durations.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { providerOf } from "../../src/providers/lookup.ts";
import type { Reading } from "../../src/providers/provider.ts";
import { attempt } from "./support.ts";

/** Random text seldom looks like anything; this is made of what the parsers look for. */
const SHARDS: readonly string[] =
  `429|503|0|12|-|.|,| |;|"|'|{|}|\\|:|=|\n|\u0000|😀|s|ms|m|h|days|w=|q=|r=|limit|limit: |per day|(TPM)|retry after |try again in |wait |type|code|error|HTTP|<html|null|2026-07-01T10:00:00Z|NaN`.split(
    "|",
  );
const shards = fc.array(fc.constantFrom(...SHARDS), { maxLength: 24 });
const text = fc.oneof(
  shards.map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
);

function isWait(ms: number | null): boolean {
  return ms === null || (Number.isInteger(ms) && ms >= 0 && ms <= LONGEST_WAIT);
}

describe("any text", () => {
  test("is a wait or none", () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(isWait(parseDuration(any))).toBe(true);
        expect(isWait(leadingDuration(any)?.ms ?? null)).toBe(true);
      }),
    );
  });

  test("is an instant, an amount, a rest, or none", () => {
    fc.assert(
      fc.property(text, (any) => {
        const instant = parseInstant(any);
        expect(instant === null || Number.isFinite(instant)).toBe(true);
        const amount = parseAmount(any);
        expect(amount === null || (Number.isFinite(amount) && amount > 0)).toBe(true);
        const left = parseLeft(any);
        expect(left === null || (Number.isFinite(left) && left >= 0)).toBe(true);
      }),
    );
  });

  test("a duration is what its parts add up to", () => {
    const part = fc.record({ count: fc.nat(59), unit: fc.constantFrom("h", "m", "s", "ms") });
    const unitMs: { readonly [unit: string]: number } = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const sum = parts.reduce((total, { count, unit }) => total + count * (unitMs[unit] ?? 0), 0);
        expect(parseDuration(parts.map(({ count, unit }) => `${count}${unit}`).join(""))).toBe(sum);
      }),
    );
  });
});

const NAMES = [
  "retry-after",
  "retry-after-ms",
  "date",
  "anthropic-ratelimit-requests-limit",
  "anthropic-ratelimit-requests-remaining",
  "anthropic-ratelimit-input-tokens-limit",
  "anthropic-ratelimit-input-tokens-remaining",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "ratelimit-limit",
  "ratelimit-policy",
  "ratelimit",
  "ratelimit-remaining",
  "x-amzn-errortype",
];

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const record = fc
  .record({
    status: maybe(fc.constantFrom(200, 301, 400, 402, 403, 413, 429, 499, 500, 503, 529, 999)),
    errorType: maybe(text),
    errorCode: maybe(text),
    errorMessage: maybe(text),
    outputTokens: maybe(fc.nat(50)),
    retryAfterMs: maybe(fc.double()),
    durationMs: maybe(fc.nat(100_000)),
    local: fc.boolean(),
    headers: fc.dictionary(fc.constantFrom(...NAMES), text),
  })
  .map((told) => attempt(told));

function checkReading(reading: Reading): void {
  expect(OUTCOMES).toContain(reading.outcome);
  expect(DIMENSIONS).toContain(reading.dimension);
  if (reading.outcome !== "throttled" && reading.outcome !== "acceleration")
    expect(reading.dimension).toBe("unknown");
  if (reading.outcome === "ok" || reading.outcome === "local") expect(reading.retryAfterMs).toBe(null);
  expect(isWait(reading.retryAfterMs)).toBe(true);
  for (const { perMinute } of reading.limits)
    expect(Number.isSafeInteger(perMinute) ? perMinute : Number.NaN).toBeGreaterThan(0);
  const dimensions = reading.limits.map(({ dimension }) => dimension);
  expect(new Set(dimensions).size).toBe(dimensions.length);
  for (const left of [reading.remainingRequests, reading.remainingTokens])
    expect(left === null || left >= 0).toBe(true);
}

test.each(PROVIDERS.map((provider) => [provider.id, provider] as const))(
  "whatever a record holds, %s reads it",
  (_, provider) => {
    fc.assert(
      fc.property(record, (any) => {
        checkReading(provider.read(any));
      }),
    );
  },
);

test("whatever a provider or a model is called, somebody reads it", () => {
  fc.assert(
    fc.property(maybe(text), maybe(text), (provider, model) => {
      const reader = providerOf(attempt({ provider, model }));
      expect(PROVIDERS).toContain(reader);
      if (model !== null) expect(typeof reader.family(model)).toBe("string");
    }),
  );
});

const MEGABYTE = 1 << 20;
const many = (part: string): string => part.repeat(Math.ceil(MEGABYTE / part.length));

/** Texts on which a careless pattern takes minutes: the suite's own time limit is the test. */
test.each([
  " ",
  "9",
  "9 ",
  "9,999",
  "1s",
  "1 and ",
  "a",
  "type: ",
  '"type":"',
  "type\\\\\\",
  "error ",
  "HTTP 4",
  "HTTP/1.1 ",
  "limit ",
  "limit: 0",
  "limit: 9",
  "retry after ",
  "retry_after",
  "wait ",
  "try again in 1",
  '"error":',
  "{",
  ";w=",
  ",",
  "-latest",
  "-20250929",
  "[1m",
  "/",
])("a megabyte of %j is read at once", (part) => {
  const huge = many(part);
  for (const provider of PROVIDERS) {
    checkReading(
      provider.read(
        attempt({
          status: 429,
          errorType: huge,
          errorCode: huge,
          errorMessage: huge,
          headers: Object.fromEntries(NAMES.map((name) => [name, huge])),
        }),
      ),
    );
    checkReading(provider.read(attempt({ errorMessage: `${huge}try again in 5s` })));
    expect(provider.family(huge).length).toBeLessThan(300);
    provider.ownsModel(huge);
  }
  parseDuration(huge);
  parseInstant(huge);
});
