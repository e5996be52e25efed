import { incidentsOf } from "../measure/incidents.ts";
import type { FixSpec } from "../model/fix.ts";
import type { RequestLog } from "../model/log.ts";
import type { Recipe } from "../model/recipe.ts";
import type { ReportFinding, ReportFix } from "../model/report.ts";
import { describeFix, fixParameters } from "../words/fixes.ts";
import { agentLabel } from "../words/names.ts";
import { fill } from "../words/template.ts";
import { evidenceOf } from "./evidence.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { Replays } from "./replays.ts";
import type { RankedFinding } from "./run-rules.ts";
import type { RuleFinding } from "../model/rule.ts";

/** A finding in words, with its evidence opened and its fixes written out. */
export function findingPart(
  log: RequestLog,
  found: RankedFinding,
  recipes: readonly Recipe[],
  replays: Replays,
): ReportFinding {
  const { rule, finding, severity } = found;
  const { agent = "", bucket = "", key = "", waiter = "" } = finding.subject;
  const template = rule.messages[finding.message] ?? finding.message;
  const incident = incidentsOf(log).find((one) => one.id === finding.incident);
  return {
    rule: rule.id,
    severity,
    subject: finding.subject,
    ...(incident === undefined ? {} : { incident: incident.id }),
    title: rule.title,
    message: fill(template, finding.numbers, {
      agent: agentLabel(agent),
      bucket,
      key,
      waiter,
      ...finding.words,
    }),
    numbers: finding.numbers,
    evidence: finding.evidence.map((ref) => evidenceOf(log, ref)),
    fixes: [...finding.fixes.map((fix) => replays.tuned(finding, fix)), ...replays.further(finding)].map(
      (fix) => fixPart(finding, fix, recipes, replays),
    ),
    fingerprint: fingerprintOf(rule, finding),
  };
}

function fixPart(
  finding: RuleFinding,
  fix: FixSpec,
  recipes: readonly Recipe[],
  replays: Replays,
): ReportFix {
  const effect = replays.effect(finding, fix);
  return {
    kind: fix.kind,
    summary: describeFix(fix),
    parameters: fixParameters(fix),
    snippets: recipes.flatMap((recipe) => {
      const code = recipe.snippet(fix);
      return code === null ? [] : [{ stack: recipe.id, code }];
    }),
    ...("effect" in effect ? effect : { effect: null, ...effect }),
  };
}
