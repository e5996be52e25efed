import type { ErrorRule } from "./error-rules.ts";

/**
 * What errors mean where the provider is unknown or has no rule of its own: the sentences of gateways and of providers that
 * have no file here. Order matters. What a status means by itself (401, 404, 500, ...) needs no rule.
 */
export const COMMON_ERRORS: readonly ErrorRule[] = [
  // A gateway's own answers.
  {
    names: ["budget_exceeded", "budgetexceedederror"],
    texts: ["exceeded budget", "budget has been exceeded"],
    outcome: "quota",
  },
  { status: 429, texts: ["over available tpm"], outcome: "throttled", dimension: "tokens" },
  { status: 429, texts: ["over available rpm"], outcome: "throttled", dimension: "requests" },
  // Passes when calls in flight have ended; every other 402 is money.
  { status: 402, names: ["in_flight_budget_exhausted"], outcome: "throttled", dimension: "concurrency" },
  { names: ["billing_error", "billing_hard_limit_reached", "insufficient_balance"], outcome: "quota" },

  // One call larger than the bucket says "tokens per minute" too, and can never pass.
  { status: 429, texts: ["request too large", "must be reduced"], outcome: "permanent" },
  {
    status: 429,
    names: ["service_tier_capacity_exceeded", "capacity_exceeded", "model_capacity_exhausted"],
    texts: [
      "service tier capacity exceeded",
      "temporarily unable to process",
      "experiencing high demand",
      "model_capacity_exhausted",
      "resource exhausted. please try again later",
    ],
    outcome: "overloaded",
  },
  {
    status: 429,
    names: ["dynamic_request_limited"],
    texts: ["request rate is too high"],
    outcome: "acceleration",
    dimension: "requests",
  },
  { status: 429, names: ["dynamic_token_limited"], outcome: "acceleration", dimension: "tokens" },
  {
    status: 429,
    names: ["slow_down", "ramp_limit_exceeded"],
    texts: ["acceleration limit", "increased too quickly"],
    outcome: "acceleration",
  },

  // A limit of 0 is a model that is not enabled, whatever minute or day it speaks of.
  {
    status: 429,
    texts: ["limit: 0", 'quotavalue": "0"', 'quotavalue":"0"', 'quota_limit_value": "0"', "limit_value: 0"],
    outcome: "quota",
  },
  {
    status: 429,
    names: ["insufficient_balance"],
    texts: [
      "prepayment credits",
      "insufficient balance",
      "credit balance",
      "can only afford",
      "free usage quota",
      "spending cap",
      "spend limit",
      "spending limit",
      "calls / month",
      "per month",
      "余额不足",
    ],
    outcome: "quota",
  },
  {
    status: 429,
    names: ["usage_limit_reached"],
    texts: [
      "perday",
      "per day",
      "per-day",
      "per_day",
      "(rpd)",
      "(tpd)",
      "daily limit",
      "daily quota",
      "daily request",
      "daily token",
      "usage limit reached",
      "weekly limit",
      "session limit",
    ],
    outcome: "daily",
  },

  {
    status: 429,
    texts: [
      "input tokens per min",
      "inputtokenspermodelperminute",
      "input_token_count",
      "input_tokens_per_minute",
    ],
    outcome: "throttled",
    dimension: "input-tokens",
  },
  {
    status: 429,
    texts: ["output tokens per min", "output_tokens_per_minute"],
    outcome: "throttled",
    dimension: "output-tokens",
  },
  {
    status: 429,
    texts: [
      "tokens per min",
      "tokens_per_min",
      "tokensperminute",
      "(tpm)",
      "token rate limit",
      "too many tokens",
    ],
    outcome: "throttled",
    dimension: "tokens",
  },
  {
    status: 429,
    texts: [
      "requests per min",
      "requests_per_min",
      "requestsperminute",
      "per minute request limit",
      "models-per-min",
      "(rpm)",
      "call rate limit",
      "api calls / minute",
      "requests per second",
      "too many requests, please wait",
      "free_tier_requests",
      "paid_tier_requests",
    ],
    outcome: "throttled",
    dimension: "requests",
  },
  // After tokens and requests: some gateways say "parallel requests" whatever limit was hit.
  {
    status: 429,
    texts: ["concurrent", "concurrency", "parallel request"],
    outcome: "throttled",
    dimension: "concurrency",
  },
  { status: 429, names: ["tokens"], outcome: "throttled", dimension: "tokens" },
  { status: 429, names: ["requests", "model_rate_limit"], outcome: "throttled", dimension: "requests" },

  // Money words come last: one vendor writes "check your plan and billing details" on ordinary per-minute limits, which
  // it also gives a name or a wait. "Too many requests" is no such sign: it stands above billing errors as well.
  { status: 429, texts: ["perminute", "per minute", "per second"], outcome: "throttled" },
  { status: 429, names: ["insufficient_quota"], texts: ["insufficient_quota"], outcome: "quota" },
  {
    status: 429,
    names: [
      "resource_exhausted",
      "resource-exhausted",
      "resourceexhausted",
      "rate_limit_error",
      "throttlingexception",
    ],
    texts: [
      "rate limit",
      "rate_limit",
      "ratelimit",
      "rate-limit",
      "resource has been exhausted",
      "resource_exhausted",
      "try again in",
      "retry in",
      "retrydelay",
      "请求过于频繁",
    ],
    outcome: "throttled",
  },
  { status: 429, texts: ["quota", "billing", "credit", "payment"], outcome: "quota" },

  // Limits of money under other statuses.
  {
    status: 400,
    names: ["servicequotaexceededexception", "failed_precondition"],
    texts: ["credit balance", "usage limits", "usage cap", "spend limit", "spending limit"],
    outcome: "quota",
  },
  { status: 403, texts: ["quota", "credits", "spending limit"], outcome: "quota" },

  // Lack of capacity under other statuses.
  {
    status: 500,
    texts: ["overloaded", "no slots available", "pending queue full", "server busy"],
    outcome: "overloaded",
  },
  { status: 200, texts: ['finish_reason":"error', 'finish_reason": "error'], outcome: "server-error" },
];
