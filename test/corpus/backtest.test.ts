import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { incidentsOf } from "../../src/measure/incidents.ts";
import { quantile } from "../../src/measure/statistics.ts";
import { readLog } from "../../src/read/read.ts";
import { expandInputs } from "../../src/read/source.ts";
import { episodeOf } from "../../src/simulate/replay/episode.ts";
import { replayOf } from "../../src/simulate/replay/replay.ts";

const FOLDER = join(import.meta.dirname, "../../../shared/scenarios");

/** Fewer refusals than this make any error look large. */
const LEAST = 5;

/** The labelled logs again, as they were: how far are the replayed refusals from those in the log? */
test.skipIf(!existsSync(FOLDER))("backtest: the median error of the refusals is below 15 %", async () => {
  const errors: number[] = [];
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".ndjson"))) {
    const log = await readLog(await expandInputs([join(FOLDER, file)]));
    for (const incident of incidentsOf(log).filter((one) => one.throttled >= LEAST)) {
      const replay = replayOf(log, episodeOf(log, incident));
      if (typeof replay === "string") throw new Error(`${file} ${incident.id}: ${replay}`);
      errors.push(replay.backtestError);
      const error = `${(replay.backtestError * 100).toFixed(1)} %`;
      process.stdout.write(
        `  ${file.padEnd(28)}${incident.id.padEnd(5)}${String(replay.episode.throttled).padStart(6)} refusals, backtest error ${error}\n`,
      );
    }
  }
  process.stdout.write(
    `  median ${((quantile(errors, 0.5) ?? 0) * 100).toFixed(1)} %, worst ${(Math.max(...errors) * 100).toFixed(1)} %\n`,
  );
  expect(errors.length).toBeGreaterThan(8);
  expect(quantile(errors, 0.5)).toBeLessThan(0.15);
});
