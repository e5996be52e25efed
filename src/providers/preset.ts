import type { RateDimension } from "../model/outcome.ts";
import type { Preset } from "./provider.ts";

/** The same limits for each of these model families, in one tier. */
export function presets(
  tier: string,
  seen: string,
  limits: readonly (readonly [RateDimension, number])[],
  families: readonly string[],
): readonly Preset[] {
  return families.map((model) => ({
    tier,
    model,
    limits: limits.map(([dimension, perMinute]) => ({ dimension, perMinute })),
    seen,
  }));
}
