import { describe, expect, test } from "vitest";
import type { FixSpec } from "../../src/model/fix.ts";
import { describeFix, fixParameters } from "../../src/words/fixes.ts";

const B = "openai/default/gpt-5";

/** A fix, its sentence, and the names of its parameters in their order. */
const CASES: readonly (readonly [FixSpec, string, readonly string[]])[] = [
  [
    { kind: "pace", scope: "agent", agent: "translate", bucket: B, ratePerMinute: 43, burst: 6 },
    "Put one token bucket of 43/min with burst 6 in front of all workers of translate.",
    ["scope", "agent", "bucket", "ratePerMinute", "burst"],
  ],
  [
    { kind: "pace", scope: "bucket", bucket: B, ratePerMinute: 7.5, burst: 1, tokensPerMinute: 24_000 },
    `Put one token bucket of 7.5/min with burst 1, and one of 24,000 tokens/min, in front of everything that calls ${B}.`,
    ["scope", "bucket", "ratePerMinute", "burst", "tokensPerMinute"],
  ],
  [
    {
      kind: "share",
      bucket: B,
      agents: { code: { ratePerMinute: 30, burst: 6 }, "": { ratePerMinute: 10, burst: 2 } },
    },
    `Give each agent on ${B} a token bucket of its own: code 30/min (burst 6) and (untagged) 10/min (burst 2).`,
    ["bucket", "agents"],
  ],
  [
    { kind: "prioritise", bucket: B, critical: ["planner", 0] },
    `Send the calls of planner and priority 0 before all other calls on ${B}.`,
    ["bucket", "critical"],
  ],
  [
    { kind: "age", bucket: B, afterMs: 2_000 },
    `Let a background call on ${B} go first once it has waited 2 s.`,
    ["bucket", "afterMs"],
  ],
  [
    {
      kind: "retry",
      agent: "code",
      bucket: B,
      obeyRetryAfter: true,
      baseMs: 1_000,
      factor: 2,
      capMs: 60_000,
      jitter: "full",
      maxAttempts: 5,
    },
    "Let code wait as long as retry-after says, or else 1 s doubling up to 1 m, drawn at random from zero to that (full jitter), and stop after 5 attempts.",
    ["agent", "bucket", "obeyRetryAfter", "baseMs", "factor", "capMs", "jitter", "maxAttempts"],
  ],
  [
    {
      kind: "retry",
      bucket: B,
      obeyRetryAfter: true,
      baseMs: 60_000,
      factor: 1,
      capMs: 60_000,
      jitter: "added",
      jitterMs: 5_000,
      maxAttempts: 6,
    },
    `Let everything that calls ${B} wait as long as retry-after says, or else 1 m, plus a random extra of up to 5 s, and stop after 6 attempts.`,
    ["bucket", "obeyRetryAfter", "baseMs", "factor", "capMs", "jitter", "jitterMs", "maxAttempts"],
  ],
  [
    {
      kind: "retry",
      bucket: B,
      obeyRetryAfter: true,
      baseMs: 500,
      factor: 1.5,
      capMs: 8_000,
      jitter: "equal",
      maxAttempts: 3,
    },
    `Let everything that calls ${B} wait as long as retry-after says, or else 500 ms growing 1.5x up to 8 s, half of it drawn at random (equal jitter), and stop after 3 attempts.`,
    ["bucket", "obeyRetryAfter", "baseMs", "factor", "capMs", "jitter", "maxAttempts"],
  ],
  [
    { kind: "break", agent: "code", bucket: B, openAfter: 5, windowMs: 10_000, pauseMs: 30_000 },
    "Pause code for 30 s after 5 refusals within 10 s (circuit breaker).",
    ["agent", "bucket", "openAfter", "windowMs", "pauseMs"],
  ],
  [
    { kind: "timeout", waiter: "review", waitsFor: "code", timeoutMs: 300_000 },
    "Let review wait at least 5 m for code.",
    ["waiter", "waitsFor", "timeoutMs"],
  ],
  [
    { kind: "classify", agent: "code", transient: [429, 500, 503, 529], permanent: [400, 401, 403] },
    "Tell passing errors from final ones in code: retry 429, 500, 503 and 529, and fail at once on 400, 401 and 403.",
    ["agent", "transient", "permanent"],
  ],
  [
    { kind: "classify", transient: [429], permanent: [] },
    "Tell passing errors from final ones everywhere: retry 429.",
    ["transient", "permanent"],
  ],
  [
    { kind: "separate", agent: "code", from: "claude-sonnet", to: "claude-haiku" },
    "Move code from claude-sonnet to claude-haiku, so that it draws on a bucket of its own.",
    ["agent", "from", "to"],
  ],
  [
    { kind: "spread", agents: ["a", "b", "c"], overMs: 30_000 },
    "Spread the starts of a, b and c over 30 s instead of one moment.",
    ["agents", "overMs"],
  ],
  [
    { kind: "spread", agents: ["a"], overMs: { startPerMinute: 10, growth: 1.5, everyMs: 900_000 } },
    "Start a at 10/min and raise the rate 1.5x every 15 m.",
    ["agents", "overMs"],
  ],
  [
    { kind: "shrink", agent: "code", maxInputTokens: 20_000 },
    "Keep every call of code at or below 20,000 input tokens.",
    ["agent", "maxInputTokens"],
  ],
  [{ kind: "batch", advice: "Send it as a batch." }, "Send it as a batch.", []],
  [{ kind: "tag", advice: "Tag calls." }, "Tag calls.", []],
  [{ kind: "billing", advice: "Pay." }, "Pay.", []],
  [{ kind: "raise-limit", advice: "Ask for more." }, "Ask for more.", []],
  [{ kind: "one-retry-layer", advice: "Set max_retries to 0." }, "Set max_retries to 0.", []],
];

describe("fixes", () => {
  test.each(CASES)("%o reads as one sentence", (fix, sentence) => {
    expect(describeFix(fix)).toBe(sentence);
  });

  test.each(CASES)("%o has its parameters in their order", (fix, _, names) => {
    const parameters = fixParameters(fix);
    expect(Object.keys(parameters)).toEqual(names);
    expect(fix).toMatchObject(parameters);
  });

  test.each(CASES.filter(([, , names]) => names.length > 0))("%o leaves no parameter out", (fix) => {
    const own = Object.keys(fix).filter((name) => name !== "kind");
    expect(Object.keys(fixParameters(fix)).toSorted()).toEqual(own.toSorted());
  });

  test("many names are counted in the sentence, and kept in the parameters", () => {
    const names = Array.from({ length: 40 }, (_, i) => `w${i}`);
    const fix: FixSpec = { kind: "spread", agents: names, overMs: 1_000 };
    expect(describeFix(fix)).toBe(
      "Spread the starts of w0, w1, w2, w3, w4, w5 and 34 others over 1 s instead of one moment.",
    );
    expect(fixParameters(fix)["agents"]).toBe(names);
  });
});
