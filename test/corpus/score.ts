import type { Severity } from "../../src/model/rule.ts";
import type { LabelledWorld } from "../support/world/kinds/kind.ts";
import type { WorldRecord } from "../support/world/record.ts";

/** What a diagnosis found, as far as labels speak of it. */
export interface Found {
  readonly rule: string;
  readonly severity: Severity;
  /** Whom the finding names, as agent or as waiter. */
  readonly agents: readonly string[];
}

export type Diagnose = (records: readonly WorldRecord[]) => readonly Found[];

/** How one labelled log fared. */
export interface Verdict {
  readonly name: string;
  readonly kind: string;
  readonly hits: number;
  /** Findings that had to be there and were not. */
  readonly missed: readonly string[];
  /** Findings at warning or error that no label allows. */
  readonly falseAlarms: readonly string[];
}

export function judge(
  { name, kind, records, labels }: Pick<LabelledWorld, "name" | "kind" | "records" | "labels">,
  diagnose: Diagnose,
): Verdict {
  const loud = diagnose(records).filter(({ severity }) => severity !== "info");
  const missed = labels.must.filter(
    ({ rule, agent }) =>
      !loud.some((found) => found.rule === rule && (agent === undefined || found.agents.includes(agent))),
  );
  const allowed = new Set([...labels.may, ...labels.must.map(({ rule }) => rule)]);
  return {
    name,
    kind,
    hits: labels.must.length - missed.length,
    missed: missed.map(({ rule, agent }) => (agent === undefined ? rule : `${rule} (${agent})`)),
    falseAlarms: loud.filter(({ rule }) => !allowed.has(rule)).map(({ rule }) => rule),
  };
}

export interface Rates {
  /** Share of the loud findings that labels allow or demand: hits against false alarms. */
  readonly precision: number;
  /** Share of what had to be found that was. */
  readonly recall: number;
}

export function ratesOf(verdicts: readonly Verdict[]): Rates {
  const sum = (count: (verdict: Verdict) => number): number =>
    verdicts.reduce((total, verdict) => total + count(verdict), 0);
  const hits = sum((verdict) => verdict.hits);
  const part = (others: number): number => (hits + others === 0 ? 1 : hits / (hits + others));
  return {
    precision: part(sum(({ falseAlarms }) => falseAlarms.length)),
    recall: part(sum(({ missed }) => missed.length)),
  };
}

/** A line per kind: logs, precision, recall, and what went wrong in how many of its logs. */
export function table(verdicts: readonly Verdict[]): string {
  const kinds = [...new Set(verdicts.map(({ kind }) => kind))];
  const lines = kinds.map((kind) => {
    const own = verdicts.filter((verdict) => verdict.kind === kind);
    const wrong = [
      ...counted(own.flatMap(({ missed }) => missed.map((rule) => `missed ${rule.replace(/ \(.*/, "")}`))),
      ...counted(own.flatMap(({ falseAlarms }) => falseAlarms.map((rule) => `false ${rule}`))),
    ];
    return row(kind, own, wrong.join(", "));
  });
  return [row("kind", null, "wrong"), ...lines, row("all", verdicts, "")]
    .map((line) => line.trimEnd())
    .join("\n");
}

function row(name: string, verdicts: readonly Verdict[] | null, wrong: string): string {
  const cells =
    verdicts === null
      ? ["logs", "precision", "recall"]
      : [String(verdicts.length), ...ratesAsText(ratesOf(verdicts))];
  return `${name.padEnd(36)}${cells.map((cell) => cell.padStart(10)).join("")}  ${wrong}`;
}

function ratesAsText({ precision, recall }: Rates): readonly string[] {
  return [precision.toFixed(3), recall.toFixed(3)];
}

function counted(list: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([one, count]) => `${one} x${count}`);
}
