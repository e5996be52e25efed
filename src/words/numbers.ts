import type { MeasuredNumber, Unit } from "../model/rule.ts";

/**
 * A number in words: `94 %`, `1,028`, `43/min`, `2 m 30 s`, `1.6x`, `30,000 tokens`. The unit is part of the text, except
 * for a count, whose noun is the sentence's. The same text on every machine: no locale is asked.
 */
export function formatNumber(value: number, unit: Unit): string {
  return Number.isFinite(value) ? UNIT_WORDS[unit](value) : "unknown";
}

const UNIT_WORDS: { readonly [U in Unit]: (value: number) => string } = {
  count: (value) => decimal(value),
  share: (value) => formatShare(value),
  ratio: (value) => `${decimal(value)}x`,
  ms: (value) => (value < 0 ? `-${formatDuration(-value)}` : formatDuration(value)),
  "per-minute": (value) => `${decimal(value)}/min`,
  "per-second": (value) => `${decimal(value)}/s`,
  tokens: (value) => counted(value, "token"),
  "tokens-per-minute": (value) => `${counted(value, "token")}/min`,
};

/** The number, and beside it the limit that it stands against: `94 % (limit 80 %)`. */
export function formatBesideLimit(number: MeasuredNumber): string {
  const value = formatNumber(number.value, number.unit);
  return number.limit === undefined ? value : `${value} (limit ${formatNumber(number.limit, number.unit)})`;
}

/** `1 call`, `1,028 calls`. `many` is for nouns that do not take an s. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${decimal(count)} ${count === 1 ? one : many}`;
}

/**
 * The digits that a reader needs: none from 100 up, one below, three significant ones below 1; trailing zeros dropped,
 * thousands grouped by commas.
 */
function decimal(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 1) return String(Number(value.toPrecision(3)));
  const rounded = size < 100 ? Math.round(value * 10) / 10 : Math.round(value);
  const [whole = "", fraction] = String(rounded).split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Never rounded to 0 % or 100 % from beside it: "all" and "almost all" are different findings. */
function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  const tenths = Math.round(percent * 10) / 10;
  if (percent > 99 && percent < 100) return `${Math.min(tenths, 99.9)} %`;
  if (percent > 100 && percent < 101) return `${Math.max(tenths, 100.1)} %`;
  return `${decimal(Math.abs(percent) < 10 ? tenths : Math.round(percent))} %`;
}

/** The two largest units that are not zero. Rounded once, in the smaller of them, so that 59.7 s is `1 m`, never `60 s`. */
function formatDuration(ms: number): string {
  const whole = Math.round(ms);
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 9_950) return `${Math.round(whole / 100) / 10} s`;
  const seconds = Math.round(whole / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return pair(seconds, 60, "m", "s");
  const minutes = Math.round(whole / 60_000);
  if (minutes < 1_440) return pair(minutes, 60, "h", "m");
  return pair(Math.round(whole / 3_600_000), 24, "d", "h");
}

function pair(total: number, base: number, large: string, small: string): string {
  const rest = total % base;
  const head = `${decimal((total - rest) / base)} ${large}`;
  return rest === 0 ? head : `${head} ${rest} ${small}`;
}
