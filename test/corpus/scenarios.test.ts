import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RULES } from "../../rules/index.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { DEFAULT_SETTINGS } from "../../src/model/settings.ts";
import { readLog } from "../../src/read/read.ts";
import { expandInputs } from "../../src/read/source.ts";
import { LABELS, scoreOf, scoreTable } from "../support/scoring.ts";

const FOLDER = join(import.meta.dirname, "../../../shared/scenarios");

/** Labelled logs that are kept beside the checkout, where they are. */
test.skipIf(!existsSync(FOLDER))(
  "labelled logs: every finding that must be there, no false alarm",
  async () => {
    const names = readdirSync(FOLDER)
      .filter((file) => file.endsWith(".ndjson"))
      .map((file) => file.replace(/\.ndjson$/, ""));
    expect(names.length).toBeGreaterThan(0);
    const scores = [];
    for (const name of names) {
      const log = await readLog(await expandInputs([join(FOLDER, `${name}.ndjson`)]));
      const labels = LABELS.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")));
      const report = diagnose(log, {
        rules: RULES,
        recipes: [],
        settings: DEFAULT_SETTINGS,
        version: "0.0.0",
      });
      expect(report.verdicts.filter((verdict) => verdict.outcome === "error")).toEqual([]);
      scores.push(scoreOf(name, report, labels));
    }
    process.stdout.write(`${scoreTable(scores)}\n`);
    expect(scores.flatMap((score) => [...score.missed, ...score.falseAlarms])).toEqual([]);
  },
);
