import { COMMON_ERRORS } from "./common-errors.ts";
import type { ErrorRule } from "./error-rules.ts";
import type { LimitHeader } from "./limit-headers.ts";
import { bareModel } from "./models.ts";
import { ANTHROPIC_PRESETS } from "./presets-anthropic.ts";
import type { Provider } from "./provider.ts";
import { type Dialect, readResponse } from "./read.ts";

/** Rate limits and errors pages, August to October 2026, and the SDK of November 2026. The first rule that fits decides. */
const ERRORS: readonly ErrorRule[] = [
  // Before the input-token rule: the text of a ramp refusal also says "input tokens per minute".
  {
    status: 429,
    code: "ramp_limit_exceeded",
    texts: ["acceleration limit", "maximum usage increase rate", "more gradually"],
    match: "codeOrMessage",
    outcome: "acceleration",
    dimension: "input-tokens",
  },
  {
    status: 429,
    code: "enforced_spend_limit_reached",
    texts: ["monthly api usage threshold"],
    match: "codeOrMessage",
    outcome: "quota",
  },
  { status: 429, code: "contract_spend_limit_reached", match: "code", outcome: "quota" },
  { status: 402, match: "status", outcome: "quota" },
  {
    status: 400,
    texts: [
      "specified api usage limits",
      "specified workspace api usage limits",
      "credit balance is too low",
    ],
    match: "message",
    outcome: "quota",
  },
  {
    status: 429,
    texts: ["input tokens per minute", "number of request tokens has exceeded"],
    match: "message",
    outcome: "throttled",
    dimension: "input-tokens",
  },
  {
    status: 429,
    texts: ["output tokens per minute"],
    match: "message",
    outcome: "throttled",
    dimension: "output-tokens",
  },
  {
    status: 429,
    texts: ["requests per minute", "number of requests has exceeded"],
    match: "message",
    outcome: "throttled",
    dimension: "requests",
  },
  {
    status: 429,
    texts: ["concurrent connections"],
    match: "message",
    outcome: "throttled",
    dimension: "concurrency",
  },
  {
    status: 429,
    texts: ["usage limit reached", "session limit", "weekly limit"],
    match: "message",
    outcome: "daily",
  },
  { status: 429, type: "rate_limit_error", match: "type", outcome: "throttled" },
  { status: 529, match: "status", type: "overloaded_error", outcome: "overloaded" },
  // An error event inside an opened stream: the status was 200 already.
  { status: 200, type: "overloaded_error", match: "type", outcome: "overloaded" },
  { status: 504, type: "timeout_error", match: "status", outcome: "timeout" },
  { status: 500, type: "api_error", match: "status", outcome: "server-error" },
  { status: 413, type: "request_too_large", match: "status", outcome: "permanent" },
  { status: 409, type: "conflict_error", match: "status", outcome: "permanent" },
  { status: 400, type: "invalid_request_error", match: "type", outcome: "permanent" },
  { status: 401, type: "authentication_error", match: "status", outcome: "permanent" },
  { status: 403, type: "permission_error", match: "status", outcome: "permanent" },
  { status: 404, type: "not_found_error", match: "status", outcome: "permanent" },
];

const header = (dimension: LimitHeader["dimension"], name: string): LimitHeader => ({
  dimension,
  limit: `anthropic-ratelimit-${name}-limit`,
  remaining: `anthropic-ratelimit-${name}-remaining`,
});

const DIALECT: Dialect = {
  errors: ERRORS,
  common: COMMON_ERRORS,
  limits: [
    header("requests", "requests"),
    header("input-tokens", "input-tokens"),
    header("output-tokens", "output-tokens"),
    header("tokens", "tokens"),
  ],
  tokens: ["input-tokens", "tokens"],
  orgHeader: "anthropic-organization-id",
  workspaceHeader: "anthropic-workspace-id",
};

/** Model generations whose members draw on one limit, as the rate limits page lists them. */
const SHARED: readonly { readonly family: string; readonly members: readonly string[] }[] = [
  { family: "claude-opus-4.x", members: ["opus-4-8", "opus-4-7", "opus-4-6", "opus-4-5"] },
  { family: "claude-sonnet-4.x", members: ["sonnet-4-6", "sonnet-4-5"] },
  { family: "claude-fable-5.x", members: ["fable-5-1", "fable-5"] },
  { family: "claude-mythos-5.x", members: ["mythos-5-1", "mythos-5"] },
];

function family(model: string): string {
  // `claude-sonnet-4.5` and `claude-sonnet-4-5` name one model.
  const bare = bareModel(model).replace(/(\d)\.(\d)/g, "$1-$2");
  const shared = SHARED.find(({ members }) =>
    members.some((member) => bare === `claude-${member}` || bare === member),
  );
  return shared?.family ?? bare;
}

export const anthropic: Provider = {
  id: "anthropic",
  aliases: ["claude", "anthropic-api", "chatanthropic"],
  ownsModel: (model) => bareModel(model).startsWith("claude"),
  family,
  read: (record) => readResponse(record, DIALECT),
  presets: ANTHROPIC_PRESETS,
};
