import type {
  BreakFix,
  ClassifyFix,
  FixKind,
  FixSpec,
  PaceFix,
  PrioritiseFix,
  RetryFix,
  ShareFix,
  SpreadFix,
} from "../model/fix.ts";
import { agentLabel, joinNames } from "./names.ts";
import { counted, formatNumber } from "./numbers.ts";

/** More names than this in one sentence are counted instead; the parameters keep them all. */
const MOST_NAMES = 6;

/** The fix as one imperative sentence with its numbers. Names come from the log: print it through `safeText`. */
export function describeFix(fix: FixSpec): string {
  if (fix.kind === "pace") return describePace(fix);
  if (fix.kind === "share") return describeShare(fix);
  if (fix.kind === "prioritise") return describePrioritise(fix);
  if (fix.kind === "age")
    return `Let a background call on ${fix.bucket} go first once it has waited ${formatNumber(fix.afterMs, "ms")}.`;
  if (fix.kind === "retry") return describeRetry(fix);
  if (fix.kind === "break") return describeBreak(fix);
  if (fix.kind === "timeout")
    return `Let ${agentLabel(fix.waiter)} wait at least ${formatNumber(fix.timeoutMs, "ms")} for ${agentLabel(fix.waitsFor)}.`;
  if (fix.kind === "classify") return describeClassify(fix);
  if (fix.kind === "separate")
    return `Move ${agentLabel(fix.agent)} from ${fix.from} to ${fix.to}, so that it draws on a bucket of its own.`;
  if (fix.kind === "spread") return describeSpread(fix);
  if (fix.kind === "shrink")
    return `Keep every call of ${agentLabel(fix.agent)} at or below ${formatNumber(fix.maxInputTokens, "count")} input tokens.`;
  return fix.advice;
}

/** Names and order are part of the report's contract. Advice has none: its sentence is all there is. */
const PARAMETERS: {
  readonly [K in FixKind]: readonly (keyof Extract<FixSpec, { readonly kind: K }> & string)[];
} = {
  pace: ["scope", "agent", "bucket", "ratePerMinute", "burst", "tokensPerMinute"],
  share: ["bucket", "agents"],
  prioritise: ["bucket", "critical"],
  age: ["bucket", "afterMs"],
  retry: [
    "agent",
    "bucket",
    "obeyRetryAfter",
    "baseMs",
    "factor",
    "capMs",
    "jitter",
    "jitterMs",
    "maxAttempts",
  ],
  break: ["agent", "bucket", "openAfter", "windowMs", "pauseMs"],
  timeout: ["waiter", "waitsFor", "timeoutMs"],
  classify: ["agent", "transient", "permanent"],
  separate: ["agent", "from", "to"],
  spread: ["agents", "overMs"],
  shrink: ["agent", "maxInputTokens"],
  batch: [],
  tag: [],
  billing: [],
  "raise-limit": [],
  "one-retry-layer": [],
};

/** The parameters by which a program applies the fix, without those that the fix leaves out. */
export function fixParameters(fix: FixSpec): { readonly [name: string]: unknown } {
  const told = new Map<string, unknown>(Object.entries(fix));
  const names: readonly string[] = PARAMETERS[fix.kind];
  return Object.fromEntries(
    names.filter((name) => told.get(name) !== undefined).map((name) => [name, told.get(name)]),
  );
}

function describePace(fix: PaceFix): string {
  const rate = `one token bucket of ${formatNumber(fix.ratePerMinute, "per-minute")} with burst ${formatNumber(fix.burst, "count")}`;
  const tokens =
    fix.tokensPerMinute === undefined
      ? ""
      : `, and one of ${formatNumber(fix.tokensPerMinute, "tokens-per-minute")},`;
  const place =
    fix.scope === "agent"
      ? `all workers of ${agentLabel(fix.agent ?? "")}`
      : `everything that calls ${fix.bucket}`;
  return `Put ${rate}${tokens} in front of ${place}.`;
}

function describeShare(fix: ShareFix): string {
  const shares = Object.entries(fix.agents).map(
    ([name, share]) =>
      `${agentLabel(name)} ${formatNumber(share.ratePerMinute, "per-minute")} (burst ${formatNumber(share.burst, "count")})`,
  );
  return `Give each agent on ${fix.bucket} a token bucket of its own: ${joinNames(shares, MOST_NAMES)}.`;
}

function describePrioritise(fix: PrioritiseFix): string {
  const callers = fix.critical.map((one) => (typeof one === "number" ? `priority ${one}` : agentLabel(one)));
  return `Send the calls of ${joinNames(callers, MOST_NAMES)} before all other calls on ${fix.bucket}.`;
}

function describeRetry(fix: RetryFix): string {
  const who = fix.agent === undefined ? `everything that calls ${fix.bucket}` : agentLabel(fix.agent);
  const growth = fix.factor === 2 ? "doubling" : `growing ${formatNumber(fix.factor, "ratio")}`;
  const curve =
    fix.factor === 1
      ? formatNumber(fix.baseMs, "ms")
      : `${formatNumber(fix.baseMs, "ms")} ${growth} up to ${formatNumber(fix.capMs, "ms")}`;
  return `Let ${who} wait as long as retry-after says, or else ${curve}, ${jitterWords(fix)}, and stop after ${counted(fix.maxAttempts, "attempt")}.`;
}

function jitterWords(fix: RetryFix): string {
  if (fix.jitter === "full") return "drawn at random from zero to that (full jitter)";
  if (fix.jitter === "equal") return "half of it drawn at random (equal jitter)";
  return fix.jitterMs === undefined
    ? "plus a random extra"
    : `plus a random extra of up to ${formatNumber(fix.jitterMs, "ms")}`;
}

function describeBreak(fix: BreakFix): string {
  const who = fix.agent === undefined ? `everything that calls ${fix.bucket}` : agentLabel(fix.agent);
  const after = `${counted(fix.openAfter, "refusal")} within ${formatNumber(fix.windowMs, "ms")}`;
  return `Pause ${who} for ${formatNumber(fix.pauseMs, "ms")} after ${after} (circuit breaker).`;
}

function describeClassify(fix: ClassifyFix): string {
  const who = fix.agent === undefined ? "everywhere" : `in ${agentLabel(fix.agent)}`;
  const wait = fix.transient.length === 0 ? "" : `retry ${joinNames(fix.transient.map(String))}`;
  const stop = fix.permanent.length === 0 ? "" : `fail at once on ${joinNames(fix.permanent.map(String))}`;
  const both = [wait, stop].filter((part) => part !== "").join(", and ");
  return `Tell passing errors from final ones ${who}: ${both}.`;
}

function describeSpread(fix: SpreadFix): string {
  const who = joinNames(fix.agents.map(agentLabel), MOST_NAMES);
  if (typeof fix.overMs === "number")
    return `Spread the starts of ${who} over ${formatNumber(fix.overMs, "ms")} instead of one moment.`;
  const { startPerMinute, growth, everyMs } = fix.overMs;
  const start = formatNumber(startPerMinute, "per-minute");
  return `Start ${who} at ${start} and raise the rate ${formatNumber(growth, "ratio")} every ${formatNumber(everyMs, "ms")}.`;
}
