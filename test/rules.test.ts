import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RULES } from "../rules/index.ts";
import type { Rule } from "../src/model/rule.ts";
import type { RuleCases } from "./support/cases.ts";
import { logOf } from "./support/log.ts";
import { blocksOf, headingsOf, recordsOf, sectionOf } from "./support/readme.ts";
import { resultOf, tryCase } from "./support/try-case.ts";

const FOLDER = join(import.meta.dirname, "../rules");
const HEADINGS = [
  "What it sees",
  "Why it hurts",
  "What to do",
  "How the number is computed",
  "Tune or silence",
  "A log that fires",
  "A log that does not",
];
const STACKS = ["Python asyncio", "LangChain", "TypeScript"];
/** An id names a failing state; these would name what somebody does about it. */
const VERBS = [
  "avoid",
  "check",
  "detect",
  "find",
  "fix",
  "flag",
  "prefer",
  "prevent",
  "require",
  "use",
  "warn",
];

const folders = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const subjects = await Promise.all(
  folders.map(async (folder) => {
    const [cases, readme] = [join(FOLDER, folder, "cases.ts"), join(FOLDER, folder, "README.md")];
    // Boundary: the type checker sees every cases.ts, but not which one this imports.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const module = existsSync(cases) ? ((await import(cases)) as { readonly cases: RuleCases }) : null;
    return {
      folder,
      rule: RULES.find((one) => one.id === folder) ?? null,
      cases: module?.cases ?? { loud: [], quiet: [], edge: [] },
      readme: existsSync(readme) ? readFileSync(readme, "utf8") : "",
    };
  }),
);

test("every folder is a registered rule and every rule has a folder", () => {
  expect(RULES.map((rule) => rule.id).toSorted()).toEqual(folders.toSorted());
});

describe.each(subjects)("$folder", ({ rule, cases, readme }) => {
  if (rule === null) return;
  describe("names", () => {
    test("the id is a noun phrase, the title has no numbers", () => {
      expect(rule.id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(VERBS).not.toContain(rule.id.split("-")[0]);
      expect(rule.title).not.toMatch(/\d/);
    });

    test("each threshold has a reason", () => {
      for (const option of Object.values(rule.options)) {
        expect(Number.isFinite(option.default)).toBe(true);
        expect(option.reason).not.toBe("");
      }
    });
  });

  describeReadme(rule, readme);
  describeCases(rule, cases);
});

function describeReadme(rule: Rule, readme: string): void {
  describe("README", () => {
    test("begins with the id and has its headings in order", () => {
      expect(readme.split("\n")[0]).toBe(`# ${rule.id}`);
      expect(headingsOf(readme)).toEqual(HEADINGS);
    });

    test("shows what to do in the code of each stack", () => {
      const advice = sectionOf(readme, "What to do");
      for (const stack of STACKS) expect(advice).toContain(stack);
      expect([...blocksOf(advice, "python"), ...blocksOf(advice, "ts")].length).toBeGreaterThanOrEqual(3);
    });

    test("names each option with its default, and how to silence", () => {
      const tuning = sectionOf(readme, "Tune or silence");
      for (const [name, option] of Object.entries(rule.options))
        expect(tuning).toMatch(new RegExp(`^\\| \`${name}\` *\\| ${option.default} *\\|`, "m"));
      expect(tuning).toContain(`--rule ${rule.id}=off`);
    });

    test("its first log fires, its second does not", () => {
      const [fires = "", ...others] = blocksOf(sectionOf(readme, "A log that fires"), "ndjson");
      const [quiet = "", ...more] = blocksOf(sectionOf(readme, "A log that does not"), "ndjson");
      expect([...others, ...more]).toEqual([]);
      expect(resultOf(rule, logOf(recordsOf(fires))).verdict.outcome).toBe("found");
      const verdict = resultOf(rule, logOf(recordsOf(quiet))).verdict;
      expect(["clear", "unknown", "not-applicable"]).toContain(verdict.outcome);
    });
  });
}

function describeCases(rule: Rule, { loud, quiet, edge }: RuleCases): void {
  const all = [...loud, ...quiet, ...edge];
  test("has enough cases of each kind, with names of their own", () => {
    expect(loud.length).toBeGreaterThanOrEqual(2);
    expect(quiet.length).toBeGreaterThanOrEqual(3);
    expect(edge.length).toBeGreaterThanOrEqual(2);
    const names = all.map((one) => one.name);
    expect(new Set(names).size).toBe(names.length);
    expect(loud.filter((one) => one.expect.outcome !== "found")).toEqual([]);
    expect(quiet.filter((one) => one.expect.outcome === "found" && one.expect.severity !== "info")).toEqual(
      [],
    );
  });

  test("stands on both sides of each threshold", () => {
    for (const option of Object.keys(rule.options)) {
      const sides = edge.filter((one) => one.name.startsWith(`${option}:`)).map((one) => one.expect);
      expect(sides.length, option).toBeGreaterThanOrEqual(2);
      expect(new Set(sides.map((side) => JSON.stringify(side))).size, option).toBeGreaterThanOrEqual(2);
    }
    const unknown = all.flatMap((one) => Object.keys(one.options ?? {})).filter((o) => !(o in rule.options));
    expect(unknown).toEqual([]);
  });

  // Not `test.each`: it cuts names short.
  for (const [kind, some] of Object.entries({ loud, quiet, edge })) {
    for (const one of some) {
      test(`${kind}: ${one.name}`, () => {
        tryCase(rule, one);
      });
    }
  }
}
