import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, REFUSED, refused, told } from "../../test/support/traffic.ts";

const OVER_INPUT = {
  ...REFUSED,
  error_message: "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
};
const OVER_REQUESTS = {
  ...REFUSED,
  error_message: "This request would exceed your organization's rate limit of 50 requests per minute",
};
const OVER_TPM = {
  provider: "openai",
  model: "gpt-4o",
  status: 429,
  error_code: "rate_limit_exceeded",
  error_message:
    "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 40000, Used 39000, Requested 5000. Please try again in 6s.",
};

interface Load {
  readonly tokens: number;
  readonly requests?: number;
  readonly unnamed?: number;
  readonly passed?: number;
  readonly over?: { readonly [field: string]: unknown };
}

/** Refusals of `reader`, by what they name, and after each other calls of `writer` that pass between them. */
function load({ tokens, requests = 0, unnamed = 0, passed = 4, over = OVER_INPUT }: Load): RecordInput[] {
  const reads = { agent: "reader", everyMs: 1_000 };
  const heavy = { input_tokens: 9_000 };
  return [
    ...refused({ ...reads, fromMs: 0, count: tokens, fields: { ...heavy, ...over } }),
    ...refused({ ...reads, fromMs: 100, count: requests, fields: { ...heavy, ...OVER_REQUESTS } }),
    ...refused({ ...reads, fromMs: 200, count: unnamed, fields: heavy }),
    ...attempts({ agent: "writer", fromMs: 307, everyMs: 40, count: passed, fields: { input_tokens: 250 } }),
  ];
}

/** What a refusal says is left. */
function left(requests: number, tokens: number): { readonly [field: string]: unknown } {
  return {
    ...REFUSED,
    headers: {
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": String(requests),
      "anthropic-ratelimit-input-tokens-limit": "30000",
      "anthropic-ratelimit-input-tokens-remaining": String(tokens),
    },
  };
}

