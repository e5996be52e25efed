import type { LimitId } from "../spec.ts";
import { openai, reached } from "./openai.ts";
import { wholeSeconds, type Wording } from "./wording.ts";

const NAMES: { readonly [L in LimitId]: string } = {
  requests: "requests per minute (RPM)",
  tokens: "tokens per minute (TPM)",
  "input-tokens": "tokens per minute (TPM)",
  "output-tokens": "tokens per minute (TPM)",
  "requests-day": "requests per day (RPD)",
  "tokens-day": "tokens per day (TPD)",
  concurrency: "concurrent requests",
};

/** OpenAI's shapes, with whole seconds only and its own words for the limits. */
export const groq: Wording = {
  ...openai,
  throttled: (situation, refusal) => ({
    status: 429,
    error_type: refusal.limit.id.startsWith("requests") ? "requests" : "tokens",
    error_code: "rate_limit_exceeded",
    error_message: reached(situation, refusal, NAMES[refusal.limit.id]),
    headers: {
      ...openai.headers(situation),
      ...(refusal.hintMs === null ? {} : { "retry-after": wholeSeconds(refusal.hintMs) }),
    },
  }),
};
