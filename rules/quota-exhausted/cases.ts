import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, refused } from "../../test/support/traffic.ts";

type Fields = { readonly [field: string]: unknown };

const OPENAI = { provider: "openai", model: "gpt-4o", api_key_id: "key_1" };
const NO_QUOTA = { ...OPENAI, status: 429, error_code: "insufficient_quota", duration_ms: 60 };

/** Refused for money, one every ten seconds. */
function unpaid(count: number, fields: Fields = {}, fromMs: number = 0): RecordInput[] {
  return attempts({
    agent: "code",
    fromMs,
    everyMs: 10_000,
    count,
    fields: { ...NO_QUOTA, ...fields },
  });
}

function paid(count: number, fromMs: number, fields: Fields = {}): RecordInput[] {
  return attempts({ agent: "code", fromMs, everyMs: 10_000, count, fields: { ...OPENAI, ...fields } });
}

/** Refused from the first call on, and nothing says why. */
function blind(count: number, everyMs: number, fields: Fields = {}): RecordInput[] {
  return refused({ agent: "code", fromMs: 0, everyMs, count, fields });
}

/** A billing code between two successes that are so far apart. */
function between(apartMs: number): RecordInput[] {
  return [...paid(1, 0), ...unpaid(6, {}, 100_000), ...paid(1, apartMs)];
}

export const cases: RuleCases = {
  loud: [
    {
      name: "no attempt passes, and the code names the quota",
      log: () => unpaid(4),
      expect: {
        outcome: "found",
        agents: [],
        severity: "error",
        message: "billing",
        fixKinds: ["billing"],
        numbers: { refused: 4, successes: 0 },
      },
    },
    {
      name: "one refusal for money is enough",
      log: () => unpaid(1),
      expect: { outcome: "found", numbers: { refused: 1 } },
    },
    {
      name: "the credit runs out on the way",
      log: () => [...paid(20, 0), ...unpaid(12, {}, 200_000)],
      expect: { outcome: "found", message: "billing", numbers: { refused: 12, successes: 20 } },
    },
    {
      name: "HTTP 400 with a sentence about credit",
      log: () =>
        unpaid(4, {
          provider: "anthropic",
          model: "claude-sonnet-4-6",
          status: 400,
          error_code: undefined,
          error_type: "invalid_request_error",
          error_message: "Your credit balance is too low to access the API. Please go to Plans & Billing.",
        }),
      expect: { outcome: "found", message: "billing" },
    },
    {
      name: "HTTP 402",
      log: () => unpaid(4, { provider: "acme", model: "acme-1", status: 402, error_code: undefined }),
      expect: { outcome: "found", message: "billing" },
    },
    {
      name: "two keys and two agents of one account are one finding",
      log: () => [...unpaid(4), ...unpaid(3, { api_key_id: "key_2", agent: "review" }, 5_000)],
      expect: { outcome: "found", agents: [], numbers: { refused: 7 } },
    },
    {
      name: "two accounts are two findings",
      log: () => [...unpaid(4, { org_id: "a" }), ...unpaid(6, { org_id: "b" }, 5_000)],
      expect: { outcome: "found", numbers: { refused: 6 } },
    },
    {
      name: "refused from the first call on, calmly, and nothing says why",
      log: () => blind(8, 10_000),
      expect: {
        outcome: "found",
        agents: [],
        severity: "warning",
        message: "unexplained",
        // 0, 10, .. 70 s; 6 of them in any minute.
        numbers: { refused: 8, span: 70_000, peak: 6 },
      },
    },
  ],
  quiet: [
    {
      name: "a billing code for a limit that refills: the key passes a minute before and after",
      log: () => [...paid(3, 0), ...unpaid(3, {}, 30_000), ...paid(3, 60_000)],
      expect: { outcome: "clear" },
    },
    {
      name: "a limit per minute whose text says: check your plan and billing details",
      log: () =>
        unpaid(20, {
          provider: "acme",
          model: "acme-1",
          error_code: undefined,
          error_message:
            "You exceeded your current quota, please check your plan and billing details. Quota exceeded for requests per minute.",
        }),
      expect: { outcome: "clear" },
    },
    {
      name: "refused from the first call on, with a hint",
      log: () => blind(8, 10_000, { retry_after_ms: 4_000 }),
      expect: { outcome: "clear" },
    },
    {
      name: "refused from the first call on, with a limit in the headers",
      log: () => blind(8, 10_000, { headers: { "anthropic-ratelimit-requests-limit": "50" } }),
      expect: { outcome: "clear" },
    },
    {
      name: "refused from the first call on, and the error names requests per minute",
      log: () => blind(8, 10_000, { error_message: "rate limit of 50 requests per minute" }),
      expect: { outcome: "clear" },
    },
    {
      name: "refused from the first call on, but one passed",
      log: () => [
        ...blind(8, 10_000),
        ...attempts({ agent: "review", fromMs: 35_000, everyMs: 1, count: 1 }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "requests that never work are no question of money",
      log: () => blind(8, 10_000, { status: 400, error_type: "invalid_request_error" }),
      expect: { outcome: "clear" },
    },
    {
      name: "a limit per day",
      log: () =>
        unpaid(8, {
          error_code: "rate_limit_exceeded",
          error_message: "Limit reached on requests per day (RPD)",
        }),
      expect: { outcome: "clear" },
    },
  ],
  edge: [
    {
      name: "outageMs: nothing passes for five minutes",
      log: () => between(300_000),
      expect: { outcome: "clear" },
    },
    {
      name: "outageMs: nothing passes for longer",
      log: () => between(300_001),
      expect: { outcome: "found", message: "billing", numbers: { refused: 6, successes: 2 } },
    },
    { name: "minUnexplained: four", log: () => blind(4, 20_000), expect: { outcome: "clear" } },
    {
      name: "minUnexplained: five",
      log: () => blind(5, 20_000),
      expect: { outcome: "found", message: "unexplained" },
    },
    { name: "minSpanMs: just under a minute", log: () => blind(6, 11_999), expect: { outcome: "clear" } },
    {
      name: "minSpanMs: a minute",
      log: () => blind(6, 12_000),
      expect: { outcome: "found", message: "unexplained", numbers: { span: 60_000 } },
    },
    {
      name: "calmPerMinute: 31 in a minute",
      log: () => blind(40, 1_990),
      expect: { outcome: "clear" },
    },
    {
      name: "calmPerMinute: 30 in a minute",
      log: () => blind(40, 2_000),
      expect: { outcome: "found", message: "unexplained", numbers: { peak: 30 } },
    },
    {
      name: "too little data: one refusal that says nothing",
      log: () => blind(1, 1_000),
      expect: { outcome: "clear" },
    },
  ],
};
