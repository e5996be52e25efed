import { z } from "zod";
import type { Report } from "../../src/model/report.ts";

/** What a labelled log must and may lead to; anything else at warning or error is a false alarm. */
export const LABELS = z.strictObject({
  must: z.array(z.strictObject({ rule: z.string(), agent: z.string().optional() })),
  may: z.array(z.string()),
});

export type Labels = z.infer<typeof LABELS>;

export interface Score {
  readonly name: string;
  readonly missed: readonly string[];
  readonly falseAlarms: readonly string[];
  readonly hits: number;
}

export function scoreOf(name: string, report: Report, labels: Labels): Score {
  const names = (subject: Report["findings"][number]["subject"]): readonly (string | undefined)[] => [
    subject.agent,
    subject.waiter,
  ];
  const loud = report.findings.filter((finding) => finding.severity !== "info");
  const missed = labels.must.filter(
    ({ rule, agent }) =>
      !loud.some(
        (finding) => finding.rule === rule && (agent === undefined || names(finding.subject).includes(agent)),
      ),
  );
  const allowed = new Set([...labels.may, ...labels.must.map((must) => must.rule)]);
  return {
    name,
    missed: missed.map(({ rule, agent }) => (agent === undefined ? rule : `${rule} (${agent})`)),
    falseAlarms: loud.filter((finding) => !allowed.has(finding.rule)).map((finding) => finding.rule),
    hits: labels.must.length - missed.length,
  };
}

/** Recall over what must be found, precision over what was found loudly. */
export function scoreTable(scores: readonly Score[]): string {
  const hits = scores.reduce((sum, score) => sum + score.hits, 0);
  const missed = scores.reduce((sum, score) => sum + score.missed.length, 0);
  const alarms = scores.reduce((sum, score) => sum + score.falseAlarms.length, 0);
  const lines = scores.map(
    ({ name, missed: m, falseAlarms }) =>
      `  ${name.padEnd(32)}${m.length + falseAlarms.length === 0 ? "ok" : `missed: ${m.join(", ") || "-"}; false: ${falseAlarms.join(", ") || "-"}`}`,
  );
  const rate = (part: number, whole: number): string => (whole === 0 ? "1.000" : (part / whole).toFixed(3));
  return [
    ...lines,
    `  precision ${rate(hits, hits + alarms)}  recall ${rate(hits, hits + missed)}  (${scores.length} logs)`,
  ].join("\n");
}
