import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RULES } from "../../../rules/index.ts";
import { ASSUMPTIONS } from "../../simulate/replay/assumptions.ts";
import { type Io, print } from "../io.ts";
import { packageFolder } from "../../package.ts";
import { knownRule } from "../parse/settings.ts";

/** Prints the page of a rule, its thresholds, and what its predictions assume. */
export async function runExplain(id: string, io: Io): Promise<number> {
  const rule = knownRule(id, RULES, "explain");
  const page = readFileSync(join(packageFolder(), "rules", rule.id, "README.md"), "utf8");
  const options = Object.entries(rule.options).map(
    ([name, { default: value, unit, reason }]) => `- \`${rule.id}.${name}\` = ${value} (${unit}): ${reason}`,
  );
  const assumed = ASSUMPTIONS.map((assumption) => `- ${assumption}`);
  const parts = [
    page.trimEnd(),
    "## Options",
    options.join("\n") || "None.",
    "## What a predicted effect assumes",
    assumed.join("\n"),
  ];
  await print(io.stdout, `${parts.join("\n\n")}\n`);
  return 0;
}
