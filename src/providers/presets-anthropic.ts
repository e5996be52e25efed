import { presets } from "./preset.ts";
import type { Preset } from "./provider.ts";

function tier(
  name: string,
  seen: string,
  requests: number,
  inputTokens: number,
  outputTokens: number,
  families: readonly string[],
): readonly Preset[] {
  return presets(
    name,
    seen,
    [
      ["requests", requests],
      ["input-tokens", inputTokens],
      ["output-tokens", outputTokens],
    ],
    families,
  );
}

const NOW = "2026-10";
const NUMBERED = "2026-05";

const MAIN: readonly string[] = [
  "claude-opus-5-5",
  "claude-opus-5",
  "claude-opus-4.x",
  "claude-sonnet-5-5",
  "claude-sonnet-5",
  "claude-sonnet-4.x",
  "claude-haiku-5-5",
  "claude-haiku-4-5",
];
const FABLE: readonly string[] = ["claude-fable-5.x"];
const HAIKU_3: readonly string[] = ["claude-haiku-3-5"];
const OPUS_4: readonly string[] = ["claude-opus-4.x"];
const SONNET_4: readonly string[] = ["claude-sonnet-4.x"];
const HAIKU_4: readonly string[] = ["claude-haiku-4-5"];

/** Tiers Start, Build and Scale from the rate limits page, October 2026; the numbered tiers from copies up to May 2026. */
export const ANTHROPIC_PRESETS: readonly Preset[] = [
  ...tier("start", NOW, 1_000, 2_000_000, 400_000, MAIN),
  ...tier("build", NOW, 5_000, 5_000_000, 1_000_000, MAIN),
  ...tier("scale", NOW, 10_000, 10_000_000, 2_000_000, MAIN),
  ...tier("start", NOW, 1_000, 500_000, 100_000, FABLE),
  ...tier("build", NOW, 2_000, 1_500_000, 300_000, FABLE),
  ...tier("scale", NOW, 4_000, 4_000_000, 800_000, FABLE),
  ...tier("start", NOW, 1_000, 100_000, 20_000, HAIKU_3),
  ...tier("build", NOW, 2_000, 200_000, 40_000, HAIKU_3),
  ...tier("scale", NOW, 4_000, 400_000, 80_000, HAIKU_3),
  ...tier("legacy-tier-1", NUMBERED, 50, 500_000, 80_000, OPUS_4),
  ...tier("legacy-tier-2", NUMBERED, 1_000, 2_000_000, 200_000, OPUS_4),
  ...tier("legacy-tier-3", NUMBERED, 2_000, 5_000_000, 400_000, OPUS_4),
  ...tier("legacy-tier-4", NUMBERED, 4_000, 10_000_000, 800_000, OPUS_4),
  ...tier("legacy-tier-1", NUMBERED, 50, 30_000, 8_000, SONNET_4),
  ...tier("legacy-tier-2", NUMBERED, 1_000, 450_000, 90_000, SONNET_4),
  ...tier("legacy-tier-3", NUMBERED, 2_000, 800_000, 160_000, SONNET_4),
  ...tier("legacy-tier-4", NUMBERED, 4_000, 2_000_000, 400_000, SONNET_4),
  ...tier("legacy-tier-1", NUMBERED, 50, 50_000, 10_000, HAIKU_4),
  ...tier("legacy-tier-2", NUMBERED, 1_000, 450_000, 90_000, HAIKU_4),
  ...tier("legacy-tier-3", NUMBERED, 2_000, 1_000_000, 200_000, HAIKU_4),
  ...tier("legacy-tier-4", NUMBERED, 4_000, 4_000_000, 800_000, HAIKU_4),
];
