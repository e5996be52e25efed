import type { RateDimension } from "../model/outcome.ts";
import { parseAmount } from "./amounts.ts";
import type { StatedLimit } from "./provider.ts";

/** The most particular first: "input tokens per minute" is also "tokens per minute". */
const PER_MINUTE: readonly { readonly dimension: RateDimension; readonly words: readonly string[] }[] = [
  { dimension: "input-tokens", words: ["input tokens per min", "input token per min"] },
  { dimension: "output-tokens", words: ["output tokens per min", "output token per min"] },
  { dimension: "tokens", words: ["(tpm)", "tokens per min", " tpm"] },
  { dimension: "requests", words: ["(rpm)", "requests per min", "request per min", " rpm"] },
];

const PER_DAY: readonly string[] = ["per day", "perday", "(rpd)", "(tpd)"];
const LONGEST_TEXT = 2_000;
const STATED =
  /\blimit(?:\(s\))?(?: of |: ?| )((?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,6})?(?: ?[km]\b)?)/;
/** `Requests per Minute (actual/limit): 2/2`. */
const FRACTION = /\(actual\/limit\): ?\d{1,15}\/(\d{1,15})/;

/** `rate limit of 50 requests per minute`, `(TPM): Limit 30,000, Used ...`. Only where the sentence names a minute. */
export function textLimit(message: string): StatedLimit | null {
  const text = message.slice(0, LONGEST_TEXT).toLowerCase();
  const named = PER_MINUTE.find(({ words }) => words.some((word) => text.includes(word)));
  if (named === undefined || PER_DAY.some((word) => text.includes(word))) return null;
  const perMinute = parseAmount((FRACTION.exec(text) ?? STATED.exec(text))?.[1]);
  return perMinute === null ? null : { dimension: named.dimension, perMinute, from: "message" };
}
