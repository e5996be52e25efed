import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Who may import what. `packages` are npm packages and `node:` modules; an area may always import itself. */
interface Row {
  readonly areas: readonly string[];
  readonly packages: readonly string[];
}

const TABLE: { readonly [area: string]: Row } = {
  model: { areas: [], packages: [] },
  words: { areas: ["model"], packages: [] },
  providers: { areas: ["model"], packages: ["fastest-levenshtein"] },
  read: {
    areas: ["model", "providers"],
    packages: [
      "node:fs",
      "node:fs/promises",
      "node:path",
      "node:zlib",
      "node:stream",
      "node:buffer",
      "node:string_decoder",
      "node:crypto",
      "csv-parse",
      "date-fns",
      "fzstd",
      "tinyglobby",
      "fastest-levenshtein",
    ],
  },
  measure: { areas: ["model"], packages: [] },
  simulate: { areas: ["model", "measure"], packages: ["zod", "yaml", "fastest-levenshtein"] },
  rules: { areas: ["model", "measure"], packages: [] },
  diagnose: { areas: ["model", "measure", "simulate", "providers", "words"], packages: ["node:crypto"] },
  report: { areas: ["model", "words"], packages: ["zod"] },
  cli: {
    areas: [
      "model",
      "providers",
      "read",
      "measure",
      "simulate",
      "rules",
      "diagnose",
      "report",
      "words",
      "root",
    ],
    packages: ["yargs", "fastest-levenshtein", "node:fs", "node:path", "node:stream"],
  },
  // src/index.ts and src/package.ts
  root: {
    areas: ["model", "providers", "read", "measure", "simulate", "rules", "diagnose", "report", "words"],
    packages: ["node:fs", "node:path", "node:url"],
  },
};

/** One file may import a package that its area may not. */
const EXCEPTIONS: { readonly [file: string]: readonly string[] } = { "src/report/style.ts": ["chalk"] };

interface Import {
  readonly file: string;
  readonly specifier: string;
}

const SPECIFIER =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']\s*\)|(?:^|\n)\s*import\s*["']([^"']+)["']/g;

function importsIn(file: string, text: string): Import[] {
  // Recipes hold code of other stacks in template strings: its imports are not ours. Elsewhere nothing is left out, as a lone
  // backtick in a comment would take imports with it.
  const own = file.startsWith("src/report/recipes/") ? text.replace(/`[^`]*`/g, "``") : text;
  return Array.from(own.matchAll(SPECIFIER), (match) => ({
    file,
    specifier: match[1] ?? match[2] ?? match[3] ?? "",
  }));
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => posix.join(folder, name))
    .filter(
      (file) => file.endsWith(".ts") && !file.endsWith("/cases.ts") && statSync(join(ROOT, file)).isFile(),
    )
    .toSorted();
}

function areaOf(file: string): string {
  const parts = file.split("/");
  if (parts[0] === "rules") return "rules";
  return parts.length === 2 ? "root" : (parts[1] ?? "");
}

function targetOf({ file, specifier }: Import): string {
  return posix.normalize(posix.join(dirname(file), specifier));
}

function breachOf(one: Import): string | null {
  const area = areaOf(one.file);
  const row = TABLE[area];
  if (row === undefined) return `${one.file}: area ${area} has no row`;
  if (!one.specifier.startsWith(".")) {
    const name = one.specifier.startsWith("node:")
      ? one.specifier
      : one.specifier
          .split("/")
          .slice(0, one.specifier.startsWith("@") ? 2 : 1)
          .join("/");
    return row.packages.includes(name) || EXCEPTIONS[one.file]?.includes(name) === true
      ? null
      : `${one.file} -> ${name}`;
  }
  const target = targetOf(one);
  const other = areaOf(target);
  // A rule is one folder: it may not reach into another.
  if (
    area === "rules" &&
    other === "rules" &&
    one.file !== "rules/index.ts" &&
    dirname(target) !== dirname(one.file)
  )
    return `${one.file} -> ${target}`;
  return other === area || row.areas.includes(other) ? null : `${one.file} -> ${other}`;
}

const files = [...sources("src"), ...sources("rules")];
const imports = files.flatMap((file) => importsIn(file, readFileSync(join(ROOT, file), "utf8")));

describe("the import table", () => {
  test("is kept", () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(imports.map(breachOf).filter((breach) => breach !== null)).toEqual([]);
  });

  test("notices a breach, a type-only and a lazy one too", () => {
    const planted = importsIn(
      "src/measure/x.ts",
      'import type { Report } from "../report/reporter.ts";\nconst y = await import("../cli/main.ts");\nimport fs from "node:fs";',
    );
    expect(planted.map(breachOf)).toEqual([
      "src/measure/x.ts -> report",
      "src/measure/x.ts -> cli",
      "src/measure/x.ts -> node:fs",
    ]);
    const rule = importsIn("rules/a/rule.ts", 'import { rule } from "../b/rule.ts";');
    expect(rule.map(breachOf)).toEqual(["rules/a/rule.ts -> rules/b/rule.ts"]);
  });

  test("has a row for each folder and a folder for each row", () => {
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect([...folders, "root", "rules"].toSorted()).toEqual(Object.keys(TABLE).toSorted());
  });
});

/** Each circle as `a -> b -> a`. */
function circlesIn(all: readonly Import[]): string[] {
  const graph = new Map<string, string[]>();
  for (const one of all)
    if (one.specifier.startsWith(".")) graph.set(one.file, [...(graph.get(one.file) ?? []), targetOf(one)]);
  const state = new Map<string, "open" | "done">();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") {
      circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      return;
    }
    state.set(file, "open");
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    state.set(file, "done");
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

describe("circles of imports", () => {
  test("there is none", () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  test("one is noticed", () => {
    const planted = [
      ...importsIn("src/model/a.ts", 'import { b } from "./b.ts";'),
      ...importsIn("src/model/b.ts", 'export type { C } from "../read/c.ts";'),
      ...importsIn("src/read/c.ts", 'import type { A } from "../model/a.ts";'),
    ];
    expect(circlesIn(planted)).toEqual([
      "src/model/a.ts -> src/model/b.ts -> src/read/c.ts -> src/model/a.ts",
    ]);
  });
});

test("every relative import leads to a file", () => {
  const known = new Set(files);
  const lost = imports.filter((one) => one.specifier.startsWith(".") && !known.has(targetOf(one)));
  expect(lost).toEqual([]);
});

test("every exception is of a file that needs it", () => {
  for (const [file, packages] of Object.entries(EXCEPTIONS)) {
    const used = imports.filter((one) => one.file === file).map(({ specifier }) => specifier);
    for (const name of packages) expect(used).toContain(name);
  }
});
