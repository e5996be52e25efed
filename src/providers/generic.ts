import { COMMON_ERRORS } from "./common-errors.ts";
import { bareModel } from "./models.ts";
import type { AttemptRecord } from "../model/record.ts";
import { parseAmount, parseLeft } from "./limit-headers.ts";
import type { Provider, Reading, StatedLimit } from "./provider.ts";
import { type Dialect, readResponse } from "./read.ts";

/** Many gateways and compatible providers borrow one of the two big dialects; both are looked for. */
const DIALECT: Dialect = {
  errors: [],
  common: COMMON_ERRORS,
  limits: [
    {
      dimension: "requests",
      limit: "x-ratelimit-limit-requests",
      remaining: "x-ratelimit-remaining-requests",
    },
    { dimension: "tokens", limit: "x-ratelimit-limit-tokens", remaining: "x-ratelimit-remaining-tokens" },
    {
      dimension: "requests",
      limit: "anthropic-ratelimit-requests-limit",
      remaining: "anthropic-ratelimit-requests-remaining",
    },
    {
      dimension: "input-tokens",
      limit: "anthropic-ratelimit-input-tokens-limit",
      remaining: "anthropic-ratelimit-input-tokens-remaining",
    },
  ],
  tokens: ["tokens", "input-tokens"],
  orgHeader: "x-organization-id",
  workspaceHeader: "x-project-id",
};

const SECONDS_PER_MINUTE = 60;

/**
 * `ratelimit-limit: 1000, 1000;w=1, 60000;w=60`: several limits, each with its window in seconds. A limit whose window is not
 * told could be anything per anything and is left alone.
 */
function windowedLimit(headers: ReadonlyMap<string, string>): StatedLimit | null {
  const text = headers.get("ratelimit-limit") ?? headers.get("ratelimit-policy");
  if (text === undefined || text.length > 400) return null;
  const limits = text.split(",").flatMap((part) => {
    const window = parseAmount(/;\s*w=(\d{1,9})/.exec(part)?.[1]);
    const amount = parseAmount(/^\s*(\d[\d]*)/.exec(part)?.[1] ?? /;\s*q=(\d{1,12})/.exec(part)?.[1]);
    return window === null || amount === null ? [] : [(amount * SECONDS_PER_MINUTE) / window];
  });
  return limits.length === 0
    ? null
    : { dimension: "requests", perMinute: Math.round(Math.min(...limits)), from: "headers" };
}

function read(record: AttemptRecord): Reading {
  const reading = readResponse(record, DIALECT);
  if (record.headers === null || reading.limits.some((limit) => limit.dimension === "requests"))
    return reading;
  const limit = windowedLimit(record.headers);
  if (limit === null) return reading;
  const left = parseLeft(record.headers.get("ratelimit-remaining"));
  return {
    ...reading,
    limits: [...reading.limits, limit],
    remainingRequests: reading.remainingRequests ?? left,
  };
}

/** Everybody whose dialect is not known better: statuses, common words, borrowed headers. */
export const generic: Provider = {
  id: "generic",
  aliases: [],
  ownsModel: () => false,
  family: bareModel,
  read,
  presets: [],
};
