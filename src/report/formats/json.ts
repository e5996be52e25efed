import { safeJson } from "../../words/safe.ts";
import type { Reporter } from "../reporter.ts";

/** The report itself. Every other format can be laid out from this text. */
export const json: Reporter = {
  id: "json",
  summary: "the whole report as JSON, the contract for programs",
  extensions: [".json"],
  render: (report) => `${safeJson(JSON.stringify(report, null, 2))}\n`,
};
