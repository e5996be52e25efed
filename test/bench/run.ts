import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Run {
  readonly seconds: number;
  /** High-water mark of the resident set, MiB. */
  readonly peakMiB: number;
  readonly exitCode: number | null;
}

const POLL_MS = 10;

/** Runs a command to its end, output thrown away, and measures it from outside: start-up included. Linux only (/proc). */
export function measure(command: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "ignore"] });
    let peakKiB = 0;
    const poll = setInterval(() => {
      peakKiB = Math.max(peakKiB, highWaterKiB(child.pid));
    }, POLL_MS);
    child.on("error", (error) => {
      clearInterval(poll);
      reject(error);
    });
    child.on("exit", (exitCode) => {
      clearInterval(poll);
      resolve({ seconds: (performance.now() - start) / 1_000, peakMiB: peakKiB / 1_024, exitCode });
    });
  });
}

function highWaterKiB(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch (error) {
    // The process has just ended.
    if (error instanceof Error) return 0;
    throw error;
  }
}

/** Rounds of all commands in turn, so that a slow minute of the machine hits all alike; the median run of each. */
export async function interleaved(
  commands: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[],
  rounds: number,
): Promise<readonly { readonly name: string; readonly median: Run }[]> {
  const runs = commands.map((): Run[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { command, args }] of commands.entries()) runs[i]?.push(await measure(command, args));
  }
  return commands.map(({ name }, i) => {
    const sorted = (runs[i] ?? []).toSorted((a, b) => a.seconds - b.seconds);
    const median = sorted[Math.floor(sorted.length / 2)];
    if (median === undefined) throw new RangeError("no rounds");
    return { name, median };
  });
}
