import { existsSync } from "node:fs";
import { RULES } from "../../../rules/index.ts";
import { diagnose } from "../../diagnose/diagnose.ts";
import { UserError } from "../../model/user-error.ts";
import { readLog } from "../../read/read.ts";
import { expandInputs } from "../../read/source.ts";
import { REPORTERS } from "../../report/formats/index.ts";
import { RECIPES } from "../../report/recipes/index.ts";
import { createStyle } from "../../report/style.ts";
import { type Io, print } from "../io.ts";
import { packageVersion } from "../../package.ts";
import { COMMANDS } from "../command-table.ts";
import { didYouMean } from "../parse/suggest.ts";
import { parseOutput, reporterNamed } from "../parse/outputs.ts";
import { parseSettings } from "../parse/settings.ts";
import { readOptionsOf } from "../parse/read-options.ts";
import { styleOf } from "../style-of.ts";
import { textOf, textsOf, type Values } from "../values.ts";
import { writeFiles } from "../write-files.ts";

/** Reads, diagnoses, prints. Everything the user wrote is checked before the first byte is read. */
export async function runDiagnose(files: readonly string[], values: Values, io: Io): Promise<number> {
  const settings = parseSettings(values, RULES);
  const reporter = reporterNamed(textOf(values, "format") ?? "text", REPORTERS);
  const outputs = textsOf(values, "output").map((text) => parseOutput(text, REPORTERS));
  const style = styleOf(values, io);
  const options = readOptionsOf(values);
  refuseMistypedCommand(files);
  const inputs = await expandInputs(files.length === 0 ? ["-"] : files, io.stdin);
  const log = await readLog(inputs, options);
  const report = diagnose(log, { rules: RULES, recipes: RECIPES, settings, version: packageVersion() });
  // Files carry no colour and one width, whatever terminal they were made on.
  const plain = createStyle({ color: false, width: 80, detail: style.detail, top: style.top });
  writeFiles(outputs.map((output) => ({ file: output.file, text: output.reporter.render(report, plain) })));
  await print(io.stdout, reporter.render(report, style));
  return report.exitCode;
}

/** What is no command is a file to read: `explian retry-storm` would complain about a file that nobody meant. */
function refuseMistypedCommand([word = ""]: readonly string[]): void {
  if (!/^[a-z]+$/.test(word) || existsSync(word)) return;
  const hint = didYouMean(word, [...COMMANDS.map((command) => command.name), "completion"]);
  if (hint === "") return;
  throw new UserError(`${word}: neither a command nor a file`, `${hint}why429 --help lists the commands.`);
}
