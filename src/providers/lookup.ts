import { closest } from "fastest-levenshtein";
import type { ToldLimit } from "../model/log.ts";
import type { AttemptRecord } from "../model/record.ts";
import { UserError } from "../model/user-error.ts";
import { anthropic } from "./anthropic.ts";
import { generic } from "./generic.ts";
import { PROVIDERS } from "./index.ts";
import { openai } from "./openai.ts";
import type { Provider } from "./provider.ts";

const BY_NAME: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.flatMap((provider) =>
    [provider.id, ...provider.aliases].map((name) => [name, provider] as const),
  ),
);

/** Whose dialect an attempt speaks: by its provider's name, else by its model, else by its headers, else nobody's. */
export function providerOf(record: AttemptRecord): Provider {
  if (record.provider !== null) {
    const named = BY_NAME.get(record.provider) ?? BY_NAME.get(record.provider.toLowerCase());
    // A name that is not known keeps its own limits: its models may look like somebody else's.
    return named ?? generic;
  }
  const { model } = record;
  const owner = model === null ? undefined : PROVIDERS.find((provider) => provider.ownsModel(model));
  return owner ?? byHeaders(record);
}

function byHeaders({ headers }: AttemptRecord): Provider {
  if (headers === null) return generic;
  for (const name of headers.keys()) {
    if (name.startsWith("anthropic-")) return anthropic;
    if (name.startsWith("openai-")) return openai;
  }
  return generic;
}

/**
 * The published limits of a tier, for every model of the provider.
 * @throws UserError for a provider without presets or a tier it does not have
 */
export function presetLimits(providerName: string, tier: string): readonly ToldLimit[] {
  const provider = BY_NAME.get(providerName.toLowerCase());
  const withPresets = PROVIDERS.filter((one) => one.presets.length > 0).map((one) => one.id);
  if (provider === undefined || provider.presets.length === 0)
    throw new UserError(
      `no tier presets for provider "${providerName}"`,
      `Presets exist for ${withPresets.join(", ")}; use --limit for others.`,
    );
  const rows = provider.presets.filter((preset) => preset.tier === tier.toLowerCase());
  const tiers = [...new Set(provider.presets.map((preset) => preset.tier))];
  if (rows.length === 0)
    throw new UserError(
      `provider ${provider.id} has no tier "${tier}"`,
      `Did you mean ${closest(tier, tiers)}? Tiers: ${tiers.join(", ")}.`,
    );
  return rows.flatMap(({ model, limits }) =>
    limits.map(
      ({ dimension, perMinute }): ToldLimit => ({
        model: `${provider.id}/*/${model}`,
        dimension,
        perMinute,
        burst: null,
        source: "preset",
      }),
    ),
  );
}
