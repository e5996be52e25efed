import { UserError } from "../../model/user-error.ts";
import type { Reporter } from "../../report/reporter.ts";
import { didYouMean } from "./suggest.ts";

export interface Output {
  readonly reporter: Reporter;
  readonly file: string;
}

/**
 * `report.json`, or `json=results.txt` where the extension does not tell.
 * @throws UserError for a format or extension that nobody writes
 */
export function parseOutput(text: string, reporters: readonly Reporter[]): Output {
  const equals = text.indexOf("=");
  const named = equals > 0 ? reporters.find((reporter) => reporter.id === text.slice(0, equals)) : undefined;
  if (named !== undefined) return { reporter: named, file: text.slice(equals + 1) };
  const byEnding = reporters.find((reporter) =>
    reporter.extensions.some((ending) => text.toLowerCase().endsWith(ending)),
  );
  if (byEnding !== undefined) return { reporter: byEnding, file: text };
  const endings = reporters.flatMap((reporter) => reporter.extensions);
  throw new UserError(
    `-o ${text}: no format for this name`,
    `Use an extension (${endings.join(", ")}) or write FORMAT=FILE with one of ${idsOf(reporters)}.`,
  );
}

/** @throws UserError with a did-you-mean */
export function reporterNamed(id: string, reporters: readonly Reporter[]): Reporter {
  const found = reporters.find((reporter) => reporter.id === id);
  if (found !== undefined) return found;
  const hint = didYouMean(
    id,
    reporters.map((reporter) => reporter.id),
  );
  throw new UserError(`--format ${id}: no such format`, `${hint}There are ${idsOf(reporters)}.`);
}

function idsOf(reporters: readonly Reporter[]): string {
  return reporters.map((reporter) => reporter.id).join(", ");
}
