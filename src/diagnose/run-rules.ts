import type { RequestLog } from "../model/log.ts";
import type { Rule, RuleFinding, Verdict } from "../model/rule.ts";
import { missingFacts, type SelectedRule } from "./select.ts";

/** What one rule said of the log; a rule that threw says `error` and nobody else notices. */
export type RuleResult =
  | { readonly selected: SelectedRule; readonly verdict: Verdict }
  | {
      readonly selected: SelectedRule;
      readonly verdict: { readonly outcome: "error"; readonly because: string };
    };

export interface RankedFinding {
  readonly rule: Rule;
  readonly severity: "error" | "warning" | "info";
  readonly finding: RuleFinding;
}

export function runRules(log: RequestLog, selected: readonly SelectedRule[]): readonly RuleResult[] {
  return selected.map((one) => runRule(log, one));
}

function runRule(log: RequestLog, selected: SelectedRule): RuleResult {
  const missing = missingFacts(selected.rule, log);
  if (missing.length > 0) {
    const because = missing.map((fact) => log.facts[fact].because).join("; ");
    return { selected, verdict: { outcome: "unknown", because } };
  }
  try {
    return { selected, verdict: selected.rule.check(log, selected.options) };
  } catch (error) {
    const because = `the rule failed: ${error instanceof Error ? error.message : String(error)}`;
    return { selected, verdict: { outcome: "error", because } };
  }
}

const SEVERITY_RANK = { error: 0, warning: 1, info: 2 };

/** Worst first: by severity, then by failed calls, refusals and time lost, then by rule and subject. */
export function rankFindings(results: readonly RuleResult[]): readonly RankedFinding[] {
  const found = results.flatMap(({ selected, verdict }) =>
    verdict.outcome !== "found"
      ? []
      : verdict.findings.map(
          (finding): RankedFinding => ({
            rule: selected.rule,
            severity: selected.severity ?? finding.severity ?? selected.rule.severity,
            finding,
          }),
        ),
  );
  return found.toSorted(
    (a, b) =>
      SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity] ||
      b.finding.harm.failedCalls - a.finding.harm.failedCalls ||
      b.finding.harm.refusals - a.finding.harm.refusals ||
      b.finding.harm.lostMs - a.finding.harm.lostMs ||
      compare(a.rule.id, b.rule.id) ||
      compare(JSON.stringify(a.finding.subject), JSON.stringify(b.finding.subject)),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
