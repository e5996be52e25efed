import type { RateDimension } from "../model/outcome.ts";
import type { Preset } from "./provider.ts";

/** One row of a provider's table of tiers. */
export function preset(
  tier: string,
  model: string,
  seen: string,
  ...limits: readonly (readonly [RateDimension, number])[]
): Preset {
  return { tier, model, limits: limits.map(([dimension, perMinute]) => ({ dimension, perMinute })), seen };
}
