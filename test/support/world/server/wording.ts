import type { Dimension } from "../../../../src/model/outcome.ts";
import type { BillingSpec, LimitId, LimitSpec, ServerSpec } from "../spec.ts";

/** What a limit looks like at the moment of an answer. */
export interface Level {
  readonly limit: LimitSpec;
  /** Whole requests or tokens, never below 0. */
  readonly remaining: number;
  readonly fullInMs: number;
}

/** Everything that an answer can tell. */
export interface Situation {
  readonly server: ServerSpec;
  /** Absolute time of the answer. */
  readonly nowMs: number;
  readonly levels: readonly Level[];
}

export interface Refusal {
  readonly limit: LimitSpec;
  readonly remaining: number;
  readonly requested: number;
  /** What the server tells to wait; null = it tells nothing. */
  readonly hintMs: number | null;
}

export type Headers = { readonly [name: string]: string };

/** The part of a canonical record that the provider writes. */
export interface ErrorFields {
  readonly status: number;
  readonly error_type?: string;
  readonly error_code?: string;
  readonly error_message?: string;
  readonly headers?: Headers;
}

/** How one provider words its answers. */
export interface Wording {
  /** Of every answer, success or refusal; empty = the provider sends none. */
  headers(situation: Situation): Headers;
  throttled(situation: Situation, refusal: Refusal): ErrorFields;
  /** Refused for its growth. */
  tooFast(situation: Situation, hintMs: number | null): ErrorFields;
  overloaded(status: number): ErrorFields;
  broken(): ErrorFields;
  noMoney(words: BillingSpec["words"]): ErrorFields;
  /** The request itself is at fault. */
  bad(status: number): ErrorFields;
}

export const DIMENSION_OF: { readonly [L in LimitId]: Dimension } = {
  requests: "requests",
  tokens: "tokens",
  "input-tokens": "input-tokens",
  "output-tokens": "output-tokens",
  "requests-day": "requests",
  "tokens-day": "tokens",
  concurrency: "concurrency",
};

/** Go's way to write a duration: `120ms`, `1.395s`, `6m0s`, `1h0m0s`. */
export function goDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(1, Math.round(ms))}ms`;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const seconds = Math.round(ms % 60_000) / 1000;
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/** `retry-after` counts whole seconds, rounded up so that nobody comes too early. */
export function wholeSeconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)));
}

/** Levels that this provider states in headers. */
export function stated(situation: Situation): readonly Level[] {
  return situation.levels.filter(
    ({ limit }) => limit.inHeaders !== false && !limit.id.endsWith("-day") && limit.id !== "concurrency",
  );
}
