import { closest, distance } from "fastest-levenshtein";
import type { ToldLimit } from "../model/log.ts";
import type { AttemptRecord } from "../model/record.ts";
import { UserError } from "../model/user-error.ts";
import { generic } from "./generic.ts";
import { PROVIDERS } from "./index.ts";
import type { Provider } from "./provider.ts";

const BY_NAME: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.flatMap((provider) =>
    [provider.id, ...provider.aliases].map((name) => [name, provider] as const),
  ),
);

/** Whose dialect an attempt speaks: by its provider's name, else by its model, else by its headers, else nobody's. */
export function providerOf(record: AttemptRecord): Provider {
  const { provider, model, headers } = record;
  // A name that is not known keeps its own limits: its models and headers may look like somebody else's.
  if (provider !== null) return BY_NAME.get(provider) ?? byName(provider) ?? generic;
  if (model !== null) {
    const owner = PROVIDERS.find((one) => one.ownsModel(model));
    if (owner !== undefined) return owner;
  }
  return (headers === null ? undefined : byHeaders(headers)) ?? generic;
}

/** Libraries name a provider with its interface: `anthropic.messages`, `openai.responses`. */
function byName(name: string): Provider | undefined {
  const lower = name.toLowerCase().trim();
  return BY_NAME.get(lower) ?? BY_NAME.get(lower.split(/[./:]/, 1)[0] ?? "");
}

function byHeaders(headers: ReadonlyMap<string, string>): Provider | undefined {
  for (const name of headers.keys()) {
    const owner = PROVIDERS.find(
      ({ headerPrefix }) => headerPrefix !== null && name.startsWith(headerPrefix),
    );
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/**
 * The published limits of a tier, for every model of the provider.
 * @throws UserError for a provider without presets, or a tier that it does not have
 */
export function presetLimits(providerName: string, tier: string): readonly ToldLimit[] {
  const provider = withPresets(providerName);
  const wanted = tier.toLowerCase().trim();
  const rows = provider.presets.filter((preset) => preset.tier === wanted);
  if (rows.length === 0) {
    const tiers = [...new Set(provider.presets.map((preset) => preset.tier))];
    throw new UserError(
      `provider ${provider.id} has no tier "${tier}"`,
      `${didYouMean(wanted, tiers)}Tiers: ${tiers.join(", ")}.`,
    );
  }
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

function withPresets(name: string): Provider {
  const provider = byName(name);
  if (provider !== undefined && provider.presets.length > 0) return provider;
  const names = PROVIDERS.filter((one) => one.presets.length > 0).map((one) => one.id);
  throw new UserError(
    `no tier presets for provider "${name}"`,
    `${didYouMean(name.toLowerCase(), names)}Presets exist for ${names.toSorted().join(", ")}; use --limit for others.`,
  );
}

/** A near miss only: a far guess is worse than none. */
function didYouMean(word: string, known: readonly string[]): string {
  const near = closest(word, [...known]);
  return distance(word, near) <= Math.max(2, Math.floor(near.length / 3)) ? `Did you mean "${near}"? ` : "";
}
