import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reportJsonSchema } from "../src/report/schema.ts";

const ROOT = join(import.meta.dirname, "..");

/** `high-429-ratio` -> `high429Ratio`. */
function camel(id: string): string {
  return id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

interface Registry {
  readonly file: string;
  readonly list: string;
  readonly type: string;
  readonly typeFrom: string;
  readonly ids: readonly string[];
  /** Import line of one entry. */
  readonly line: (id: string) => string;
}

function registryText({ list, type, typeFrom, ids, line }: Registry): string {
  const names = ids.map(camel).join(", ");
  const flat = `export const ${list}: readonly ${type}[] = [${names}];`;
  const long = `export const ${list}: readonly ${type}[] = [\n${ids.map((id) => `  ${camel(id)},\n`).join("")}];`;
  const head = "// Generated from the files beside this one: npm run gen.";
  return `${[head, `import type { ${type} } from "${typeFrom}";`, ...ids.map(line), "", flat.length > 110 ? long : flat].join("\n")}\n`;
}

function moduleIds(folder: string, isOne: (text: string) => boolean): string[] {
  return readdirSync(join(ROOT, folder))
    .filter(
      (file) =>
        file.endsWith(".ts") && file !== "index.ts" && isOne(readFileSync(join(ROOT, folder, file), "utf8")),
    )
    .map((file) => file.replace(/\.ts$/, ""))
    .toSorted();
}

function fileRegistry(folder: string, list: string, type: string, typeFrom: string): Registry {
  const ids = moduleIds(folder, (text) => new RegExp(`^export const \\w+: ${type} = `, "m").test(text));
  return {
    file: join(folder, "index.ts"),
    list,
    type,
    typeFrom,
    ids,
    line: (id) => `import { ${camel(id)} } from "./${id}.ts";`,
  };
}

const ruleIds = readdirSync(join(ROOT, "rules"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .toSorted();

const REGISTRIES: readonly Registry[] = [
  {
    file: "rules/index.ts",
    list: "RULES",
    type: "Rule",
    typeFrom: "../src/model/rule.ts",
    ids: ruleIds,
    line: (id) => `import { rule as ${camel(id)} } from "./${id}/rule.ts";`,
  },
  fileRegistry("src/providers", "PROVIDERS", "Provider", "./provider.ts"),
  fileRegistry("src/read/formats", "FORMATS", "Format", "../format.ts"),
  fileRegistry("src/report/formats", "REPORTERS", "Reporter", "../reporter.ts"),
  fileRegistry("src/report/recipes", "RECIPES", "Recipe", "../../model/recipe.ts"),
];

test.each(REGISTRIES)("$file lists its folder", async (registry) => {
  expect(registry.ids.length).toBeGreaterThan(0);
  await expect(registryText(registry)).toMatchFileSnapshot(join(ROOT, registry.file));
});

test("the JSON Schema of the report is in step", async () => {
  await expect(`${JSON.stringify(reportJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    join(ROOT, "src/report/report.schema.json"),
  );
});
