import { isOk } from "../../measure/attempts.ts";
import { callsOf } from "../../measure/calls.ts";
import { limitsOf } from "../../measure/limits.ts";
import { quantile } from "../../measure/statistics.ts";
import { bucketTraffic } from "../../measure/traffic.ts";
import { NOT_TOLD, type RequestLog, type ToldLimit } from "../../model/log.ts";
import { UserError } from "../../model/user-error.ts";
import { readLog } from "../../read/read.ts";
import { expandInputs } from "../../read/source.ts";
import { type Plan, type PlanLimit, type PlannedCall, planOf } from "../../simulate/plan.ts";
import { counted, formatNumber } from "../../words/numbers.ts";
import { safeText } from "../../words/safe.ts";
import { type Io, print } from "../io.ts";
import { parseLimit, parseTier } from "../parse/limits.ts";
import { readOptionsOf } from "../parse/read-options.ts";
import { textOf, textsOf, type Values } from "../values.ts";

/** From here on the guides ask for a shared limiter. */
const WARN_FROM = 0.7;
const MOST_CALLS = 1_000_000;

interface NamedPlan {
  readonly name: string;
  readonly plan: Plan;
}

/** Before going live: would this load be refused, and what pace makes it fit? 1 = it would be. */
export async function runPlan(files: readonly string[], values: Values, io: Io): Promise<number> {
  const told = [
    ...textsOf(values, "limit").flatMap(parseLimit),
    ...textsOf(values, "tier").flatMap(parseTier),
  ];
  const plans =
    files.length > 0 ? await plansFromLog(files, values, told, io) : [planFromFlags(values, told)];
  const text =
    textOf(values, "format") === "json" ? `${JSON.stringify(plans, null, 2)}\n` : plans.map(words).join("\n");
  await print(io.stdout, text);
  return plans.some(({ plan }) => plan.refused > 0) ? 1 : 0;
}

async function plansFromLog(
  files: readonly string[],
  values: Values,
  told: readonly ToldLimit[],
  io: Io,
): Promise<NamedPlan[]> {
  const read = await readLog(await expandInputs(files, io.stdin), readOptionsOf(values));
  const log: RequestLog = { ...read, told: { limits: told } };
  const plans = log.buckets.flatMap(({ id }, bucket) => {
    const limits = limitsOf(log).filter((limit) => limit.bucket === bucket);
    const calls = callsFromLog(log, bucket);
    return limits.length === 0 || calls.length === 0
      ? []
      : [{ name: safeText(id), plan: planOf(calls, limits) }];
  });
  if (plans.length === 0)
    throw new UserError(
      "the log has no calls or no known limit to plan against",
      "Give the limit: --limit '*:rpm=50,burst=5' or --tier anthropic:start.",
    );
  return plans;
}

/** First attempts only: retries are what a plan should make needless. */
function callsFromLog(log: RequestLog, bucket: number): PlannedCall[] {
  const { attempts } = log;
  const { repeated, last, of } = callsOf(log);
  const first = (bucketTraffic(log)[bucket]?.rows ?? new Uint32Array()).filter((row) => repeated[row] === 0);
  const start = attempts.sentMs[first[0] ?? 0] ?? 0;
  const ends = Array.from(first, (row) => last[of[row] ?? 0] ?? row);
  const typical =
    quantile(
      ends.filter((row) => isOk(attempts, row)).map((row) => attempts.durationMs[row] ?? 0),
      0.5,
    ) ?? 0;
  return Array.from(first, (row, i) => {
    const end = ends[i] ?? row;
    const told = (column: Int32Array): number => Math.max(0, column[end] ?? NOT_TOLD);
    return {
      atMs: (attempts.sentMs[row] ?? 0) - start,
      serviceMs: isOk(attempts, end) ? told(attempts.durationMs) : typical,
      inputTokens: told(attempts.inputTokens),
      outputTokens: told(attempts.outputTokens),
    };
  });
}

