import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RULES } from "../../../rules/index.ts";
import { type Io, print } from "../io.ts";
import { packageFolder } from "../../package.ts";
import { knownRule } from "../parse/settings.ts";

/** Prints the page of a rule and its thresholds. */
export async function runExplain(id: string, io: Io): Promise<number> {
  const rule = knownRule(id, RULES, "explain");
  const page = readFileSync(join(packageFolder(), "rules", rule.id, "README.md"), "utf8");
  const options = Object.entries(rule.options).map(
    ([name, { default: value, unit, reason }]) => `- \`${rule.id}.${name}\` = ${value} (${unit}): ${reason}`,
  );
  await print(io.stdout, `${page.trimEnd()}\n\n## Options\n\n${options.join("\n") || "None."}\n`);
  return 0;
}
