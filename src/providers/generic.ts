import type { AttemptRecord } from "../model/record.ts";
import type { LimitHeader } from "./limit-headers.ts";
import { bareModel } from "./models.ts";
import type { Provider, Reading } from "./provider.ts";
import { type Dialect, readResponse } from "./read.ts";
import { windowedLimit } from "./windowed-limits.ts";

/** Compatible providers and gateways borrow one of the two big dialects; a proxy hands the upstream's on with a prefix. */
function borrowed(prefix: string): readonly LimitHeader[] {
  const anthropic = (dimension: LimitHeader["dimension"]): LimitHeader => ({
    dimension,
    limit: `${prefix}anthropic-ratelimit-${dimension}-limit`,
    remaining: `${prefix}anthropic-ratelimit-${dimension}-remaining`,
    roundedTo: 1_000,
  });
  const openai = (dimension: LimitHeader["dimension"]): LimitHeader => ({
    dimension,
    limit: `${prefix}x-ratelimit-limit-${dimension}`,
    remaining: `${prefix}x-ratelimit-remaining-${dimension}`,
  });
  return [
    // Some count requests a day under this name: the reset header tells.
    { ...openai("requests"), reset: `${prefix}x-ratelimit-reset-requests` },
    openai("tokens"),
    anthropic("requests"),
    anthropic("input-tokens"),
    anthropic("output-tokens"),
  ];
}

const DIALECT: Dialect = {
  errors: [],
  limits: [
    ...borrowed(""),
    ...borrowed("llm_provider-"),
    {
      dimension: "requests",
      limit: "x-ratelimit-limit-req-minute",
      remaining: "x-ratelimit-remaining-req-minute",
    },
    {
      dimension: "tokens",
      limit: "x-ratelimit-limit-tokens-minute",
      remaining: "x-ratelimit-remaining-tokens-minute",
    },
  ],
  orgHeader: "x-organization-id",
  workspaceHeader: "x-project-id",
};

function read(record: AttemptRecord): Reading {
  const reading = readResponse(record, DIALECT);
  const windowed = record.headers === null ? null : windowedLimit(record.headers);
  if (windowed === null) return reading;
  const { limit, left } = windowed;
  if (reading.limits.some(({ dimension, from }) => dimension === limit.dimension && from === "headers"))
    return reading;
  const others = reading.limits.filter(({ dimension }) => dimension !== limit.dimension);
  return {
    ...reading,
    limits: [...others, limit],
    remainingRequests: reading.remainingRequests ?? (limit.dimension === "requests" ? left : null),
    remainingTokens: reading.remainingTokens ?? (limit.dimension === "tokens" ? left : null),
  };
}

/** Everybody whose dialect is not known better: statuses, common words, borrowed headers. */
export const generic: Provider = {
  id: "generic",
  aliases: [],
  headerPrefix: null,
  ownsModel: () => false,
  family: bareModel,
  read,
  presets: [],
};
