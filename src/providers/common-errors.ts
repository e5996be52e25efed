import type { ErrorRule } from "./error-rules.ts";

/**
 * What errors mean where the provider is unknown or has no rule of its own. Order matters: the first that fits decides.
 * Money words count only beside no word of a rate: one vendor writes "check your plan and billing details" on ordinary
 * per-minute limits.
 */
export const COMMON_ERRORS: readonly ErrorRule[] = [
  { status: 429, texts: ["over available tpm"], match: "message", outcome: "throttled", dimension: "tokens" },
  {
    status: 429,
    texts: ["over available rpm"],
    match: "message",
    outcome: "throttled",
    dimension: "requests",
  },
  {
    status: 429,
    type: "budget_exceeded",
    texts: ["exceeded budget", "budget has been exceeded"],
    match: "message",
    outcome: "quota",
  },
  { status: 429, texts: ["perday", "per day", "(rpd)", "(tpd)"], match: "message", outcome: "daily" },
  { status: 429, texts: ["limit: 0", 'quota_limit_value": "0"'], match: "message", outcome: "quota" },
  {
    status: 429,
    texts: ["tokens per min", "tokens_per_min", "tokensperminute", "(tpm)", "token rate limit"],
    match: "message",
    outcome: "throttled",
    dimension: "tokens",
  },
  {
    status: 429,
    texts: ["requests per min", "requests_per_min", "requestsperminute", "(rpm)", "call rate limit"],
    match: "message",
    outcome: "throttled",
    dimension: "requests",
  },
  {
    status: 429,
    texts: ["concurrent", "concurrency", "parallel requests"],
    match: "message",
    outcome: "throttled",
    dimension: "concurrency",
  },
  // Bare words name a rate but not which one; they come before the money words, after the named dimensions.
  {
    status: 429,
    texts: ["too many requests", "rate limit", "ratelimit", "perminute", "per minute"],
    match: "message",
    outcome: "throttled",
  },
  { status: 429, code: "insufficient_quota", match: "code", outcome: "quota" },
  {
    status: 429,
    texts: ["insufficient_quota", "billing", "credit balance", "insufficient balance", "payment"],
    match: "message",
    outcome: "quota",
  },
  { status: 402, match: "status", outcome: "quota" },
  { status: 429, match: "status", outcome: "throttled" },
  { status: 413, match: "status", outcome: "permanent" },
];
