import type { Plan } from "./plan.ts";

/** A parsed record before anything is known about it. */
export type JsonObject = { readonly [key: string]: unknown };

export interface Sniff {
  /** 0 = certainly not, 1 = certainly. */
  readonly score: number;
  /** What was seen, in a few words that can stand after "because". */
  readonly why: string;
}

/** One kind of log. Its layout (lines of JSON, a JSON array, CSV) is found apart from it. */
export interface Format {
  /** Kebab-case; equal to its file name. */
  readonly id: string;
  readonly title: string;
  /** What one record stands for: one HTTP request, one call with its retries hidden, or a sum over many. */
  readonly granularity: "attempt" | "call" | "aggregate";
  readonly plan: Plan;
  /** @param records the first records of an input, at least one */
  sniff(records: readonly JsonObject[]): Sniff;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
