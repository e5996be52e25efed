import type { RateDimension } from "../model/outcome.ts";
import type { StatedLimit } from "./provider.ts";

/** Where a provider writes a limit and what is left of it. */
export interface LimitHeader {
  readonly dimension: RateDimension;
  readonly limit: string;
  readonly remaining: string;
}

/** A whole number that a limit can be: `1000`, `2,000,000`, `50K`, `2M`; null for anything else, 0 and negative included. */
export function parseAmount(text: string | undefined): number | null {
  if (text === undefined || text.length > 20) return null;
  const match = /^\s*~?(\d[\d,]*(?:\.\d+)?)\s*([kKmM])?\s*$/.exec(text);
  if (match === null) return null;
  const factor = match[2] === undefined ? 1 : match[2].toLowerCase() === "k" ? 1_000 : 1_000_000;
  const amount = Number((match[1] ?? "").replaceAll(",", "")) * factor;
  return amount > 0 ? Math.round(amount) : null;
}

/** What is left: 0 is a value here, negative is not. */
export function parseLeft(text: string | undefined): number | null {
  if (text === undefined) return null;
  return /^\s*0+\s*$/.test(text) ? 0 : parseAmount(text);
}

export function statedLimits(
  headers: ReadonlyMap<string, string>,
  known: readonly LimitHeader[],
): StatedLimit[] {
  const found: StatedLimit[] = [];
  for (const { dimension, limit } of known) {
    const perMinute = parseAmount(headers.get(limit));
    if (perMinute !== null) found.push({ dimension, perMinute, from: "headers" });
  }
  return found;
}

/** What is left in the first header that tells a possible value: more than the limit itself is none. */
export function leftOf(
  headers: ReadonlyMap<string, string>,
  known: readonly LimitHeader[],
  dimensions: readonly RateDimension[],
): number | null {
  for (const dimension of dimensions) {
    const header = known.find((one) => one.dimension === dimension);
    if (header === undefined) continue;
    const left = parseLeft(headers.get(header.remaining));
    const limit = parseAmount(headers.get(header.limit));
    if (left !== null && (limit === null || left <= limit)) return left;
  }
  return null;
}

const PER_MINUTE: readonly { readonly dimension: RateDimension; readonly words: readonly string[] }[] = [
  { dimension: "input-tokens", words: ["input tokens per minute", "input tokens per min"] },
  { dimension: "output-tokens", words: ["output tokens per minute", "output tokens per min"] },
  { dimension: "tokens", words: ["(tpm)", "tokens per min"] },
  { dimension: "requests", words: ["(rpm)", "requests per min"] },
];

/** `rate limit of 50 requests per minute`, `(TPM): Limit 30000, Used ...`. Only where the sentence names a minute. */
export function messageLimit(message: string | null): StatedLimit | null {
  if (message === null) return null;
  const lower = message.slice(0, 2_000).toLowerCase();
  const named = PER_MINUTE.find(({ words }) => words.some((word) => lower.includes(word)));
  if (named === undefined || lower.includes("per day")) return null;
  const found = /(?:limit:? |limit of |limit\(s\) of )(\d[\d,]{0,14})/.exec(lower);
  const perMinute = parseAmount(found?.[1]);
  return perMinute === null ? null : { dimension: named.dimension, perMinute, from: "message" };
}
