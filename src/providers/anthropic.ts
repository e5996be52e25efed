import type { AttemptRecord } from "../model/record.ts";
import type { ErrorRule } from "./error-rules.ts";
import type { LimitHeader } from "./limit-headers.ts";
import { bareModel } from "./models.ts";
import { ANTHROPIC_PRESETS } from "./presets-anthropic.ts";
import type { Provider, Reading } from "./provider.ts";
import { type Dialect, readResponse } from "./read.ts";

/** Rate limits and errors pages, August to October 2026, and the SDK of November 2026. The first rule that fits decides. */
const ERRORS: readonly ErrorRule[] = [
  // Before the input-token rule: the text of a ramp refusal also says "input tokens per minute".
  {
    status: 429,
    names: ["ramp_limit_exceeded"],
    texts: ["acceleration limit", "maximum usage increase rate", "more gradually"],
    outcome: "acceleration",
    dimension: "input-tokens",
  },
  // The tier's cap: no retry-after, until the month turns.
  {
    status: 429,
    names: ["enforced_spend_limit_reached", "contract_spend_limit_reached"],
    texts: ["monthly api usage threshold"],
    outcome: "quota",
  },
  // The cap that the customer set, and an empty account: both come as 400.
  {
    status: 400,
    texts: [
      "specified api usage limits",
      "specified workspace api usage limits",
      "credit balance is too low",
    ],
    outcome: "quota",
  },
  {
    status: 429,
    texts: ["input tokens per minute", "number of request tokens has exceeded"],
    outcome: "throttled",
    dimension: "input-tokens",
  },
  { status: 429, texts: ["output tokens per minute"], outcome: "throttled", dimension: "output-tokens" },
  {
    status: 429,
    texts: ["requests per minute", "number of requests has exceeded"],
    outcome: "throttled",
    dimension: "requests",
  },
  { status: 429, texts: ["concurrent connections"], outcome: "throttled", dimension: "concurrency" },
  // A subscription's window, not a key's limit.
  {
    status: 429,
    texts: ["usage limit reached", "session limit", "weekly limit", "hour limit reached"],
    outcome: "daily",
  },
  { status: 429, names: ["rate_limit_error"], outcome: "throttled" },
];

function header(dimension: LimitHeader["dimension"], name: string, roundedTo: number): LimitHeader {
  return {
    dimension,
    limit: `anthropic-ratelimit-${name}-limit`,
    remaining: `anthropic-ratelimit-${name}-remaining`,
    roundedTo,
  };
}

/** `-reset` headers are left out: they name the instant when a bucket is full again. */
const DIALECT: Dialect = {
  errors: ERRORS,
  limits: [
    header("requests", "requests", 1),
    // Before `tokens`, which is whichever token limit is tightest at the moment.
    header("input-tokens", "input-tokens", 1_000),
    header("output-tokens", "output-tokens", 1_000),
    header("tokens", "tokens", 1_000),
  ],
  orgHeader: "anthropic-organization-id",
  workspaceHeader: "anthropic-workspace-id",
};

/** Where the sentence is missing, one header still tells a subscription's window from a key's limit. */
function read(record: AttemptRecord): Reading {
  const reading = readResponse(record, DIALECT);
  const isUnnamed = reading.outcome === "throttled" && reading.dimension === "unknown";
  const isWindow =
    isUnnamed && record.headers?.get("anthropic-ratelimit-unified-status")?.toLowerCase() === "rejected";
  return isWindow ? { ...reading, outcome: "daily" } : reading;
}

/**
 * Generations whose members draw on one limit. The page of October 2026 lists 4.5 and newer; the releases before them,
 * which it no longer lists, shared the same limits.
 */
const SHARED: readonly (readonly [name: RegExp, family: string])[] = [
  [/^opus-4(?:-[0-8])?$/, "claude-opus-4.x"],
  [/^sonnet-4(?:-[0-6])?$/, "claude-sonnet-4.x"],
  [/^fable-5(?:-1)?$/, "claude-fable-5.x"],
  [/^mythos-5(?:-1)?$/, "claude-mythos-5.x"],
];

const CLASS = /^(?:claude-)?((?:opus|sonnet|haiku|fable|mythos)(?:-.*)?)$/;
const VERSION_FIRST = /^(?:claude-)?(\d(?:-\d)?)-(opus|sonnet|haiku)$/;

/** `claude-sonnet-4.5`, `sonnet-4-5` and `claude-3-5-haiku[1m]` are written in one way: class, then version. */
function family(model: string): string {
  const bare = bareModel(model.replace(/\[[^\]]{0,20}\]$|:(?:beta|thinking)$/i, ""))
    .replace(/(\d)\.(\d)/g, "$1-$2")
    .replace(VERSION_FIRST, "claude-$2-$1");
  const named = CLASS.exec(bare)?.[1];
  if (named === undefined) return bare;
  return SHARED.find(([name]) => name.test(named))?.[1] ?? `claude-${named}`;
}

const OWN = /(?:^|[/.])claude(?:-|$)/i;

export const anthropic: Provider = {
  id: "anthropic",
  aliases: ["claude", "anthropic-api", "chatanthropic"],
  headerPrefix: "anthropic-",
  ownsModel: (model) => OWN.test(model),
  family,
  read,
  presets: ANTHROPIC_PRESETS,
};
