import type { RateDimension } from "../model/outcome.ts";
import { parseAmount, parseLeft } from "./amounts.ts";
import type { StatedLimit } from "./provider.ts";

export interface WindowedLimit {
  readonly limit: StatedLimit;
  readonly left: number | null;
}

const LONGEST_TEXT = 400;
const SECONDS_PER_MINUTE = 60;
/** The list form, and gateways that use it under the older name. */
const NAMES: readonly string[] = ["ratelimit-policy", "ratelimit-limit", "x-ratelimit-limit"];

/**
 * `1000, 1000;w=1, 60000;w=60` or `"default";q=100;w=60`: several limits, each with its window in seconds. The tightest
 * one a minute, and what is left of it. A limit without a window could be anything per anything; one with a window of
 * more than a minute says nothing about a minute. Both are left alone.
 */
export function windowedLimit(headers: ReadonlyMap<string, string>): WindowedLimit | null {
  for (const name of NAMES) {
    const text = headers.get(name);
    if (text === undefined || text.length > LONGEST_TEXT || !text.includes("w")) continue;
    const tightest = text
      .split(",")
      .flatMap(policyOf)
      .toSorted((a, b) => a.perMinute - b.perMinute)[0];
    if (tightest === undefined) continue;
    const { dimension, perMinute, quota } = tightest;
    return { limit: { dimension, perMinute, from: "headers" }, left: leftOf(headers, quota) };
  }
  return null;
}

interface Policy {
  readonly dimension: RateDimension;
  readonly quota: number;
  readonly perMinute: number;
}

function policyOf(part: string): Policy[] {
  const seconds = parseAmount(/;\s{0,4}w(?:indow)?=(\d{1,9})/.exec(part)?.[1]);
  const quota = parseAmount(/^\s{0,4}(\d{1,15})/.exec(part)?.[1] ?? /;\s{0,4}q=(\d{1,15})/.exec(part)?.[1]);
  const unit = /;\s{0,4}qu="?([a-z-]{1,20})/.exec(part)?.[1] ?? "requests";
  if (seconds === null || quota === null || seconds > SECONDS_PER_MINUTE) return [];
  if (unit !== "requests" && unit !== "tokens") return [];
  return [{ dimension: unit, quota, perMinute: Math.round((quota * SECONDS_PER_MINUTE) / seconds) }];
}

function leftOf(headers: ReadonlyMap<string, string>, quota: number): number | null {
  const field = /;\s{0,4}r=(\d{1,15})/.exec(headers.get("ratelimit")?.slice(0, LONGEST_TEXT) ?? "")?.[1];
  const left = parseLeft(field ?? headers.get("ratelimit-remaining") ?? headers.get("x-ratelimit-remaining"));
  return left !== null && left <= quota ? left : null;
}
