import type { ReportAgent } from "../../model/report.ts";
import type { Glyphs } from "../style.ts";
import { padStart } from "./layout.ts";

type Series = ReportAgent["series"];

/** One time axis for all strips of a report. */
export interface Axis {
  readonly fromMs: number;
  /** End of the last column, exclusive. */
  readonly toMs: number;
  /** Time of one column of values. */
  readonly stepMs: number;
  readonly values: number;
  /** Characters that each value is drawn with, so that a short log still gives a strip. */
  readonly repeat: number;
}

const MOST_REPEATS = 4;

/**
 * The axis that holds all series in at most `width` characters: whole steps are put together when there are more steps
 * than characters, and drawn wider when there are fewer. null = there is nothing to draw.
 *
 *     steps    |--|--|--|--|--|--|--|      7 steps in 4 characters:
 *     values   |-----|-----|-----|-----|   2 steps each
 */
export function axisOf(series: readonly Series[], width: number): Axis | null {
  const full = series.filter((one) => one.sent.length > 0);
  if (full.length === 0 || width < 1) return null;
  const fromMs = full.reduce((least, one) => Math.min(least, one.fromMs), Number.POSITIVE_INFINITY);
  const endMs = full.reduce(
    (most, one) => Math.max(most, one.fromMs + one.stepMs * one.sent.length),
    Number.NEGATIVE_INFINITY,
  );
  const ownStep = full.reduce((most, one) => Math.max(most, one.stepMs), 1);
  const steps = Math.ceil((endMs - fromMs) / ownStep);
  const together = Math.ceil(steps / width);
  const values = Math.ceil(steps / together);
  return {
    fromMs,
    toMs: fromMs + values * together * ownStep,
    stepMs: together * ownStep,
    values,
    repeat: Math.min(MOST_REPEATS, Math.floor(width / values)),
  };
}

/** Sums of one or more series over the columns of the axis. A step belongs to the column in which it starts. */
export function heatValues(
  axis: Axis,
  series: readonly Series[],
  pick: "sent" | "throttled",
): readonly number[] {
  const values = Array.from({ length: axis.values }, () => 0);
  for (const one of series) {
    one[pick].forEach((count, i) => {
      const column = Math.floor((one.fromMs + i * one.stepMs - axis.fromMs) / axis.stepMs);
      if (column in values) values[column] = (values[column] ?? 0) + count;
    });
  }
  return values;
}

/** The strip; `top` is the value of a full block. Anything above zero shows. */
export function drawHeat(axis: Axis, values: readonly number[], top: number, glyphs: Glyphs): string {
  const { levels, none } = glyphs;
  return values
    .map((value) => {
      const level = Math.min(levels.length, Math.ceil((value / top) * levels.length));
      return (value > 0 ? (levels[level - 1] ?? none) : none).repeat(axis.repeat);
    })
    .join("");
}

const DAY_MS = 86_400_000;
/** Within this, minutes alone would not tell the ends apart well. */
const SHORT_MS = 600_000;

/** The times of both ends, set over the strip. */
export function axisHead(axis: Axis): string {
  const [from, to] = [axisTime(axis, axis.fromMs), axisTime(axis, axis.toMs)];
  return from + padStart(to, Math.max(to.length + 1, axis.values * axis.repeat - from.length));
}

function axisTime(axis: Axis, ms: number): string {
  // Beyond what a date can hold there is no time of day.
  if (Math.abs(ms) > 8.64e15) return String(ms);
  const time = new Date(ms).toISOString();
  const length = axis.toMs - axis.fromMs;
  if (length < SHORT_MS) return time.slice(-13, -5);
  return length < DAY_MS ? time.slice(-13, -8) : time.slice(-19, -14);
}
