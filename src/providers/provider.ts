import type { Dimension, Outcome, RateDimension } from "../model/outcome.ts";
import type { AttemptRecord } from "../model/record.ts";
import type { DurationMs } from "../model/time.ts";

/** What a response meant, once the provider's dialect is understood. */
export interface Reading {
  readonly outcome: Outcome;
  /** `unknown` unless the outcome is `throttled` or `acceleration`. */
  readonly dimension: Dimension;
  /** The server's hint; null = none, or none that is a valid wait. */
  readonly retryAfterMs: DurationMs | null;
  readonly limits: readonly StatedLimit[];
  /** What was left after this request; null = not told or impossible (negative, above its limit). */
  readonly remainingRequests: number | null;
  readonly remainingTokens: number | null;
  /** Owner of the limit, where a header names it. */
  readonly orgId: string | null;
  readonly workspaceId: string | null;
}

export interface StatedLimit {
  readonly dimension: RateDimension;
  readonly perMinute: number;
  readonly from: "headers" | "message";
}

/** Published limits of one tier for one model family, per minute. */
export interface Preset {
  /** As `--tier PROVIDER:TIER` names it. */
  readonly tier: string;
  /** Glob over model families. */
  readonly model: string;
  readonly limits: readonly { readonly dimension: RateDimension; readonly perMinute: number }[];
  /** When the figures were published, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly seen: string;
}

/** One model provider: everything that its dialect of "no" needs. Data, with small functions. */
export interface Provider {
  /** Lower case; equal to its file name. */
  readonly id: string;
  /** Other spellings of `provider` in logs, lower case, e.g. `azure_openai`. */
  readonly aliases: readonly string[];
  /**
   * Headers that begin with it are this provider's own, lower case; null = it has none. Used only where the log names
   * neither provider nor model.
   */
  readonly headerPrefix: string | null;
  /** Does this model name belong to this provider? Used only where the log names no provider. */
  ownsModel(model: string): boolean;
  /** The models that draw on one limit, by the name of the group; the model itself where it has its own. */
  family(model: string): string;
  /** Response -> meaning. Body before status. Pure. */
  read(record: AttemptRecord): Reading;
  readonly presets: readonly Preset[];
}
