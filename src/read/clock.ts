import type { EpochMs } from "../model/time.ts";
import { msOfDay, TIME_OF_DAY } from "./iso.ts";
import { many } from "./notes.ts";

const DAY_MS = 86_400_000;

export interface Clock {
  readonly read: (text: string) => EpochMs;
  readonly assumed: () => string[];
}

/**
 * Times of day without a date. The first day is 1970-01-01; a jump back by more than 12 hours has passed midnight. A line
 * that comes a little late, just after that midnight, still belongs to the day before.
 */
export function createClock(): Clock {
  let day = 0;
  let last = Number.NaN;
  let count = 0;
  return {
    read(text) {
      const ms = msOfDay(TIME_OF_DAY.exec(text)?.groups ?? {});
      if (ms !== ms) return ms;
      count++;
      if (ms - last > DAY_MS / 2 && day > 0) return (day - 1) * DAY_MS + ms;
      if (last - ms > DAY_MS / 2) day++;
      last = ms;
      return day * DAY_MS + ms;
    },
    assumed() {
      if (count === 0) return [];
      const midnights = day === 0 ? "" : `, ${many(day, "midnight")} passed`;
      return [
        `${many(count, "time")} of day without a date: the first day taken as 1970-01-01 UTC${midnights}`,
      ];
    },
  };
}
