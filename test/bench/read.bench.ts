import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeLog } from "./generate.ts";
import { interleaved } from "./run.ts";

const MIB = 2 ** 20;
const SIZES_MIB = (process.env["BENCH_MIB"] ?? "100,1024").split(",").map(Number);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);

const JSON_PARSE_LOOP = `
const lines = require("node:readline").createInterface({ input: require("node:fs").createReadStream(process.argv[2]) });
let refused = 0;
lines.on("line", (line) => { if (JSON.parse(line).status === 429) refused++; });
lines.on("close", () => console.log(refused));
`;

/** Whole processes on a log of the given size; ratios hold, single times drift with the machine. */
test.each(SIZES_MIB)("read and diagnose %d MiB of NDJSON", async (mib) => {
  const folder = join(tmpdir(), "why429-bench");
  mkdirSync(folder, { recursive: true });
  const log = join(folder, `slim-${mib}.ndjson`);
  if (!existsSync(log)) writeLog(log, 429, mib * MIB);
  const loop = join(folder, "parse-loop.cjs");
  writeFileSync(loop, JSON_PARSE_LOOP);
  const results = await interleaved(
    [
      { name: "wc -l", command: "wc", args: ["-l", log] },
      { name: "readline + JSON.parse", command: process.execPath, args: [loop, log] },
      { name: "why429 diagnose", command: process.execPath, args: [".", log, "--fail-on", "never"] },
    ],
    ROUNDS,
  );
  const size = statSync(log).size / MIB;
  const floor = results[0]?.median.seconds ?? 1;
  process.stdout.write(`\n${mib} MiB, median of ${ROUNDS}\n`);
  for (const { name, median } of results) {
    const speed = (size / median.seconds).toFixed(0).padStart(6);
    const ratio = (median.seconds / floor).toFixed(1).padStart(6);
    process.stdout.write(
      `  ${name.padEnd(24)}${median.seconds.toFixed(2).padStart(8)} s${speed} MiB/s${ratio} x wc${median.peakMiB.toFixed(0).padStart(7)} MiB peak\n`,
    );
  }
  for (const { median } of results) expect(median.exitCode).toBe(0);
});