function planFromFlags(values: Values, told: readonly ToldLimit[]): NamedPlan {
  const tasks = wholeNumber(values, "tasks", null);
  const each = wholeNumber(values, "calls-per-task", 1);
  const tokens = wholeNumber(values, "tokens", 0);
  const serviceMs = wholeNumber(values, "latency-ms", 1_000);
  if (tasks * each > MOST_CALLS)
    throw new UserError(
      `--tasks x --calls-per-task is ${tasks * each}`,
      `At most ${MOST_CALLS} calls can be planned.`,
    );
  const limits = limitsFor(textOf(values, "model"), told);
  const calls = Array.from(
    { length: tasks * each },
    (): PlannedCall => ({ atMs: 0, serviceMs, inputTokens: tokens, outputTokens: 0 }),
  );
  return {
    name: `${counted(tasks, "task")} x ${counted(each, "call")} at once`,
    plan: planOf(calls, limits),
  };
}

function limitsFor(model: string | undefined, told: readonly ToldLimit[]): readonly PlanLimit[] {
  const models = [...new Set(told.map((limit) => limit.model))];
  const own =
    model === undefined
      ? told
      : told.filter((limit) => limit.model === "*" || limit.model.split("/").at(-1) === model);
  if (own.length === 0)
    throw new UserError(
      "no limit to plan against",
      "Give it: --limit '*:rpm=50,burst=5', or --tier anthropic:start --model claude-sonnet-5.",
    );
  if (model === undefined && models.length > 1)
    throw new UserError(
      `limits of ${models.length} models`,
      `Name one with --model: ${models.map((one) => one.split("/").at(-1)).join(", ")}.`,
    );
  return own;
}

function wholeNumber(values: Values, name: string, otherwise: number | null): number {
  const text = textOf(values, name);
  if (text === undefined) {
    if (otherwise !== null) return otherwise;
    throw new UserError(
      `nothing to plan: neither a log nor --${name}`,
      "Name a log, or write e.g. --tasks 50 --calls-per-task 3 --tokens 2000.",
    );
  }
  if (/^\d{1,9}$/.test(text) && (Number(text) > 0 || otherwise === 0)) return Number(text);
  throw new UserError(
    `--${name} ${text}: not a whole number above 0`,
    "Write e.g. --tasks 50 --calls-per-task 3 --tokens 2000.",
  );
}

function words({ name, plan }: NamedPlan): string {
  const verdict =
    plan.refused > 0
      ? `REFUSED  ${plan.refused} of ${counted(plan.calls, "call")} would be refused, the first after ${formatNumber(plan.firstRefusedMs ?? 0, "ms")}`
      : plan.dimensions.some((one) => one.peakShare >= WARN_FROM)
        ? "TIGHT  nothing would be refused, but the peak is over 70 % of a limit"
        : "FITS  nothing would be refused";
  const lines = plan.dimensions.map(
    ({ dimension, perMinute, burst, burstAssumed, peakPerMinute, peakShare }) => {
      const assumed = burstAssumed ? " (assumed: one second's worth; tell it with burst=)" : "";
      return `  ${dimension.padEnd(14)}peak ${formatNumber(peakPerMinute, "count")} of ${formatNumber(perMinute, "count")} a minute (${formatNumber(peakShare, "share")}), burst ${formatNumber(Math.floor(burst), "count")}${assumed}`;
    },
  );
  const { paced } = plan;
  const tokens =
    paced.tokensPerMinute === null ? "" : ` and ${formatNumber(paced.tokensPerMinute, "tokens-per-minute")}`;
  return [
    `${verdict}: ${name}`,
    ...lines,
    `  pace          one client token bucket of ${formatNumber(paced.ratePerMinute, "per-minute")} with burst ${formatNumber(paced.burst, "count")}${tokens}: ${paced.refused} refused`,
    `  the job       ${formatNumber(paced.totalMs, "ms")} behind it, p95 wait ${formatNumber(paced.waitP95Ms, "ms")}; at least ${formatNumber(plan.lowerBoundMs, "ms")} however it is sent; ${formatNumber(plan.unlimitedMs, "ms")} without a limit`,
    "",
  ].join("\n");
}