export const cases: RuleCases = {
  loud: [
    {
      name: "a fifth of the calls carries nearly all tokens, and the error names input tokens",
      log: () => load({ tokens: 6, passed: 24 }),
      expect: {
        outcome: "found",
        agents: ["reader"],
        severity: "error",
        message: "agent",
        fixKinds: ["pace", "separate"],
        numbers: {
          tokenRefusals: 6,
          refusals: 6,
          shareOfTokens: 54_000 / 60_000,
          shareOfCalls: 6 / 30,
        },
        // The error text states the limit.
        fix: { scope: "bucket", tokensPerMinute: 30_000 },
      },
    },
    {
      name: "OpenAI names TPM",
      log: () => load({ tokens: 6, over: OVER_TPM, passed: 0 }),
      expect: { outcome: "found", agents: ["reader"], fix: { tokensPerMinute: 40_000 } },
    },
    {
      name: "no tokens are told, so nobody is named",
      log: () => load({ tokens: 6 }).map((record) => ({ ...record, input_tokens: undefined })),
      expect: { outcome: "found", agents: [], message: "bucket", fixKinds: ["pace"] },
    },
    {
      name: "untagged traffic has most of the tokens, so nobody is named",
      log: () =>
        load({ tokens: 6 }).map((record) =>
          record["agent"] === "reader" ? { ...record, agent: undefined } : record,
        ),
      expect: { outcome: "found", agents: [], message: "bucket" },
    },
    {
      name: "the error names nothing, but requests are left and tokens are not",
      log: () => load({ tokens: 6, over: left(31, 0) }),
      expect: { outcome: "found", agents: ["reader"] },
    },
    {
      name: "input and output tokens are refused in turn, beside some requests",
      log: () => [
        ...load({ tokens: 4, requests: 5 }),
        ...refused({
          agent: "reader",
          fromMs: 407,
          everyMs: 1_000,
          count: 3,
          fields: { ...REFUSED, error_message: "rate limit of 8,000 output tokens per minute" },
        }),
      ],
      expect: {
        outcome: "found",
        numbers: { tokenRefusals: 7, refusals: 12 },
        fix: { tokensPerMinute: 30_000 },
      },
    },
    {
      name: "two incidents of one bucket are one finding, the worse one is told",
      log: () => [
        ...load({ tokens: 6 }),
        ...refused({ agent: "reader", fromMs: 900_000, everyMs: 1_000, count: 8, fields: OVER_INPUT }),
      ],
      expect: { outcome: "found", agents: [], numbers: { tokenRefusals: 8 } },
    },
    {
      name: "two agents at once, each heavy on a bucket of its own",
      log: () => [
        ...load({ tokens: 6 }),
        ...refused({
          agent: "planner",
          fromMs: 17,
          everyMs: 900,
          count: 7,
          fields: { ...OVER_INPUT, model: "claude-haiku-4-5", input_tokens: 5_000 },
        }),
      ],
      expect: { outcome: "found", agents: ["reader", "planner"] },
    },
  ],
  quiet: [
    {
      name: "the request limit refuses, however heavy the calls",
      log: () => load({ tokens: 0, requests: 12 }),
      expect: { outcome: "clear" },
    },
    {
      name: "the error names nothing and no headers tell",
      log: () => load({ tokens: 0, unnamed: 12 }),
      expect: { outcome: "unknown" },
    },
    {
      name: "the error names nothing and no requests are left",
      log: () => load({ tokens: 6, over: left(0, 0) }),
      expect: { outcome: "clear" },
    },
    {
      name: "the tokens rose too fast, and are far under their limit",
      log: () =>
        load({
          tokens: 12,
          over: {
            ...REFUSED,
            error_code: "ramp_limit_exceeded",
            error_message:
              "This request would exceed your organization's maximum usage increase rate for input tokens per minute.",
          },
        }),
      expect: { outcome: "clear" },
    },
    {
      name: "a limit of tokens per day: pacing by the minute cannot help",
      log: () =>
        load({
          tokens: 6,
          over: { ...OVER_TPM, error_message: "Rate limit reached on tokens per day (TPD): Limit 200000" },
        }),
      expect: { outcome: "clear" },
    },
    {
      name: "nothing was refused",
      log: () => load({ tokens: 0, passed: 60 }),
      expect: { outcome: "clear" },
    },
    {
      name: "five refusals in over 500 attempts, all passed later",
      log: () => [
        ...load({ tokens: 5 }),
        // The same calls again: they pass.
        ...attempts({ agent: "reader", fromMs: 0, everyMs: 1_000, count: 5 }).map((record) => ({
          ...record,
          ts: String(record.ts).replace("T09:00:", "T09:01:"),
          attempt: 2,
        })),
        ...attempts({ agent: "writer", fromMs: 200_000, everyMs: 1_000, count: 500 }),
      ],
      expect: { outcome: "found", severity: "info" },
    },
  ],
  edge: [
    {
      name: "minShare: 5 of 11",
      log: () => load({ tokens: 5, requests: 6 }),
      expect: { outcome: "clear" },
    },
    {
      name: "minShare: 5 of 10",
      log: () => load({ tokens: 5, requests: 5 }),
      expect: { outcome: "found", agents: ["reader"] },
    },
    {
      name: "maxRequestLoad: 19 of 20 requests pass in a minute",
      log: () => load({ tokens: 6, passed: 19 }),
      told: [told(20, null)],
      expect: { outcome: "clear" },
    },
    {
      name: "maxRequestLoad: 18 of 20 requests pass in a minute",
      log: () => load({ tokens: 6, passed: 18 }),
      told: [told(20, null)],
      expect: { outcome: "found", agents: ["reader"] },
    },
    {
      name: "minRefusals: four",
      log: () => load({ tokens: 4 }),
      expect: { outcome: "clear" },
    },
    {
      name: "minRefusals: five",
      log: () => load({ tokens: 5 }),
      expect: { outcome: "found", agents: ["reader"] },
    },
    {
      name: "too little data: one refusal",
      log: () => load({ tokens: 1, passed: 0 }),
      expect: { outcome: "clear" },
    },
  ],
};
