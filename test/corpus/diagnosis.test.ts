import { expect, test } from "vitest";
import { RULES } from "../../rules/index.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { DEFAULT_SETTINGS } from "../../src/model/settings.ts";
import { logOf } from "../support/log.ts";
import { KINDS } from "../support/world/kinds/index.ts";
import { worldOf } from "../support/world/kinds/kind.ts";
import { type Diagnose, judge, ratesOf, table } from "./score.ts";

/** More by hand, when a rule changes: SEEDS=40 npx vitest run test/corpus/diagnosis */
const SEEDS = Number(process.env["SEEDS"] ?? 2);

const real: Diagnose = (records) => {
  const report = diagnose(logOf(records), {
    rules: RULES,
    recipes: [],
    settings: DEFAULT_SETTINGS,
    version: "0.0.0",
  });
  return report.findings.map(({ rule, severity, subject }) => ({
    rule,
    severity,
    agents: [subject.agent, subject.waiter].filter((name) => name !== undefined),
  }));
};

test("worlds of every kind: precision and recall of the diagnosis", () => {
  const ids = new Set(RULES.map((rule) => rule.id));
  const verdicts = KINDS.flatMap((kind) =>
    Array.from({ length: SEEDS }, (_, seed) => {
      const world = worldOf(kind, seed);
      // Labels speak of the whole catalogue; only rules that exist can be found.
      const must = world.labels.must.filter(({ rule }) => ids.has(rule));
      return judge({ ...world, labels: { ...world.labels, must } }, real);
    }),
  );
  process.stdout.write(`${table(verdicts)}\n`);
  const wrong = verdicts.filter(({ missed, falseAlarms }) => missed.length + falseAlarms.length > 0);
  for (const { name, missed, falseAlarms } of wrong)
    process.stdout.write(
      `  ${name}: missed ${missed.join(", ") || "-"}; false ${falseAlarms.join(", ") || "-"}\n`,
    );
  const { precision, recall } = ratesOf(verdicts);
  expect(precision).toBe(1);
  expect(recall).toBe(1);
});
