import type { AttemptRecord } from "../model/record.ts";
import type { Bare, Undecided } from "./reading.ts";
import { toDuration } from "./values.ts";

/** Attempts are held back until this many are there, from the first bare duration on: enough to know the unit, few enough to hold. */
const HELD = 10_000;

/** Decides whether a column of bare durations counts seconds or milliseconds. */
export interface UnitDecider {
  readonly offer: (attempt: Undecided, line: number) => void;
  /** An attempt that waits for nothing, but keeps its place behind those that do: equal times keep the order of lines. */
  readonly pass: (record: AttemptRecord, line: number) => void;
  /** The input is complete. */
  readonly end: () => void;
  readonly assumed: () => string[];
}

/**
 * A bare duration is in seconds when it is under 1000 and has a fraction, else in milliseconds. The column is asked before
 * the value, because a column of seconds also holds `2`, and a column of milliseconds also holds `843.2`: it shows itself
 * by `1520.7`. Whole numbers from 1000 on are always milliseconds.
 */
export function createUnitDecider(emit: (record: AttemptRecord, line: number) => void): UnitDecider {
  let held: [Undecided | AttemptRecord, number][] = [];
  let column: "seconds" | "milliseconds" | null = null;
  const counts = { smallFractions: 0, largeFractions: 0, largeWhole: 0 };

  const unitOf = ({ value, fraction }: Bare): number =>
    column === "seconds" && (value < 1_000 || fraction) ? 1_000 : 1;

  const give = (attempt: Undecided | AttemptRecord, line: number): void => {
    if (attempt.kind === "attempt") return emit(attempt, line);
    const { record, bare } = attempt;
    const durationMs = toDuration(bare.value, unitOf(bare)) ?? null;
    const sentMs = bare.fromEnd ? record.sentMs - (durationMs ?? 0) : record.sentMs;
    emit({ ...record, sentMs, durationMs }, line);
  };

  const count = ({ value, fraction }: Bare): void => {
    if (value < 1_000 && fraction) counts.smallFractions++;
    else if (value >= 1_000 && fraction) counts.largeFractions++;
    else if (value >= 1_000) counts.largeWhole++;
  };

  const decide = (): void => {
    // One call of a quarter of an hour does not make a column of seconds milliseconds, one in a hundred does.
    const isSeconds = counts.smallFractions > 0 && counts.largeFractions * 100 <= held.length;
    column = isSeconds ? "seconds" : "milliseconds";
    for (const [attempt, line] of held) give(attempt, line);
    held = [];
  };

  const hold = (attempt: Undecided | AttemptRecord, line: number): void => {
    held.push([attempt, line]);
    if (held.length >= HELD) decide();
  };

  return {
    offer(attempt, line) {
      if (column !== null) return give(attempt, line);
      count(attempt.bare);
      hold(attempt, line);
    },
    pass: (record, line) => (held.length === 0 ? emit(record, line) : hold(record, line)),
    end() {
      if (held.length > 0) decide();
    },
    assumed() {
      if (column === null) return [];
      const whole =
        column === "seconds" && counts.largeWhole > 0 ? ", whole numbers from 1000 on as milliseconds" : "";
      return [`durations without a unit are taken as ${column}${whole}`];
    },
  };
}
