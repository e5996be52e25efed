import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), "utf8");

const PAGES: readonly (readonly [string, string])[] = [
  ["README.md", read("README.md")],
  ...readdirSync(join(ROOT, "rules"), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.name === "README.md")
    .map((entry): readonly [string, string] => {
      const folder = entry.parentPath.slice(ROOT.length + 1);
      return [`${folder}/README.md`, read(folder, "README.md")];
    }),
];

/** What a page says of our command line: lines that call it, and spans that begin with a flag. */
function flagsSaid(page: string): string[] {
  const calls = page
    .split("\n")
    .flatMap((line) => /(?:why429|node \.) (.*?)(?:\s#.*)?$/.exec(line)?.[1] ?? []);
  const spans = Array.from(page.matchAll(/`(--[^`]+)`/g), (match) => match[1] ?? "");
  return [...calls, ...spans].flatMap((text) =>
    Array.from(text.matchAll(/(?:^|\s)--([a-z][a-z-]*)/g), (match) => match[1] ?? ""),
  );
}

test.each(PAGES)("%s names only flags that exist", (_name, page) => {
  const known = new Set(COMMANDS.flatMap(({ flags }) => flags.map(({ name }) => name)));
  expect(flagsSaid(page).filter((flag) => !known.has(flag))).toEqual([]);
});

test("a flag that does not exist is noticed", () => {
  expect(
    flagsSaid("Run `why429 a.ndjson --fail-on never`, or `--no-such 3`.\n\nnpx why429 --limt x  # --this"),
  ).toEqual(["fail-on", "limt", "no-such"]);
});
