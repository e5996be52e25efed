import type { ErrorRule } from "./error-rules.ts";
import { bareModel } from "./models.ts";
import { OPENAI_PRESETS } from "./presets-openai.ts";
import type { Provider } from "./provider.ts";
import { type Dialect, readResponse } from "./read.ts";

/** Rate limit and error code guides, August to October 2026. The first rule that fits decides. */
const ERRORS: readonly ErrorRule[] = [
  // Money, whatever the status: the type is insufficient_quota for most of them.
  {
    names: [
      "insufficient_quota",
      "credit_balance_exhausted",
      "organization_spend_limit_exceeded",
      "project_spend_limit_exceeded",
      "organization_usage_limit_exceeded",
      "billing_hard_limit_reached",
    ],
    texts: ["exceeded your current quota", "insufficient_quota"],
    outcome: "quota",
  },
  // The window of a sign-in plan.
  { status: 429, names: ["usage_limit_reached"], texts: ["usage limit"], outcome: "daily" },
  { status: 429, names: ["usage_not_included"], outcome: "permanent" },
  // One call larger than the whole bucket: it carries rate_limit_exceeded, and can never pass.
  { status: 429, texts: ["request too large for", "must be reduced"], outcome: "permanent" },
  // Growth. Older endpoints sent it as 503.
  { status: 429, names: ["slow_down"], texts: ["slow down"], outcome: "acceleration" },
  { status: 503, names: ["slow_down"], texts: ["slow down"], outcome: "acceleration" },
  {
    status: 429,
    texts: ["per day (rpd)", "per day (tpd)", "requests per day", "tokens per day"],
    outcome: "daily",
  },
  { status: 429, texts: ["(rpm)", "requests per min"], outcome: "throttled", dimension: "requests" },
  { status: 429, texts: ["(tpm)", "tokens per min"], outcome: "throttled", dimension: "tokens" },
  { status: 429, texts: ["images per min", "input images per"], outcome: "throttled" },
  // The flex tier without capacity.
  { status: 429, texts: ["resource unavailable"], outcome: "overloaded" },
  { status: 429, names: ["tokens"], outcome: "throttled", dimension: "tokens" },
  { status: 429, names: ["requests"], outcome: "throttled", dimension: "requests" },
  { status: 429, names: ["rate_limit_exceeded"], texts: ["rate limit reached"], outcome: "throttled" },
];

const DIALECT: Dialect = {
  errors: ERRORS,
  limits: [
    {
      dimension: "requests",
      limit: "x-ratelimit-limit-requests",
      remaining: "x-ratelimit-remaining-requests",
      reset: "x-ratelimit-reset-requests",
    },
    { dimension: "tokens", limit: "x-ratelimit-limit-tokens", remaining: "x-ratelimit-remaining-tokens" },
  ],
  orgHeader: "openai-organization",
  workspaceHeader: "openai-project",
};

const OWN =
  /^(?:openai\/)?(?:ft:)?(?:gpt-\d|gpt-image|gpt-realtime|gpt-audio|o[1-9](?:-|$)|chatgpt-|text-embedding-|codex-|dall-e|whisper-|tts-)/i;

/** A model tuned from another draws on the limit of that; a snapshot's month and day (`-0613`) changes nothing either. */
function family(model: string): string {
  const base = /^ft:([^:]{1,80}):/i.exec(model)?.[1] ?? model;
  return bareModel(base).replace(/^((?:gpt|o\d).*)-(?:0\d|1[0-2])[0-3]\d$/, "$1");
}

export const openai: Provider = {
  id: "openai",
  aliases: ["openai-api", "chatopenai"],
  headerPrefix: "openai-",
  ownsModel: (model) => OWN.test(model),
  family,
  read: (record) => readResponse(record, DIALECT),
  presets: OPENAI_PRESETS,
};
