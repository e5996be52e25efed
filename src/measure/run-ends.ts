import type { RequestLog } from "../model/log.ts";
import type { EpochMs } from "../model/time.ts";
import { isOk } from "./attempts.ts";
import { defineMeasure } from "./measure.ts";

/** When a run was last heard of. */
interface RunEnd {
  /** Its last send. */
  readonly lastSentMs: EpochMs;
  /** Its last wait that ended well; 0 = none did. */
  readonly lastAnswerMs: EpochMs;
  /** At least one of its attempts passed: the run did some work. */
  readonly hasPassed: boolean;
}

/** By index into `log.runs`; the first, attempts without a run, says nothing. */
const runEnds: (log: RequestLog) => readonly RunEnd[] = defineMeasure((log) => {
  const { attempts } = log;
  const lastSentMs = new Float64Array(log.runs.length);
  const hasPassed = new Uint8Array(log.runs.length);
  for (let row = 0; row < attempts.length; row++) {
    const run = attempts.run[row] ?? 0;
    lastSentMs[run] = attempts.sentMs[row] ?? 0;
    if (isOk(attempts, row)) hasPassed[run] = 1;
  }
  const lastAnswerMs = new Map<string, EpochMs>();
  for (const wait of log.waits)
    if (wait.outcome === "ok")
      lastAnswerMs.set(wait.run, Math.max(lastAnswerMs.get(wait.run) ?? 0, wait.startMs + wait.durationMs));
  return log.runs.map((name, run) => ({
    lastSentMs: lastSentMs[run] ?? 0,
    lastAnswerMs: lastAnswerMs.get(name) ?? 0,
    hasPassed: hasPassed[run] === 1,
  }));
});

/** The run had done some work, and after `atMs` neither sends anything nor gets an answer. */
export function isEndOfRun(log: RequestLog, run: number, atMs: EpochMs): boolean {
  const end = runEnds(log)[run];
  if (run === 0 || end === undefined) return false;
  return end.hasPassed && end.lastSentMs <= atMs && end.lastAnswerMs <= atMs;
}
