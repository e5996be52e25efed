import { expect, test } from "vitest";
import { RULES } from "../../rules/index.ts";
import { rankFindings, runRules } from "../../src/diagnose/run-rules.ts";
import { selectRules } from "../../src/diagnose/select.ts";
import { DEFAULT_SETTINGS } from "../../src/model/settings.ts";
import { logOf } from "../support/log.ts";
import { KINDS } from "../support/world/kinds/index.ts";
import { worldOf } from "../support/world/kinds/kind.ts";
import { type Diagnose, judge, ratesOf, table } from "./score.ts";

/** More by hand, when a rule changes: SEEDS=40 npx vitest run test/corpus/diagnosis */
const SEEDS = Number(process.env["SEEDS"] ?? 6);

/** What the rules find, without the replays of the fixes: they take most of the time and decide nothing. */
const real: Diagnose = (records) => {
  const results = runRules(logOf(records), selectRules(RULES, DEFAULT_SETTINGS));
  expect(results.filter(({ verdict }) => verdict.outcome === "error")).toEqual([]);
  return rankFindings(results).map(({ rule, severity, finding }) => ({
    rule: rule.id,
    severity,
    agents: [finding.subject.agent, finding.subject.waiter].filter((name) => name !== undefined),
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
