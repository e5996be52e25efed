import { expect, test } from "vitest";
import { healthyFlatCap } from "../support/world/kinds/concurrency.ts";
import { greedy } from "../support/world/kinds/greedy.ts";
import { worldOf } from "../support/world/kinds/kind.ts";
import { type Found, judge, ratesOf, table } from "./score.ts";

const world = worldOf(greedy, 1);
const healthy = worldOf(healthyFlatCap, 1);
const agent = world.labels.must[0]?.agent ?? "";

function saying(...found: readonly Found[]): () => readonly Found[] {
  return () => found;
}

test("a finding that must be there counts when it names the agent, loudly", () => {
  const right = judge(world, saying({ rule: "greedy-agent", severity: "error", agents: [agent] }));
  expect(right).toMatchObject({ hits: 1, missed: [], falseAlarms: [] });
  const wrongAgent = judge(world, saying({ rule: "greedy-agent", severity: "error", agents: ["nobody"] }));
  expect(wrongAgent.missed).toEqual([`greedy-agent (${agent})`]);
  const whispered = judge(world, saying({ rule: "greedy-agent", severity: "info", agents: [agent] }));
  expect(whispered).toMatchObject({ hits: 0, falseAlarms: [] });
});

test("what no label allows is a false alarm, unless it is only told", () => {
  const loud = judge(healthy, saying({ rule: "no-headroom", severity: "warning", agents: [] }));
  expect(loud.falseAlarms).toEqual(["no-headroom"]);
  expect(judge(healthy, saying({ rule: "no-headroom", severity: "info", agents: [] })).falseAlarms).toEqual(
    [],
  );
  expect(
    judge(world, saying({ rule: "high-429-ratio", severity: "warning", agents: [] })).falseAlarms,
  ).toEqual([]);
});

test("rates and their table", () => {
  const found: Found = { rule: "greedy-agent", severity: "error", agents: [agent] };
  const verdicts = [
    judge(world, saying(found)),
    judge(world, saying()),
    judge(healthy, saying({ rule: "no-headroom", severity: "error", agents: [] })),
  ];
  expect(ratesOf(verdicts)).toEqual({ precision: 0.5, recall: 0.5 });
  expect(ratesOf([])).toEqual({ precision: 1, recall: 1 });
  const lines = table(verdicts).split("\n");
  expect(lines[1]).toMatch(/^greedy +2 +1\.000 +0\.500 {2}missed greedy-agent x1$/);
  expect(lines[2]).toMatch(/^healthy-flat-cap +1 +0\.000 +1\.000 {2}false no-headroom x1$/);
  expect(lines[3]).toMatch(/^all +3 +0\.500 +0\.500$/);
});
