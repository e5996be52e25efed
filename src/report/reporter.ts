import type { Report } from "../model/report.ts";
import type { Style } from "./style.ts";

/** One output format: a layout of the report and of nothing else. */
export interface Reporter {
  /** Kebab-case; equal to its file name and to the word that chooses it. */
  readonly id: string;
  /** One line for help. */
  readonly summary: string;
  /** Endings of file names, with the dot, that choose this format; the text ends with the first format that has it. */
  readonly extensions: readonly string[];
  /** The whole output, with a newline at its end. Pure: the same report and style give the same bytes. */
  render(report: Report, style: Style): string;
}
