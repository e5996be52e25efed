import { createHash } from "node:crypto";

/**
 * Conversions of single values. Each returns undefined for a value that is there but impossible (a status "abc", a
 * negative duration): the field is then not told, and counted.
 */

const MAX_INT32 = 2 ** 31 - 1;

/** Longer names are a mistaken field (a prompt, a stack trace), and would stay in memory. */
const LONGEST_NAME = 1_000;

/** What programs write for "no value" in a column of numbers. */
const NO_VALUE: ReadonlySet<string> = new Set(["null", "none", "nil", "undefined", "-"]);

export function isNoValue(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "string" && NO_VALUE.has(value.toLowerCase());
}

/** Names and ids: texts as they are, numbers as text. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value.length <= LONGEST_NAME ? value : undefined;
  return typeof value === "number" ? String(value) : undefined;
}

const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** `Number` alone would read "" as 0 and "0x10" as 16. NaN = no number. */
export function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return Number.NaN;
  const text = value.trim();
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}

/** Whole, 0 to 2^31-1. */
export function toInteger(value: unknown): number | undefined {
  const number = toNumber(value);
  return Number.isInteger(number) && number >= 0 && number <= MAX_INT32 ? number : undefined;
}

/** 1-based. */
export function toAttempt(value: unknown): number | undefined {
  const number = toInteger(value);
  return number === 0 ? undefined : number;
}

/** 100 to 599, also as `429 Too Many Requests`. null = 0, which clients write where no response came. */
export function toStatus(value: unknown): number | null | undefined {
  const phrase = typeof value === "string" ? /^(\d{3}) /.exec(value)?.[1] : undefined;
  const number = toNumber(phrase ?? value);
  if (number === 0) return null;
  return Number.isInteger(number) && number >= 100 && number <= 599 ? number : undefined;
}

const PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["critical", 0],
  ["normal", 1],
  ["background", 2],
]);

export function toPriority(value: unknown): number | undefined {
  const named = typeof value === "string" ? PRIORITIES.get(value.toLowerCase()) : undefined;
  return named ?? toInteger(value);
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

export function toFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return typeof value === "string" || typeof value === "number"
    ? FLAGS.get(String(value).toLowerCase())
    : undefined;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["h", 3_600_000],
  ["m", 60_000],
  ["min", 60_000],
  ["s", 1_000],
  ["sec", 1_000],
  ["ms", 1],
  ["us", 0.001],
  ["µs", 0.001],
  ["μs", 0.001],
  ["ns", 0.000001],
]);

const PART = /(\d+(?:\.\d+)?) ?(h|min|ms|m|sec|s|us|µs|μs|ns) ?/y;

/** `1m3s`, `42.04ms`, `1.2 s` in milliseconds; NaN = no such text. */
export function durationWithUnits(value: unknown): number {
  if (typeof value !== "string" || value.length > 40 || value === "") return Number.NaN;
  let total = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < value.length) {
    const part = PART.exec(value);
    if (part === null) return Number.NaN;
    total += Number(part[1]) * (UNIT_MS.get(part[2] ?? "") ?? Number.NaN);
  }
  return total;
}

/** @param unitMs what a number without a unit is counted in */
export function toDuration(value: unknown, unitMs: number): number | undefined {
  const number = toNumber(value);
  const ms = Number.isNaN(number) ? durationWithUnits(value) : number * unitMs;
  return ms >= 0 && ms <= MAX_INT32 ? Math.round(ms) : undefined;
}

/** `agent:NAME` among tags: a list of texts, or texts separated by commas. null = none. */
export function agentOfTags(value: unknown): string | null {
  const tags = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [];
  for (const tag of tags as readonly unknown[]) {
    const name = typeof tag === "string" ? /^agent:(.+)$/.exec(tag.trim())?.[1] : undefined;
    if (name !== undefined) return name;
  }
  return null;
}

/** `agent:NAME:run:ID`; the run may be missing. null = some other user id. */
export function agentOfUser(value: unknown): { readonly agent: string; readonly run: string | null } | null {
  const parts = typeof value === "string" ? /^agent:(.+?)(?::run:(.+))?$/.exec(value) : null;
  return parts?.[1] === undefined ? null : { agent: parts[1], run: parts[2] ?? null };
}

/** The shapes in which providers hand out keys, and tokens of the bearer kind. */
const SECRET =
  /^(?:bearer\s+)?(?:sk-|rk-|pk-|gsk_|xai-|hf_|pplx-|r8_|nvapi-|AIza|AKIA|ASIA|ya29\.|eyJ)[\w.+/=-]{12,}$/i;

/** 32 characters and more without a separator. 64 hexadecimal digits are not it: gateways log the SHA-256 of a key. */
const KEY_MATERIAL = /^[A-Za-z0-9+/]{32,}={0,2}$/;

/** A key that could be used is replaced by eight hexadecimal digits of its hash: equal keys stay equal, no secret stays. */
export function withoutSecret(id: string): string {
  if (!SECRET.test(id) && (!KEY_MATERIAL.test(id) || /^[0-9a-f]{64}$/.test(id))) return id;
  return `key-${createHash("sha256").update(id).digest("hex").slice(0, 8)}`;
}
