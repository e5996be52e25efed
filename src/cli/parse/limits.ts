import type { ToldLimit } from "../../model/log.ts";
import type { RateDimension } from "../../model/outcome.ts";
import { UserError } from "../../model/user-error.ts";
import { presetLimits } from "../../providers/lookup.ts";
import { didYouMean } from "./suggest.ts";

const DIMENSION_OF: { readonly [key: string]: RateDimension } = {
  rpm: "requests",
  tpm: "tokens",
  itpm: "input-tokens",
  otpm: "output-tokens",
};
const KEYS = [...Object.keys(DIMENSION_OF), "burst"];
const EXAMPLE = "Write --limit MODEL:rpm=50,itpm=30000,burst=5, with * for every model.";

/**
 * `MODEL:rpm=50,itpm=30000,burst=5`. The burst belongs to the requests. A model name may hold colons of its own.
 * @throws UserError for anything else
 */
export function parseLimit(text: string): readonly ToldLimit[] {
  const colon = text.lastIndexOf(":");
  if (colon <= 0) throw new UserError(`--limit ${text}: no model before a colon`, EXAMPLE);
  const model = text.slice(0, colon);
  const numbers = new Map(
    text
      .slice(colon + 1)
      .split(",")
      .map((pair) => keyAndNumber(text, pair)),
  );
  const burst = numbers.get("burst") ?? null;
  const limits = [...numbers].flatMap(([key, perMinute]): ToldLimit[] => {
    const dimension = DIMENSION_OF[key];
    if (dimension === undefined) return [];
    return [
      { model, dimension, perMinute, burst: dimension === "requests" ? burst : null, source: "config" },
    ];
  });
  if (limits.length === 0) throw new UserError(`--limit ${text}: no rate`, EXAMPLE);
  if (burst !== null && !numbers.has("rpm"))
    throw new UserError(
      `--limit ${text}: burst without rpm`,
      "The burst is counted in requests: give rpm too.",
    );
  return limits;
}

function keyAndNumber(text: string, pair: string): readonly [string, number] {
  const [key = "", value = ""] = pair.split("=", 2);
  if (!KEYS.includes(key))
    throw new UserError(
      `--limit ${text}: unknown key "${key}"`,
      `${didYouMean(key, KEYS)}Known keys: ${KEYS.join(", ")}.`,
    );
  if (!/^\d{1,15}(?:\.\d{1,6})?$/.test(value) || Number(value) <= 0)
    throw new UserError(`--limit ${text}: ${key} is "${value}", not a number above 0`, EXAMPLE);
  return [key, Number(value)];
}

/**
 * `anthropic:start`.
 * @throws UserError for an unknown provider or tier
 */
export function parseTier(text: string): readonly ToldLimit[] {
  const [provider = "", tier = ""] = text.split(":", 2);
  if (tier === "")
    throw new UserError(
      `--tier ${text}: no tier after a colon`,
      "Write --tier PROVIDER:TIER, e.g. anthropic:start.",
    );
  return presetLimits(provider, tier);
}
