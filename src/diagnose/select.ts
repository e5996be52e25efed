import type { FactId, RequestLog } from "../model/log.ts";
import type { OptionValues, Rule, Severity } from "../model/rule.ts";
import type { Settings } from "../model/settings.ts";

/** A rule that will run, with its options resolved. */
export interface SelectedRule {
  readonly rule: Rule;
  readonly options: OptionValues;
  /** Replaces every severity the rule gives; null = as the rule says. */
  readonly severity: Severity | null;
}

/** The rules that the settings leave on, by id. Ids are expected to be known: whoever takes them from a user checks. */
export function selectRules(rules: readonly Rule[], settings: Settings): readonly SelectedRule[] {
  const off = (id: string): boolean =>
    settings.levels[id] === "off" ||
    settings.skip.includes(id) ||
    (settings.only !== null && !settings.only.includes(id));
  return rules
    .filter((rule) => !off(rule.id))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((rule) => ({ rule, options: optionsOf(rule, settings), severity: levelOf(rule.id, settings) }));
}

/** Defaults, with what the user set on top. */
export function optionsOf(rule: Rule, settings: Settings): OptionValues {
  const set = settings.set[rule.id] ?? {};
  return Object.fromEntries(
    Object.entries(rule.options).map(([name, option]) => [name, set[name] ?? option.default]),
  );
}

function levelOf(id: string, settings: Settings): Severity | null {
  const level = settings.levels[id];
  return level === undefined || level === "off" ? null : level;
}

/** The facts a rule needs and the log does not carry. */
export function missingFacts(rule: Rule, log: RequestLog): readonly FactId[] {
  return rule.needs.filter((fact) => !log.facts[fact].present);
}
