import type { Rule, Severity } from "../../model/rule.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../model/settings.ts";
import { UserError } from "../../model/user-error.ts";
import { isOn, textOf, textsOf, type Values } from "../values.ts";
import { parseLimit, parseTier } from "./limits.ts";
import { didYouMean } from "./suggest.ts";

const LEVELS = ["off", "info", "warning", "error"] as const;

/**
 * Flags to settings. Every rule id and option is checked here.
 * @throws UserError naming the flag, what is wrong with it and the nearest right word
 */
export function parseSettings(values: Values, rules: readonly Rule[]): Settings {
  const only = textsOf(values, "only", true).map((id) => knownRule(id, rules, "--only").id);
  return {
    ...DEFAULT_SETTINGS,
    only: only.length === 0 ? null : only,
    skip: textsOf(values, "skip", true).map((id) => knownRule(id, rules, "--skip").id),
    levels: Object.fromEntries(textsOf(values, "rule").map((text) => parseLevel(text, rules))),
    set: parseSet(textsOf(values, "set"), rules),
    limits: [...textsOf(values, "limit").flatMap(parseLimit), ...textsOf(values, "tier").flatMap(parseTier)],
    failOn: failOnOf(textOf(values, "fail-on")),
    maxInvalid: shareOf(textOf(values, "max-invalid"), DEFAULT_SETTINGS.maxInvalid),
    allowEmpty: isOn(values, "allow-empty"),
    backgroundDeadlineMs: deadlineOf(textOf(values, "deadline")),
  };
}

/** @throws UserError with a did-you-mean */
export function knownRule(id: string, rules: readonly Rule[], where: string): Rule {
  const rule = rules.find((one) => one.id === id);
  if (rule !== undefined) return rule;
  const hint = didYouMean(
    id,
    rules.map((one) => one.id),
  );
  throw new UserError(`${where}: unknown rule "${id}"`, `${hint}why429 rules lists them.`);
}

function parseLevel(text: string, rules: readonly Rule[]): readonly [string, Severity | "off"] {
  const [id = "", level = ""] = text.split("=", 2);
  const found = LEVELS.find((one) => one === level);
  if (found === undefined)
    throw new UserError(
      `--rule ${text}: the level is "${level}"`,
      `Write --rule ID=LEVEL with one of ${LEVELS.join(", ")}.`,
    );
  return [knownRule(id, rules, "--rule").id, found];
}

function parseSet(texts: readonly string[], rules: readonly Rule[]): Settings["set"] {
  const set: { [rule: string]: { [option: string]: number } } = {};
  for (const text of texts) {
    const match = /^([^.=]+)\.([^.=]+)=(-?\d{1,15}(?:\.\d{1,9})?)$/.exec(text);
    if (match === null)
      throw new UserError(
        `--set ${text}: not RULE.OPTION=NUMBER`,
        "Write e.g. --set greedy-agent.minShare=0.7.",
      );
    const [, id = "", option = "", value = ""] = match;
    const rule = knownRule(id, rules, "--set");
    const names = Object.keys(rule.options);
    if (!names.includes(option))
      throw new UserError(
        `--set: rule ${id} has no option "${option}"`,
        `${didYouMean(option, names)}It has ${names.join(", ") || "none"}.`,
      );
    set[id] = { ...set[id], [option]: Number(value) };
  }
  return set;
}

function failOnOf(text: string | undefined): Settings["failOn"] {
  return text === "error" || text === "warning" || text === "info" || text === "never"
    ? text
    : DEFAULT_SETTINGS.failOn;
}

const UNIT_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000 };

/** `background=30s`. */
function deadlineOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const match = /^background=(\d{1,9})(ms|s|m)$/.exec(text);
  if (match !== null) return Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 1);
  throw new UserError(`--deadline ${text}: not background=TIME`, "Write e.g. --deadline background=30s.");
}

/** `0.05` or `5%`. */
function shareOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const match = /^(\d{1,3}(?:\.\d{1,9})?)(%?)$/.exec(text);
  const share = match === null ? Number.NaN : Number(match[1]) / (match[2] === "%" ? 100 : 1);
  if (share >= 0 && share <= 1) return share;
  throw new UserError(
    `--max-invalid ${text}: not a share`,
    "Write a share from 0 to 1 or a percentage, e.g. 0.05 or 5%.",
  );
}
