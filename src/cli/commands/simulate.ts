import { readFileSync } from "node:fs";
import { UserError } from "../../model/user-error.ts";
import { type StrategyResult, simulateScenario } from "../../simulate/scenario.ts";
import { parseScenario } from "../../simulate/scenario-file.ts";
import { type Io, print } from "../io.ts";
import { textOf, type Values } from "../values.ts";

/** Plays a scenario file and prints one row a strategy. */
export async function runSimulate(file: string, values: Values, io: Io): Promise<number> {
  const scenario = parseScenario(await textFrom(file, io), file);
  const results = simulateScenario(scenario, seedOf(textOf(values, "seed")) ?? scenario.seed);
  await print(
    io.stdout,
    textOf(values, "format") === "json" ? `${JSON.stringify(results, null, 2)}\n` : table(results),
  );
  return 0;
}

async function textFrom(file: string, io: Io): Promise<string> {
  if (file === "-") {
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.stdin) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `${file}: cannot be read (${why})`,
      "Name a scenario file; samples/simulate has two.",
    );
  }
}

function seedOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (seed < 2 ** 32) return seed;
  throw new UserError(
    `--seed ${text}: not a whole number below 2^32`,
    "Leave it out to take the file's seed.",
  );
}

const HEAD = ["strategy", "429s", "retries", "failed", "total s", "critical s", "background max s"];

/** Text on the left, numbers on the right. */
function table(results: readonly StrategyResult[]): string {
  const seconds = (ms: number | null): string => (ms === null ? "-" : (ms / 1_000).toFixed(2));
  const rows = results.map(({ id, throttled, retries, failed, totalMs, criticalMs, backgroundMaxMs }) => [
    id,
    String(throttled),
    String(retries),
    String(failed),
    seconds(totalMs),
    seconds(criticalMs),
    seconds(backgroundMaxMs),
  ]);
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd();
  return `${[HEAD, ...rows].map(line).join("\n")}\n`;
}
