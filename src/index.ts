import { RULES } from "../rules/index.ts";
import { packageVersion } from "./package.ts";
import { diagnose as diagnoseWith } from "./diagnose/diagnose.ts";
import type { RequestLog } from "./model/log.ts";
import type { Report } from "./model/report.ts";
import type { Rule } from "./model/rule.ts";
import { DEFAULT_SETTINGS, type Settings } from "./model/settings.ts";
import { readLog as readInputs, type ReadOptions } from "./read/read.ts";
import { expandInputs, type LogInput } from "./read/source.ts";
import { REPORTERS } from "./report/formats/index.ts";
import { RECIPES } from "./report/recipes/index.ts";
import { createStyle, type StyleOptions } from "./report/style.ts";
import { type StrategyResult, simulateScenario } from "./simulate/scenario.ts";
import { parseScenario } from "./simulate/scenario-file.ts";

export type { FixKind, FixSpec } from "./model/fix.ts";
export type { AttemptColumns, FactId, Facts, Problem, RequestLog, ToldLimit } from "./model/log.ts";
export { DIMENSIONS, OUTCOMES, type Dimension, type Outcome } from "./model/outcome.ts";
export type { Report, ReportFinding, ReportFix } from "./model/report.ts";
export type { Rule, RuleFinding, Severity, Verdict } from "./model/rule.ts";
export type { Settings } from "./model/settings.ts";
export { UserError } from "./model/user-error.ts";
export type { ReadOptions } from "./read/read.ts";
export { inputOf, type LogInput } from "./read/source.ts";
export { parseReport, reportJsonSchema } from "./report/schema.ts";
export type { StyleOptions } from "./report/style.ts";
export type { StrategyResult } from "./simulate/scenario.ts";
export { RULES };

/**
 * Reads request logs into one `RequestLog`. Lines that cannot be used are problems of the log, not errors.
 *
 * @param sources a path, folder or glob pattern, several of them, or inputs made with `inputOf`
 * @throws {UserError} for a source that cannot be read or a format or field that does not exist
 */
export async function readLog(
  sources: string | readonly (string | LogInput)[],
  options: ReadOptions = {},
): Promise<RequestLog> {
  const inputs: LogInput[] = [];
  for (const source of typeof sources === "string" ? [sources] : sources)
    inputs.push(...(await open(source)));
  return readInputs(inputs, options);
}

async function open(source: string | LogInput): Promise<readonly LogInput[]> {
  return typeof source === "string" ? expandInputs([source]) : [source];
}

/** What a diagnosis can be told; what is left out is as on the command line. */
export type DiagnoseOptions = Partial<Settings> & { readonly rules?: readonly Rule[] };

/** Runs the rules over a log and assembles the report. Pure: the same log and options give the same report. */
export function diagnose(log: RequestLog, options: DiagnoseOptions = {}): Report {
  const { rules = RULES, ...settings } = options;
  return diagnoseWith(log, {
    rules,
    recipes: RECIPES,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    version: packageVersion(),
  });
}

/**
 * Lays a report out.
 *
 * @param format id of a report format, e.g. `text` or `json`
 * @throws {RangeError} for an unknown format
 */
export function render(report: Report, format: string = "text", style: Partial<StyleOptions> = {}): string {
  const reporter = REPORTERS.find((one) => one.id === format);
  if (reporter === undefined)
    throw new RangeError(
      `no report format "${format}"; there are ${REPORTERS.map((one) => one.id).join(", ")}`,
    );
  return reporter.render(report, createStyle({ color: false, width: 80, ...style }));
}

/**
 * Plays client strategies against a simulated rate limit, one result a strategy.
 *
 * @param scenario JSON or YAML, as in `samples/simulate`
 * @param seed of the jitter, instead of the scenario's
 * @throws {UserError} for a scenario with unknown keys, impossible numbers, or calls that wait for ever
 */
export function simulate(scenario: string, seed?: number): readonly StrategyResult[] {
  return simulateScenario(parseScenario(scenario, "scenario"), seed);
}

/** Gives a rule its type; returns it unchanged. */
export function defineRule<Names extends string>(rule: Rule<Names>): Rule<Names> {
  return rule;
}
