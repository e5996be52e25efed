// Generated from the files beside this one: npm run gen.
import type { Rule } from "../src/model/rule.ts";
import { rule as concurrencyNotRate } from "./concurrency-not-rate/rule.ts";
import { rule as fanOutOverLimit } from "./fan-out-over-limit/rule.ts";
import { rule as greedyAgent } from "./greedy-agent/rule.ts";
import { rule as high429Ratio } from "./high-429-ratio/rule.ts";
import { rule as permanentErrorRetried } from "./permanent-error-retried/rule.ts";
import { rule as providerOverloaded } from "./provider-overloaded/rule.ts";
import { rule as quotaExhausted } from "./quota-exhausted/rule.ts";
import { rule as retryAfterIgnored } from "./retry-after-ignored/rule.ts";
import { rule as retryStorm } from "./retry-storm/rule.ts";
import { rule as shortTimeout } from "./short-timeout/rule.ts";
import { rule as tokenLimit } from "./token-limit/rule.ts";
import { rule as transientAsFatal } from "./transient-as-fatal/rule.ts";
import { rule as unjitteredRetries } from "./unjittered-retries/rule.ts";
import { rule as untaggedTraffic } from "./untagged-traffic/rule.ts";

export const RULES: readonly Rule[] = [
  concurrencyNotRate,
  fanOutOverLimit,
  greedyAgent,
  high429Ratio,
  permanentErrorRetried,
  providerOverloaded,
  quotaExhausted,
  retryAfterIgnored,
  retryStorm,
  shortTimeout,
  tokenLimit,
  transientAsFatal,
  unjitteredRetries,
  untaggedTraffic,
];
