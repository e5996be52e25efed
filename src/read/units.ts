import type { AttemptRecord } from "../model/record.ts";
import type { Bare, Undecided } from "./reading.ts";
import { toDuration } from "./values.ts";

/** Attempts are held back until this many have told a bare duration: enough to know the unit, few enough to hold. */
const HELD = 10_000;

/** Decides whether a column of bare durations counts seconds or milliseconds. */
export interface UnitDecider {
  readonly offer: (attempt: Undecided, line: number) => void;
  /** The input is complete. */
  readonly end: () => void;
  readonly assumed: () => string[];
}

/**
 * A bare duration is in seconds when it is under 1000 and has a fraction, else in milliseconds. The rule is asked of the
 * column, not of each value: a column of seconds also holds `2`, and a column of milliseconds also holds `843.2`.
 */
export function createUnitDecider(emit: (record: AttemptRecord, line: number) => void): UnitDecider {
  let held: [Undecided, number][] = [];
  let unitMs: 1 | 1_000 | null = null;
  let fractions = 0;
  let large = 0;

  const give = ({ record, timing }: Undecided, line: number): void => {
    const bare = timing.bare;
    const durationMs = (bare === null ? null : toDuration(bare.value, unitMs ?? 1)) ?? null;
    const sentMs = bare?.fromEnd === true ? timing.sentMs - (durationMs ?? 0) : timing.sentMs;
    emit({ ...record, sentMs, durationMs }, line);
  };

  const count = (bare: Bare | null): void => {
    if (bare === null) return;
    if (bare.value >= 1_000) large++;
    else if (bare.fraction) fractions++;
  };

  const decide = (): void => {
    // One call of a quarter of an hour does not make a column of seconds milliseconds, one in a hundred does.
    unitMs = fractions > 0 && large * 100 <= held.length ? 1_000 : 1;
    for (const [attempt, line] of held) give(attempt, line);
    held = [];
  };

  return {
    offer(attempt, line) {
      if (unitMs !== null) return give(attempt, line);
      count(attempt.timing.bare);
      held.push([attempt, line]);
      if (held.length >= HELD) decide();
    },
    end() {
      if (held.length > 0) decide();
    },
    assumed() {
      if (unitMs === null) return [];
      const unit = unitMs === 1_000 ? "seconds" : "milliseconds";
      return [
        `durations without a unit are taken as ${unit} (${fractions} under 1000 with a fraction, ${large} of 1000 and more)`,
      ];
    },
  };
}
