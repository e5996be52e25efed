import { describe, expect, test } from "vitest";
import { fill } from "../../src/words/template.ts";

describe("fill", () => {
  test("puts numbers with their unit, limits and words in their places", () => {
    const text = fill(
      "{agent} sent {share} ({share.limit}) in {took}.",
      { share: { value: 0.94, unit: "share", limit: 0.8 }, took: { value: 4_000, unit: "ms" } },
      { agent: "code" },
    );
    expect(text).toBe("code sent 94 % (80 %) in 4 s.");
  });

  test("a word that looks like a place is no place", () => {
    expect(fill("{agent} and {agent}", {}, { agent: "{share} $& {agent}" })).toBe(
      "{share} $& {agent} and {share} $& {agent}",
    );
  });

  test.each([
    ["an unknown name", "{nobody}"],
    ["the limit of a number without one", "{took.limit}"],
    ["the limit of a word", "{agent.limit}"],
    ["another part", "{took.value}"],
    ["an empty place", "{}"],
    ["a name that every object has", "{constructor}"],
  ])("%s is the rule's mistake", (_, template) => {
    expect(() => fill(template, { took: { value: 1, unit: "ms" } }, { agent: "code" })).toThrow(
      `nothing to put for ${template}`,
    );
  });
});
