import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { diagnose } from "../../src/index.ts";
import { readLog } from "../../src/read/read.ts";
import { expandInputs } from "../../src/read/source.ts";
import { judge, ratesOf, table, type Verdict } from "./score.ts";

const FOLDER = join(import.meta.dirname, "../../../shared/scenarios");

const LABELS = z.strictObject({
  must: z.array(z.strictObject({ rule: z.string(), agent: z.string().exactOptional() })),
  may: z.array(z.string()),
});

async function verdictOn(name: string): Promise<Verdict> {
  const log = await readLog(await expandInputs([join(FOLDER, `${name}.ndjson`)]));
  const labels = LABELS.parse(JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")));
  const { findings, verdicts } = diagnose(log);
  expect(verdicts.filter((verdict) => verdict.outcome === "error")).toEqual([]);
  const found = findings.map(({ rule, severity, subject }) => ({
    rule,
    severity,
    agents: [subject.agent, subject.waiter].filter((agent) => agent !== undefined),
  }));
  return judge({ name, kind: name.replace(/-\d+$/, ""), records: [], labels }, () => found);
}

/** Labelled logs that are kept beside the checkout, where they are. */
test.skipIf(!existsSync(FOLDER))(
  "labelled logs: every finding that must be there, no false alarm",
  async () => {
    const names = readdirSync(FOLDER).filter((file) => file.endsWith(".ndjson"));
    const verdicts = await Promise.all(names.map((file) => verdictOn(file.replace(/\.ndjson$/, ""))));
    process.stdout.write(`${table(verdicts)}\n`);
    expect(verdicts.length).toBeGreaterThan(0);
    expect(verdicts.flatMap(({ missed, falseAlarms }) => [...missed, ...falseAlarms])).toEqual([]);
    expect(ratesOf(verdicts)).toEqual({ precision: 1, recall: 1 });
  },
);
