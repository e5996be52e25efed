import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { simulateScenario } from "../../src/simulate/scenario.ts";
import { parseScenario } from "../../src/simulate/scenario-file.ts";

const SAMPLES = join(import.meta.dirname, "../../samples/simulate");

/** The published table: refusals, failed, total s, critical s, longest background s. `-` where it prints none. */
const TABLE = `
  A  25  25   0.12  -
  B  78   0  16.32  16.17
  C  77   0  16.52   4.07
  D  68   0  17.38   9.01
  E   0   0   7.12   6.12
  F   0   0   7.12   0.37
  G   0   0   5.72   4.92
  H   0   0   5.72   0.32
  I   2   0   5.12   0.29
  J   0   0   9.62   8.12  9.62
  K   0   0   9.62   9.62  3.37
  M   0   0   9.62   9.62  3.37
  P   0   0   9.62   9.62  6.12
  Q   0   0   9.62   9.62  4.62
  R   0   0   9.62   9.62  9.12
  S   0   0   9.62   9.62  1.62`;

const rows = TABLE.trim()
  .split("\n")
  .map((line) => line.trim().split(/\s+/));

const results = ["burst-30.json", "starvation-40.json"].flatMap((file) =>
  simulateScenario(parseScenario(readFileSync(join(SAMPLES, file), "utf8"), file)),
);

test.each(rows)(
  "row %s is the published one to both decimals",
  (id, throttled, failed, total, critical, background) => {
    const result = results.find((one) => one.id === id);
    const seconds = (ms: number | null | undefined): string =>
      ms === null || ms === undefined ? "-" : (ms / 1_000).toFixed(2);
    expect([
      String(result?.throttled),
      String(result?.failed),
      seconds(result?.totalMs),
      seconds(result?.criticalMs),
    ]).toEqual([throttled, failed, total, critical]);
    if (background !== undefined) expect(seconds(result?.backgroundMaxMs)).toBe(background);
  },
);

test("the samples hold all sixteen rows and no others", () => {
  expect(results.map((one) => one.id)).toEqual(rows.map(([id]) => id));
});
