import type { LimitId } from "../spec.ts";
import {
  type ErrorFields,
  type Headers,
  stated,
  type Situation,
  wholeSeconds,
  type Wording,
} from "./wording.ts";

const NAMES: { readonly [L in LimitId]: string } = {
  requests: "requests per minute",
  tokens: "tokens per minute",
  "input-tokens": "input tokens per minute",
  "output-tokens": "output tokens per minute",
  "requests-day": "requests per day",
  "tokens-day": "tokens per day",
  concurrency: "concurrent connections",
};

const HELP =
  " For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.";

const BAD: { readonly [status: number]: readonly [type: string, message: string] } = {
  400: ["invalid_request_error", "messages.1: all messages must have non-empty content"],
  401: ["authentication_error", "invalid x-api-key"],
  403: ["permission_error", "Your API key does not have permission to use the specified resource."],
  404: ["not_found_error", "model: no such model"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  // An entitlement, not a rate: no header comes with it.
  429: ["rate_limit_error", "Extra usage is required for long context requests."],
};

function headersOf(situation: Situation): Headers {
  const headers: { [name: string]: string } = {};
  for (const { limit, remaining, fullInMs } of stated(situation)) {
    const name = `anthropic-ratelimit-${limit.id}`;
    const rounded = limit.id === "requests" ? remaining : Math.round(remaining / 1000) * 1000;
    headers[`${name}-limit`] = String(limit.amount);
    headers[`${name}-remaining`] = String(rounded);
    headers[`${name}-reset`] = rfc3339(situation.nowMs + fullInMs);
  }
  return headers;
}

/** 40000 -> `40,000`. */
function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** To the second, as the provider writes its resets. */
function rfc3339(ms: number): string {
  return `${new Date(Math.ceil(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

function hinted(situation: Situation, hintMs: number | null): Headers {
  return { ...headersOf(situation), ...(hintMs === null ? {} : { "retry-after": wholeSeconds(hintMs) }) };
}

function noMoney(words: string): ErrorFields {
  if (words === "spend-limit")
    return {
      status: 400,
      error_type: "invalid_request_error",
      error_message:
        "You have reached your specified API usage limits. You will regain access on 2026-07-01 at 00:00 UTC.",
    };
  return {
    status: 400,
    error_type: "invalid_request_error",
    error_message:
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  };
}

export const anthropic: Wording = {
  headers: headersOf,
  throttled: (situation, { limit, hintMs }) => {
    const { org, texts, model } = situation.server;
    const who = texts === "full" ? ` (org: ${org ?? "5d0a4a2e"}, model: ${model})` : "";
    const sentence =
      limit.id === "concurrency"
        ? "Number of concurrent connections has exceeded your rate limit. Please try again later."
        : `This request would exceed your organization's rate limit of ${grouped(limit.amount)} ${NAMES[limit.id]}${who}.`;
    return {
      status: 429,
      error_type: "rate_limit_error",
      error_message: texts === "full" ? sentence + HELP : sentence,
      headers: hinted(situation, hintMs),
    };
  },
  tooFast: (situation, hintMs) => ({
    status: 429,
    error_type: "rate_limit_error",
    error_code: "ramp_limit_exceeded",
    error_message:
      "This request would exceed your organization's maximum usage increase rate for requests per minute. Please scale up your requests more gradually to stay within the acceleration limit.",
    headers: hinted(situation, hintMs),
  }),
  overloaded: (status) => ({ status, error_type: "overloaded_error", error_message: "Overloaded" }),
  broken: () => ({ status: 500, error_type: "api_error", error_message: "Internal server error" }),
  noMoney,
  bad: (status) => {
    const [error_type, error_message] = BAD[status] ?? ["invalid_request_error", "invalid request"];
    return { status, error_type, error_message };
  },
};
