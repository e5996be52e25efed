import { MOST_CALLS, type Scenario, type Strategy } from "./scenario-schema.ts";

/** Parts of a scenario that do not fit each other. */
export interface ScenarioProblem {
  readonly where: string;
  readonly what: string;
  readonly hint: string;
}

/** What no schema can say, in the order of the file. */
export function problemsOf(scenario: Scenario): readonly ScenarioProblem[] {
  const calls = scenario.calls.reduce((sum, group) => sum + group.count, 0);
  const problems: ScenarioProblem[] = [];
  if (calls > MOST_CALLS)
    problems.push({
      where: "calls",
      what: `${calls} calls`,
      hint: `At most ${MOST_CALLS} can be simulated.`,
    });
  for (const [i, { count, critical }] of scenario.calls.entries()) {
    const outside = critical.find((position) => position >= count);
    if (outside !== undefined)
      problems.push({
        where: `calls.${i}.critical`,
        what: `position ${outside} in a group of ${count}`,
        hint: "Positions count from 0 within the group.",
      });
  }
  const ids = scenario.strategies.map((strategy) => strategy.id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined)
    problems.push({ where: "strategies", what: `two have the id "${twice}"`, hint: "Give each its own id." });
  for (const strategy of scenario.strategies) problems.push(...strategyProblems(scenario, strategy, calls));
  return problems;
}

function strategyProblems(
  { server, retry }: Scenario,
  strategy: Strategy,
  calls: number,
): readonly ScenarioProblem[] {
  const where = `strategy "${strategy.id}"`;
  const problems: ScenarioProblem[] = [];
  const { limiter } = strategy;
  const isEndless = strategy.retry && retry.maxRetries === undefined;
  if (isEndless && server.ratePerSecond === 0 && calls > server.capacity)
    problems.push({
      where,
      what: "the server's rate is 0 and calls wait for it",
      hint: "Give it a rate, or set retry.maxRetries.",
    });
  if (isEndless && retry.baseMs === 0 && retry.jitterMs === 0)
    problems.push({
      where,
      what: "a refused call is sent again at once, for ever",
      hint: "Give retry.baseMs or retry.jitterMs a length, or set retry.maxRetries.",
    });
  if (limiter !== undefined && limiter.ratePerSecond === 0 && calls > limiter.burst)
    problems.push({
      where,
      what: "the limiter's rate is 0 and calls wait for it",
      hint: "Give the limiter a rate.",
    });
  if (strategy.aging !== undefined && strategy.order !== "priority")
    problems.push({
      where,
      what: "aging without priorities",
      hint: 'Aging changes priorities: set "order": "priority".',
    });
  return problems;
}
