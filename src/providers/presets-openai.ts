import { presets } from "./preset.ts";
import type { Preset } from "./provider.ts";

function tier(
  name: string,
  seen: string,
  requests: number,
  tokens: number,
  families: readonly string[],
): readonly Preset[] {
  return presets(
    name,
    seen,
    [
      ["requests", requests],
      ["tokens", tokens],
    ],
    families,
  );
}

const NOW = "2026-10-08";
const NUMBERED = "2026-09";

const SOL_6_1: readonly string[] = ["gpt-6.1-sol", "gpt-6.1-astra", "gpt-6.1-terra"];
const LUNA_6: readonly string[] = ["gpt-6-luna"];
const MAIN: readonly string[] = ["gpt-6-sol", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.5", "gpt-5.4"];
const LUNAS: readonly string[] = ["gpt-6-luna", "gpt-5.6-luna"];
const NANO: readonly string[] = ["gpt-5.4-nano"];
const GPT_4O: readonly string[] = ["gpt-4o"];
const MINI_4_1: readonly string[] = ["gpt-4.1-mini"];
const LONG_4_1: readonly string[] = ["gpt-4.1-mini-long-context"];

/** Tiers Build, Launch and Grow from the model pages, October 2026; Tier 1 to 5 from August and September 2026. */
export const OPENAI_PRESETS: readonly Preset[] = [
  ...tier("build", NOW, 5_000, 1_000_000, SOL_6_1),
  ...tier("launch", NOW, 10_000, 4_000_000, SOL_6_1),
  ...tier("grow", NOW, 15_000, 40_000_000, SOL_6_1),
  ...tier("build", NOW, 5_000, 2_000_000, LUNA_6),
  ...tier("launch", NOW, 10_000, 10_000_000, LUNA_6),
  ...tier("grow", NOW, 30_000, 180_000_000, LUNA_6),
  ...tier("tier-1", NUMBERED, 500, 500_000, MAIN),
  ...tier("tier-2", NUMBERED, 5_000, 1_000_000, MAIN),
  ...tier("tier-3", NUMBERED, 5_000, 2_000_000, MAIN),
  ...tier("tier-4", NUMBERED, 10_000, 4_000_000, MAIN),
  ...tier("tier-5", NUMBERED, 15_000, 40_000_000, MAIN),
  ...tier("tier-1", NUMBERED, 500, 500_000, LUNAS),
  ...tier("tier-2", NUMBERED, 5_000, 2_000_000, LUNAS),
  ...tier("tier-3", NUMBERED, 5_000, 4_000_000, LUNAS),
  ...tier("tier-4", NUMBERED, 10_000, 10_000_000, LUNAS),
  ...tier("tier-5", NUMBERED, 30_000, 180_000_000, LUNAS),
  ...tier("tier-1", NUMBERED, 500, 200_000, NANO),
  ...tier("tier-2", NUMBERED, 5_000, 2_000_000, NANO),
  ...tier("tier-3", NUMBERED, 5_000, 4_000_000, NANO),
  ...tier("tier-4", NUMBERED, 10_000, 10_000_000, NANO),
  ...tier("tier-5", NUMBERED, 30_000, 180_000_000, NANO),
  ...tier("tier-1", NUMBERED, 500, 30_000, GPT_4O),
  ...tier("tier-2", NUMBERED, 5_000, 450_000, GPT_4O),
  ...tier("tier-3", NUMBERED, 5_000, 800_000, GPT_4O),
  ...tier("tier-4", NUMBERED, 10_000, 2_000_000, GPT_4O),
  ...tier("tier-5", NUMBERED, 10_000, 30_000_000, GPT_4O),
  ...tier("tier-1", NUMBERED, 500, 200_000, MINI_4_1),
  ...tier("tier-2", NUMBERED, 5_000, 2_000_000, MINI_4_1),
  ...tier("tier-3", NUMBERED, 5_000, 4_000_000, MINI_4_1),
  ...tier("tier-4", NUMBERED, 10_000, 10_000_000, MINI_4_1),
  ...tier("tier-5", NUMBERED, 30_000, 150_000_000, MINI_4_1),
  ...tier("tier-1", NUMBERED, 200, 400_000, LONG_4_1),
  ...tier("tier-2", NUMBERED, 500, 1_000_000, LONG_4_1),
  ...tier("tier-3", NUMBERED, 1_000, 2_000_000, LONG_4_1),
  ...tier("tier-4", NUMBERED, 2_000, 10_000_000, LONG_4_1),
  ...tier("tier-5", NUMBERED, 8_000, 20_000_000, LONG_4_1),
];
