import type { RequestLog } from "../model/log.ts";
import type { Recipe } from "../model/recipe.ts";
import type { Report, ReportInput, ReportRuleVerdict } from "../model/report.ts";
import { SEVERITIES, type Rule } from "../model/rule.ts";
import type { Settings } from "../model/settings.ts";
import { findingPart } from "./finding-part.ts";
import { headlineOf } from "./headline.ts";
import { agentsPart, assumptionsOf, bucketsPart, factsPart, incidentsPart } from "./report-parts.ts";
import { createReplays } from "./replays.ts";
import { isoTime } from "./evidence.ts";
import { type RankedFinding, type RuleResult, rankFindings, runRules } from "./run-rules.ts";
import { selectRules } from "./select.ts";

export interface DiagnoseContext {
  readonly rules: readonly Rule[];
  readonly recipes: readonly Recipe[];
  readonly settings: Settings;
  /** Of the tool, for the report. */
  readonly version: string;
}

/** Runs the selected rules over a log and assembles the report. Pure: the same log and context give the same report. */
export function diagnose(read: RequestLog, context: DiagnoseContext): Report {
  const { rules, settings, recipes, version } = context;
  // A copy with its own identity: measures hang on the log object, and the limits told here must not leak into another diagnosis.
  const log: RequestLog = { ...read, told: { limits: [...read.told.limits, ...settings.limits] } };
  const results = runRules(log, selectRules(rules, settings));
  const ranked = rankFindings(results);
  const replays = createReplays(
    log,
    ranked.map((found) => found.finding),
    settings.backgroundDeadlineMs,
  );
  // Findings before incidents: the replays of the worst findings come first, as long as there is time.
  const findings = ranked.map((found) => findingPart(log, found, recipes, replays));
  const doubt = whyInconclusive(log, results, settings);
  const status =
    doubt !== null
      ? "inconclusive"
      : ranked.some((found) => found.severity !== "info")
        ? "findings"
        : "clear";
  return {
    schemaVersion: 1,
    tool: { name: "why429", version },
    verdict: { status, headline: doubt ?? headlineOf(log, ranked) },
    inputs: inputsPart(log),
    problems: log.problems.samples,
    problemTotals: log.problems.totals,
    span: log.span === null ? null : { from: isoTime(log.span.from), to: isoTime(log.span.to) },
    facts: factsPart(log),
    buckets: bucketsPart(log),
    agents: agentsPart(log),
    incidents: incidentsPart(log, replays),
    findings,
    verdicts: results.map(
      ({ selected, verdict }): ReportRuleVerdict => ({
        rule: selected.rule.id,
        outcome: verdict.outcome,
        because: verdict.because,
      }),
    ),
    exitCode: doubt !== null ? exitInDoubt(log, settings) : exitFor(ranked, settings),
  };
}

function inputsPart(log: RequestLog): readonly ReportInput[] {
  const overall = assumptionsOf(log);
  return log.inputs.map((input, i) =>
    i === 0 ? { ...input, assumed: [...input.assumed, ...overall] } : input,
  );
}

/** Why the log cannot carry a diagnosis; null when it can. */
function whyInconclusive(log: RequestLog, results: readonly RuleResult[], settings: Settings): string | null {
  const rejected = log.inputs.reduce((sum, input) => sum + input.rejected, 0);
  const records = log.inputs.reduce((sum, input) => sum + input.rejected + input.accepted, 0);
  if (log.attempts.length === 0) {
    if (records === 0) return "the log is empty: nothing to diagnose.";
    if (rejected === records)
      return `no usable record: all ${records} lines were rejected; see the reasons below.`;
    return "no attempt in the log (or in the chosen time window): nothing to diagnose.";
  }
  if (rejected > settings.maxInvalid * records)
    return `${rejected} of ${records} records could not be read, more than the allowed ${settings.maxInvalid * 100} %.`;
  const symptoms = results.filter(({ selected }) => selected.rule.symptom !== undefined);
  const decided = symptoms.some(
    ({ verdict }) => verdict.outcome !== "unknown" && verdict.outcome !== "error",
  );
  if (symptoms.length > 0 && !decided)
    return `none of the six symptoms could be decided: ${symptoms[0]?.verdict.because ?? ""}.`;
  return null;
}

function exitInDoubt(log: RequestLog, settings: Settings): 0 | 3 {
  const isEmpty =
    log.attempts.length === 0 && log.inputs.every((input) => input.accepted + input.rejected === 0);
  return settings.allowEmpty && isEmpty ? 0 : 3;
}

function exitFor(ranked: readonly RankedFinding[], settings: Settings): 0 | 1 {
  if (settings.failOn === "never") return 0;
  const gate = SEVERITIES.indexOf(settings.failOn);
  return ranked.some((found) => SEVERITIES.indexOf(found.severity) <= gate) ? 1 : 0;
}
