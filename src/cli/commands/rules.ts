import { RULES } from "../../../rules/index.ts";
import { type Io, print } from "../io.ts";
import { textOf, type Values } from "../values.ts";

/** Lists the rules: those of the symptom table first, by its rows, then the others by id. */
export async function runRules(values: Values, io: Io): Promise<number> {
  const sorted = RULES.toSorted((a, b) => (a.symptom ?? 9) - (b.symptom ?? 9) || (a.id < b.id ? -1 : 1));
  if (textOf(values, "format") === "json") {
    const rows = sorted.map(({ id, symptom, severity, title, why, needs, options }) => ({
      id,
      symptom: symptom ?? null,
      severity,
      title,
      why,
      needs,
      options,
    }));
    await print(io.stdout, `${JSON.stringify(rows, null, 2)}\n`);
    return 0;
  }
  const width = Math.max(...sorted.map((rule) => rule.id.length));
  const lines = sorted.map(
    ({ id, symptom, severity, title }) =>
      `${id.padEnd(width)}  ${severity.padEnd(8)} ${symptom === undefined ? " " : symptom}  ${title}`,
  );
  await print(
    io.stdout,
    `${"rule".padEnd(width)}  level    #  failing state (# = row of the symptom table)\n${lines.join("\n")}\n`,
  );
  return 0;
}
