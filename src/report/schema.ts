import { z } from "zod";
import { FACTS, PROBLEM_CODES } from "../model/log.ts";
import type { Report } from "../model/report.ts";
import { SEVERITIES } from "../model/rule.ts";

/**
 * The report's shape as a check and as a JSON Schema. Its types come from `model`: a field added in one place alone does
 * not compile (`Agreed`). Unknown keys are errors.
 */

/** A report's own times are ISO 8601 with milliseconds; a log's time that no date can hold stays a number of ms. */
const time = z
  .string()
  .regex(/^(?:(?:\d{4}|[+-]\d{6})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z|-?\d+(?:\.\d+)?)$/);
const count = z.int().nonnegative();
const severity = z.enum(SEVERITIES);
const dimension = z.enum(["requests", "tokens", "input-tokens", "output-tokens"]);

const input = z.strictObject({
  source: z.string(),
  format: z.string(),
  why: z.string(),
  timeUnit: z.string(),
  lines: count,
  accepted: count,
  rejected: count,
  blank: count,
  outside: count,
  assumed: z.array(z.string()),
});

const problem = z.strictObject({
  source: z.string(),
  line: count,
  code: z.enum(PROBLEM_CODES),
  detail: z.string(),
});

const bucket = z.strictObject({
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  limits: z.array(
    z.strictObject({
      dimension,
      perMinute: z.number(),
      burst: z.number().nullable(),
      source: z.enum(["config", "headers", "preset", "inferred"]),
    }),
  ),
  attempts: count,
  calls: count,
  throttled: count,
  peakPerSecond: z.number(),
  peakPerMinute: z.number(),
  wastedAttempts: count,
});

const agent = z.strictObject({
  name: z.string(),
  bucket: z.string(),
  attempts: count,
  calls: count,
  throttled: count,
  failed: count,
  shareOfAttempts: z.number(),
  shareOfTokens: z.number().nullable(),
  peakPerMinute: z.number(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  series: z.strictObject({
    fromMs: z.number(),
    stepMs: z.number().positive(),
    sent: z.array(count),
    throttled: z.array(count),
  }),
});

const evidence = z.strictObject({ source: z.string(), line: count, ts: time, note: z.string() });

const effectNumbers = z.strictObject({
  throttled: z.number(),
  attempts: z.number(),
  failed: z.number(),
  totalMs: z.number(),
  criticalMs: z.number().nullable(),
  waitP95Ms: z.number(),
});

const effect = z
  .strictObject({ before: effectNumbers, after: effectNumbers, backtestError: z.number() })
  .nullable();

const incident = z.strictObject({
  id: z.string(),
  bucket: z.string(),
  from: time,
  to: time,
  attempts: count,
  throttled: count,
  rateBefore: z.number().nullable(),
  rateAfterFirst429: z.number(),
  agents: z.array(z.string()),
  cascade: z.array(
    z.strictObject({
      agent: z.string(),
      role: z.enum(["cause", "carrier", "victim"]),
      what: z.string(),
      at: time,
      evidence,
    }),
  ),
  together: effect,
});

const fix = z.strictObject({
  kind: z.enum([
    "pace",
    "share",
    "prioritise",
    "age",
    "retry",
    "break",
    "timeout",
    "classify",
    "separate",
    "spread",
    "shrink",
    "batch",
    "tag",
    "billing",
    "raise-limit",
    "one-retry-layer",
  ]),
  summary: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  snippets: z.array(z.strictObject({ stack: z.string(), code: z.string() })),
  effect,
  notSimulatedBecause: z.string().exactOptional(),
});

const number = z.strictObject({
  value: z.number(),
  unit: z.enum(["count", "share", "ratio", "ms", "per-minute", "per-second", "tokens", "tokens-per-minute"]),
  limit: z.number().exactOptional(),
});

const finding = z.strictObject({
  rule: z.string(),
  severity,
  subject: z.strictObject({
    agent: z.string().exactOptional(),
    bucket: z.string().exactOptional(),
    key: z.string().exactOptional(),
    waiter: z.string().exactOptional(),
  }),
  incident: z.string().exactOptional(),
  title: z.string(),
  message: z.string(),
  numbers: z.record(z.string(), number),
  evidence: z.array(evidence),
  fixes: z.array(fix),
  fingerprint: z.string(),
  suppressed: z.strictObject({ by: z.string(), reason: z.string() }).exactOptional(),
});

const report = z.strictObject({
  schemaVersion: z.literal(1),
  tool: z.strictObject({ name: z.literal("why429"), version: z.string() }),
  verdict: z.strictObject({
    status: z.enum(["clear", "findings", "inconclusive"]),
    headline: z.string(),
  }),
  inputs: z.array(input),
  problems: z.array(problem),
  problemTotals: z.partialRecord(z.enum(PROBLEM_CODES), count),
  span: z.strictObject({ from: time, to: time }).nullable(),
  facts: z.strictObject({
    present: z.array(z.enum(FACTS)),
    missing: z.array(z.strictObject({ fact: z.enum(FACTS), because: z.string() })),
  }),
  buckets: z.array(bucket),
  agents: z.array(agent),
  incidents: z.array(incident),
  findings: z.array(finding),
  verdicts: z.array(
    z.strictObject({
      rule: z.string(),
      outcome: z.enum(["found", "clear", "unknown", "not-applicable", "error"]),
      because: z.string(),
    }),
  ),
  exitCode: z.literal([0, 1, 2, 3]),
});

/** zod knows no readonly: the report's type without it, at every depth. */
type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

// The generic functions make the compiler compare the two types exactly instead of by assignability.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Nothing can be assigned to this unless the schema and the model have the same type, optional keys included. */
type Agreed = Same<Mutable<Report>, z.infer<typeof report>> extends true ? Report : never;

/**
 * A report that came from outside, such as a JSON file written earlier.
 *
 * @throws ZodError naming every key that does not fit
 */
export function parseReport(value: unknown): Report {
  const checked: Agreed = report.parse(value);
  return checked;
}

/** JSON Schema (2020-12) of what the `json` format prints. */
export function reportJsonSchema(): object {
  return { title: "why429 report", ...z.toJSONSchema(report) };
}
