import type { BillingSpec, LimitId } from "../spec.ts";
import {
  type ErrorFields,
  goDuration,
  type Headers,
  type Refusal,
  stated,
  type Situation,
  wholeSeconds,
  type Wording,
} from "./wording.ts";

const NAMES: { readonly [L in LimitId]: string } = {
  requests: "requests per min (RPM)",
  tokens: "tokens per min (TPM)",
  "input-tokens": "tokens per min (TPM)",
  "output-tokens": "tokens per min (TPM)",
  "requests-day": "requests per day (RPD)",
  "tokens-day": "tokens per day (TPD)",
  concurrency: "concurrent requests",
};

const BAD: { readonly [status: number]: readonly [type: string, code: string | null, message: string] } = {
  400: ["invalid_request_error", null, "Invalid value for 'messages[1].content': expected a string."],
  401: ["invalid_request_error", "invalid_api_key", "Incorrect API key provided."],
  403: ["invalid_request_error", "unsupported_country_region_territory", "Country not supported."],
  404: [
    "invalid_request_error",
    "model_not_found",
    "The model does not exist or you do not have access to it.",
  ],
  413: ["invalid_request_error", null, "Request body too large."],
  429: ["requests", "rate_limit_exceeded", "This model is not enabled for your project."],
};

const MONEY: { readonly [W in BillingSpec["words"]]: readonly [code: string, message: string] } = {
  "insufficient-quota": [
    "insufficient_quota",
    "You exceeded your current quota, please check your plan and billing details.",
  ],
  "credit-balance": ["credit_balance_exhausted", "Your credit balance is exhausted. Please add credits."],
  "spend-limit": ["organization_spend_limit_exceeded", "Your organization has reached its spend limit."],
};

function headersOf(situation: Situation): Headers {
  const headers: { [name: string]: string } = {};
  for (const { limit, remaining, fullInMs } of stated(situation)) {
    const name = limit.id === "requests" ? "requests" : "tokens";
    headers[`x-ratelimit-limit-${name}`] = String(limit.amount);
    headers[`x-ratelimit-remaining-${name}`] = String(remaining);
    headers[`x-ratelimit-reset-${name}`] = goDuration(fullInMs);
  }
  return headers;
}

function hinted(situation: Situation, hintMs: number | null): Headers {
  if (hintMs === null) return headersOf(situation);
  const wait = { "retry-after": wholeSeconds(hintMs), "retry-after-ms": String(hintMs) };
  return { ...headersOf(situation), ...wait };
}

/** The sentence that Groq took over, with its own words for the dimension. */
export function reached(
  situation: Situation,
  { limit, remaining, requested, hintMs }: Refusal,
  name: string,
): string {
  const { server } = situation;
  const full = server.texts === "full";
  const where = full ? ` for ${server.model} in organization ${server.org ?? "org-K2f8"}` : "";
  const used = full ? `, Used ${Math.max(0, limit.amount - remaining)}, Requested ${requested}` : "";
  const again = hintMs === null ? "" : ` Please try again in ${secondsOf(hintMs)}.`;
  const more = full ? " Visit https://platform.openai.com/account/rate-limits to learn more." : "";
  return `Rate limit reached${where} on ${name}: Limit ${limit.amount}${used}.${again}${more}`;
}

function secondsOf(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(2)}s` : goDuration(ms);
}

function throttled(situation: Situation, refusal: Refusal): ErrorFields {
  const { limit, requested, hintMs } = refusal;
  const tooLarge = requested > limit.capacity;
  const message = tooLarge
    ? `Request too large for ${situation.server.model} in organization ${situation.server.org ?? "org-K2f8"} on ${NAMES[limit.id]}: Limit ${limit.amount}, Requested ${requested}. The input or output tokens must be reduced in order to run successfully.`
    : reached(situation, refusal, NAMES[limit.id]);
  return {
    status: 429,
    error_type: limit.id.startsWith("requests") ? "requests" : "tokens",
    error_code: "rate_limit_exceeded",
    error_message: message,
    headers: tooLarge ? headersOf(situation) : hinted(situation, hintMs),
  };
}

export const openai: Wording = {
  headers: headersOf,
  throttled,
  tooFast: (situation, hintMs) => ({
    status: 429,
    error_type: "rate_limit_error",
    error_code: "slow_down",
    error_message: "Slow down. Your requests are increasing too quickly; please ramp up more gradually.",
    headers: hinted(situation, hintMs),
  }),
  overloaded: (status) => ({
    status,
    error_type: "service_unavailable_error",
    error_code: "server_is_overloaded",
    error_message: "The server is currently overloaded. Please try again later.",
  }),
  broken: () => ({
    status: 500,
    error_type: "server_error",
    error_message: "The server had an error while processing your request. Sorry about that!",
  }),
  noMoney: (words) => {
    const [error_code, error_message] = MONEY[words];
    return { status: 429, error_type: "insufficient_quota", error_code, error_message };
  },
  bad: (status) => {
    const [error_type, error_code, error_message] = BAD[status] ?? [
      "invalid_request_error",
      null,
      "Invalid request.",
    ];
    return { status, error_type, error_message, ...(error_code === null ? {} : { error_code }) };
  },
};
