import type { EffectNumbers, ReportEffect, ReportFix } from "../../model/report.ts";
import { formatNumber } from "../../words/numbers.ts";
import type { Paint, Style } from "../style.ts";
import { type Hanging, hang } from "./block.ts";

const INDENT = 2;
const LABEL_WIDTH = 5;

/** What a fix changes, most wanted first. Refusals always; the others only where they move. */
const EFFECT_WORDS: readonly { readonly name: keyof EffectNumbers; readonly word: string }[] = [
  { name: "throttled", word: "429s" },
  { name: "attempts", word: "attempts" },
  { name: "failed", word: "given up" },
  { name: "totalMs", word: "total" },
  { name: "criticalMs", word: "critical calls" },
  { name: "waitP95Ms", word: "p95 wait" },
];

/** Label column of a finding's lines: `see`, `fix`, `or`. */
export function labelled(label: string): Hanging {
  return { indent: INDENT, label, labelWidth: LABEL_WIDTH, labelAs: "dim", as: "plain" };
}

/**
 * The first fix as an instruction with its predicted numbers, the further ones short. A fix that an earlier finding already
 * gave is named by that finding. `given` maps summaries to rules.
 */
export function fixLines(
  style: Style,
  fixes: readonly ReportFix[],
  given: ReadonlyMap<string, string>,
): readonly string[] {
  const [first, ...further] = fixes;
  if (first === undefined) return [];
  const at: Hanging = { ...labelled("fix"), labelAs: "good", as: "strong" };
  const earlier = given.get(first.summary);
  const main =
    earlier === undefined
      ? [
          ...hang(style, at, first.summary),
          ...hang(style, { ...labelled(""), as: effectPaint(first) }, effectWords(style, first)),
          ...snippetLines(style, first),
        ]
      : hang(style, at, `The same as for ${earlier} (${shortEffect(style, first)}).`);
  return [
    ...main,
    ...further.flatMap((fix) => [
      ...hang(style, labelled("or"), `${fix.summary} (${shortEffect(style, fix)})`),
      ...snippetLines(style, fix),
    ]),
  ];
}

function effectWords(style: Style, fix: ReportFix): string {
  if (fix.effect === null) return `not simulated, because ${fix.notSimulatedBecause ?? "no reason is given"}`;
  return `simulated: ${moveWords(style, fix.effect)}`;
}

/** `429s 212 -> 0, total 12 m -> 10 m 31 s; backtest error 4 %`. */
export function moveWords(style: Style, effect: ReportEffect): string {
  const moves = EFFECT_WORDS.flatMap(({ name, word }) => {
    const [before, after] = [effect.before[name], effect.after[name]];
    if (before === null || after === null) return [];
    if (name !== "throttled" && before === after) return [];
    return [`${word} ${move(style, name, before, after)}`];
  });
  return `${moves.join(", ")}; backtest error ${formatNumber(effect.backtestError, "share")}`;
}

function effectPaint(fix: ReportFix): Paint {
  return fix.effect === null ? "dim" : "good";
}

function shortEffect(style: Style, fix: ReportFix): string {
  if (fix.effect === null) return "not simulated";
  const { before, after } = fix.effect;
  return `429s ${move(style, "throttled", before.throttled, after.throttled)}`;
}

function move(style: Style, name: keyof EffectNumbers, before: number, after: number): string {
  const unit = name.endsWith("Ms") ? "ms" : "count";
  return `${formatNumber(before, unit)} ${style.glyphs.arrow} ${formatNumber(after, unit)}`;
}

/** Code is printed as it is, even beyond the width: a folded line would not run. */
function snippetLines(style: Style, fix: ReportFix): readonly string[] {
  if (style.detail !== "verbose") return [];
  const indent = " ".repeat(INDENT + LABEL_WIDTH);
  return fix.snippets.flatMap(({ stack, code }) => [
    `${indent}${style.paint(`--- ${stack}`, "dim")}`,
    ...code
      .trimEnd()
      .split("\n")
      .map((line) => (line === "" ? "" : indent + line)),
  ]);
}
