import type { Report } from "../../model/report.ts";
import type { Style } from "../style.ts";
import { hang, section } from "./block.ts";

/** The rules that could not tell, by what they missed; a rule that failed is a fault of the tool and says so. */
export function undecidedPart(report: Report, style: Style): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { rule, outcome, because } of report.verdicts) {
    if (outcome !== "unknown" && outcome !== "error") continue;
    const reason = outcome === "error" ? `failed, please report it: ${because}` : because;
    groups.set(reason, [...(groups.get(reason) ?? []), rule]);
  }
  const lines = [...groups].flatMap(([reason, rules]) =>
    hang(
      style,
      { indent: 2, label: "", labelWidth: 0, labelAs: "plain", as: "plain" },
      `${rules.join(", ")}: ${reason}`,
    ),
  );
  return section(style, "Not decided", lines);
}
