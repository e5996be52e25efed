import { COMMON_ERRORS } from "./common-errors.ts";
import type { ErrorRule } from "./error-rules.ts";
import { bareModel } from "./models.ts";
import { OPENAI_PRESETS } from "./presets-openai.ts";
import type { Provider } from "./provider.ts";
import { type Dialect, readResponse } from "./read.ts";

/** Rate limit and error code guides, August to October 2026. The first rule that fits decides. */
const ERRORS: readonly ErrorRule[] = [
  { status: 429, code: "credit_balance_exhausted", match: "code", outcome: "quota" },
  { status: 429, code: "organization_spend_limit_exceeded", match: "code", outcome: "quota" },
  { status: 429, code: "project_spend_limit_exceeded", match: "code", outcome: "quota" },
  { status: 429, code: "organization_usage_limit_exceeded", match: "code", outcome: "quota" },
  { status: 429, code: "billing_hard_limit_reached", match: "code", outcome: "quota" },
  {
    status: 429,
    code: "insufficient_quota",
    texts: ["exceeded your current quota"],
    match: "codeOrMessage",
    outcome: "quota",
  },
  {
    status: 429,
    code: "usage_limit_reached",
    texts: ["usage limit"],
    match: "codeOrMessage",
    outcome: "daily",
  },
  { status: 429, code: "usage_not_included", match: "code", outcome: "permanent" },
  // One request larger than the whole bucket: it carries rate_limit_exceeded, and can never pass.
  {
    status: 429,
    texts: ["request too large for", "must be reduced"],
    match: "message",
    outcome: "permanent",
    dimension: "tokens",
  },
  { status: 429, code: "slow_down", texts: ["slow down"], match: "codeOrMessage", outcome: "acceleration" },
  { status: 503, code: "slow_down", texts: ["slow down"], match: "codeOrMessage", outcome: "acceleration" },
  {
    status: 429,
    texts: ["per day (rpd)", "per day (tpd)", "requests per day", "tokens per day"],
    match: "message",
    outcome: "daily",
  },
  {
    status: 429,
    texts: ["(rpm)", "requests per min"],
    match: "message",
    outcome: "throttled",
    dimension: "requests",
  },
  {
    status: 429,
    texts: ["(tpm)", "tokens per min"],
    match: "message",
    outcome: "throttled",
    dimension: "tokens",
  },
  { status: 429, texts: ["images per min", "input images per"], match: "message", outcome: "throttled" },
  { status: 429, texts: ["resource unavailable"], match: "message", outcome: "overloaded" },
  { status: 429, type: "tokens", match: "type", outcome: "throttled", dimension: "tokens" },
  { status: 429, type: "requests", match: "type", outcome: "throttled", dimension: "requests" },
  {
    status: 429,
    code: "rate_limit_exceeded",
    texts: ["rate limit reached"],
    match: "codeOrMessage",
    outcome: "throttled",
  },
  {
    status: 503,
    code: "server_is_overloaded",
    texts: ["overloaded"],
    match: "codeOrMessage",
    outcome: "overloaded",
  },
  // An error event inside an opened stream: the status was 200 already.
  {
    status: 200,
    code: "server_is_overloaded",
    texts: ["overloaded"],
    match: "codeOrMessage",
    outcome: "overloaded",
  },
  { status: 500, type: "server_error", match: "status", outcome: "server-error" },
  { status: 400, type: "invalid_request_error", match: "type", outcome: "permanent" },
];

const DIALECT: Dialect = {
  errors: ERRORS,
  common: COMMON_ERRORS,
  limits: [
    {
      dimension: "requests",
      limit: "x-ratelimit-limit-requests",
      remaining: "x-ratelimit-remaining-requests",
    },
    { dimension: "tokens", limit: "x-ratelimit-limit-tokens", remaining: "x-ratelimit-remaining-tokens" },
  ],
  tokens: ["tokens"],
  orgHeader: "openai-organization",
  workspaceHeader: "openai-project",
};

const OWN = /^(?:gpt-|o[1-9](?:-|$)|chatgpt-|text-embedding-|codex-|dall-e|whisper|tts-)/;

export const openai: Provider = {
  id: "openai",
  aliases: ["openai-api", "chatopenai", "openai.chat", "openai.responses"],
  ownsModel: (model) => OWN.test(bareModel(model)),
  family: bareModel,
  read: (record) => readResponse(record, DIALECT),
  presets: OPENAI_PRESETS,
};
