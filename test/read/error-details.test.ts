import { expect, test } from "vitest";
import { outcomeAt } from "../../src/measure/attempts.ts";
import { readLog } from "../../src/read/read.ts";
import { inputOf } from "../../src/read/source.ts";

/** How a hand-made log line with this error object is understood. */
async function failed(provider: string, status: number, error: unknown): Promise<string> {
  const line = JSON.stringify({ timestamp: "2026-06-01T10:00:00Z", provider, status, error });
  const log = await readLog([inputOf("hand-made", [Buffer.from(`${line}\n`)])]);
  return outcomeAt(log.attempts, 0);
}

test("a ramp limit that only the details name is no rate limit", async () => {
  const error = {
    type: "rate_limit_error",
    message: "This request would exceed your limit",
    details: { error_code: "ramp_limit_exceeded" },
  };
  expect(await failed("anthropic", 429, error)).toBe("acceleration");
});

test("a spend cap that only the details name is no rate limit", async () => {
  const error = {
    type: "rate_limit_error",
    message: "Limit reached",
    details: { error_code: "enforced_spend_limit_reached" },
  };
  expect(await failed("anthropic", 429, { type: "error", error })).toBe("quota");
});

test("a quota per day that only the details name is no limit per minute", async () => {
  const quota = (quotaId: string): unknown => ({
    code: 429,
    status: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota, please check your plan and billing details.",
    details: [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId, quotaValue: "20" }] },
    ],
  });
  expect(await failed("google", 429, quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"))).toBe(
    "daily",
  );
  expect(await failed("google", 429, quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"))).toBe(
    "throttled",
  );
});
