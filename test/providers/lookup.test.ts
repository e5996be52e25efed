import { describe, expect, test } from "vitest";
import { UserError } from "../../src/model/user-error.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { presetLimits, providerOf } from "../../src/providers/lookup.ts";
import { attempt, type Told } from "./support.ts";

describe("whose dialect", () => {
  const cases: readonly (readonly [what: string, told: Told, id: string])[] = [
    ["a name", { provider: "anthropic" }, "anthropic"],
    ["its case and blanks", { provider: " OpenAI " }, "openai"],
    ["an alias", { provider: "ChatAnthropic" }, "anthropic"],
    ["with its interface", { provider: "openai.responses" }, "openai"],
    ["another interface", { provider: "anthropic.messages" }, "anthropic"],
    ["another vendor of the same models", { provider: "az.ai.openai" }, "generic"],
    ["azure", { provider: "azure-openai", model: "gpt-4o" }, "generic"],
    ["bedrock", { provider: "bedrock", model: "claude-sonnet-4-5" }, "generic"],
    ["no name but a model", { model: "claude-sonnet-4-5" }, "anthropic"],
    ["with a vendor", { model: "anthropic/claude-opus-5" }, "anthropic"],
    ["another model", { model: "gpt-5.2" }, "openai"],
    ["reasoning", { model: "o3-mini" }, "openai"],
    ["tuned", { model: "ft:gpt-4o:acme::1" }, "openai"],
    ["open weights are nobody's", { model: "gpt-oss-120b" }, "generic"],
    ["somebody's", { model: "gemini-2.5-flash" }, "generic"],
    ["headers", { headers: { date: "x", "anthropic-ratelimit-requests-limit": "5" } }, "anthropic"],
    ["headers of another", { headers: { "openai-organization": "acme" } }, "openai"],
    ["headers that many send", { headers: { "x-ratelimit-limit-requests": "5" } }, "generic"],
    ["an unknown model with headers", { model: "m", headers: { "openai-project": "p" } }, "openai"],
    ["nothing", {}, "generic"],
    ["a name from a prototype", { provider: "constructor" }, "generic"],
  ];
  test.each(cases)("%s", (_, told, id) => expect(providerOf(attempt(told)).id).toBe(id));
});

describe("registry", () => {
  test("no name means two providers", () => {
    const names = PROVIDERS.flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(names.map((name) => name.toLowerCase()));
  });

  test("no model has two owners, so that the order does not matter", () => {
    for (const model of [
      "claude-3-5-haiku",
      "gpt-4o",
      "o1",
      "openai/gpt-5",
      "anthropic.claude-opus-5",
      "llama-3",
    ])
      expect(PROVIDERS.filter((provider) => provider.ownsModel(model)).length).toBeLessThanOrEqual(1);
  });
});

describe("presets", () => {
  test("a tier as limits of every bucket of its models", () => {
    const limits = presetLimits("anthropic", "legacy-tier-1").filter(({ model }) => model.includes("sonnet"));
    expect(limits).toEqual(
      (
        [
          ["requests", 50],
          ["input-tokens", 30_000],
          ["output-tokens", 8_000],
        ] as const
      ).map(([dimension, perMinute]) => ({
        model: "anthropic/*/claude-sonnet-4.x",
        dimension,
        perMinute,
        burst: null,
        source: "preset",
      })),
    );
  });

  test.each([
    ["anthropic", "start", 30],
    ["anthropic", "Scale", 30],
    ["claude", "legacy-tier-4", 9],
    ["openai", "grow", 8],
    ["openai", "tier-1", 22],
  ])("%s:%s has %i limits", (provider, tier, count) =>
    expect(presetLimits(provider, tier)).toHaveLength(count),
  );

  test.each([
    ["openai", "tier-5", "openai/*/gpt-4o", "tokens", 30_000_000],
    ["openai", "build", "openai/*/gpt-6.1-sol", "requests", 5_000],
    ["openai", "tier-2", "openai/*/gpt-4.1-mini-long-context", "requests", 500],
    ["anthropic", "build", "anthropic/*/claude-fable-5.x", "input-tokens", 1_500_000],
    ["anthropic", "start", "anthropic/*/claude-haiku-3-5", "output-tokens", 20_000],
  ])("%s:%s %s %s", (provider, tier, model, dimension, perMinute) => {
    const found = presetLimits(provider, tier).filter(
      (limit) => limit.model === model && limit.dimension === dimension,
    );
    expect(found.map((limit) => limit.perMinute)).toEqual([perMinute]);
  });

  test("each tier states a model's limit once, says when it was seen, and never a limit of 0", () => {
    for (const { id, presets } of PROVIDERS) {
      const rows = presets.map(({ tier, model }) => `${id} ${tier} ${model}`);
      expect(new Set(rows).size).toBe(rows.length);
      for (const { seen, limits } of presets) {
        expect(seen).toMatch(/^\d{4}-\d{2}(?:-\d{2})?$/);
        expect(limits.every(({ perMinute }) => perMinute > 0)).toBe(true);
      }
    }
  });

  const errorOf = (provider: string, tier: string): readonly [string, string] => {
    try {
      presetLimits(provider, tier);
    } catch (error) {
      if (error instanceof UserError) return [error.message, error.hint];
    }
    return ["", ""];
  };

  test.each([
    [
      "antropic",
      "start",
      'no tier presets for provider "antropic"',
      'Did you mean "anthropic"? Presets exist for anthropic, openai; use --limit for others.',
    ],
    [
      "zzz",
      "start",
      'no tier presets for provider "zzz"',
      "Presets exist for anthropic, openai; use --limit for others.",
    ],
    [
      "generic",
      "start",
      'no tier presets for provider "generic"',
      "Presets exist for anthropic, openai; use --limit for others.",
    ],
    [
      "openai",
      "tier1",
      'provider openai has no tier "tier1"',
      'Did you mean "tier-1"? Tiers: build, launch, grow, tier-1, tier-2, tier-3, tier-4, tier-5.',
    ],
    [
      "openai",
      "enterprise",
      'provider openai has no tier "enterprise"',
      "Tiers: build, launch, grow, tier-1, tier-2, tier-3, tier-4, tier-5.",
    ],
  ])("%s:%s is a user's error", (provider, tier, message, hint) =>
    expect(errorOf(provider, tier)).toEqual([message, hint]),
  );
});
