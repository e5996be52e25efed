import { closest } from "fastest-levenshtein";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { UserError } from "../model/user-error.ts";

/** A checked scenario file: a server, the calls, and the client strategies to compare. */
export interface Scenario {
  readonly $schema?: string | undefined;
  readonly server: { readonly capacity: number; readonly ratePerSecond: number };
  readonly latencyMs: number;
  /** Of the jitter. */
  readonly seed: number;
  /** After the n-th refusal a call waits baseMs x factor^(n-1) + U x jitterMs. */
  readonly retry: {
    readonly baseMs: number;
    readonly factor: number;
    readonly jitterMs: number;
    readonly maxRetries?: number | undefined;
  };
  readonly calls: readonly CallGroup[];
  readonly strategies: readonly Strategy[];
}

/** The k-th call arrives at atMs + k x everyMs. */
export interface CallGroup {
  readonly count: number;
  readonly atMs: number;
  readonly everyMs: number;
  /** 0 is most urgent. */
  readonly priority: number;
  /** Positions in the group that get priority 0. */
  readonly critical: readonly number[];
}

export interface Strategy {
  readonly id: string;
  readonly retry: boolean;
  /** Accepted requests in flight at most. */
  readonly concurrency?: number | undefined;
  readonly limiter?: { readonly ratePerSecond: number; readonly burst: number } | undefined;
  readonly order: "fifo" | "priority" | { readonly weighted: number };
  readonly aging?: { readonly perSecond: number } | { readonly afterMs: number } | undefined;
}

const amount = z.number().nonnegative().finite();
/** More calls than this are a typing error. */
const MOST_CALLS = 5_000_000;

const LIMITER = z.strictObject({
  ratePerSecond: amount,
  burst: z.number().min(1, "must be at least 1: a smaller bucket never holds a token"),
});

const STRATEGY: z.ZodType<Strategy> = z.strictObject({
  id: z.string().min(1),
  retry: z.boolean().default(true),
  concurrency: z.int().positive().optional(),
  limiter: LIMITER.optional(),
  order: z
    .union([z.enum(["fifo", "priority"]), z.strictObject({ weighted: z.int().positive() })])
    .default("fifo"),
  aging: z.union([z.strictObject({ perSecond: amount }), z.strictObject({ afterMs: amount })]).optional(),
});

const SCENARIO: z.ZodType<Scenario> = z.strictObject({
  $schema: z.string().optional(),
  server: z.strictObject({
    capacity: z.number().min(1, "must be at least 1: a smaller bucket never accepts a call").finite(),
    ratePerSecond: amount,
  }),
  latencyMs: amount,
  seed: z
    .int()
    .nonnegative()
    .max(2 ** 32 - 1)
    .default(20_261_012),
  retry: z
    .strictObject({
      baseMs: z.number().positive().finite(),
      factor: z.number().min(1, "must be at least 1: shrinking waits never end").finite(),
      jitterMs: amount.default(0),
      maxRetries: z.int().nonnegative().optional(),
    })
    .default({ baseMs: 500, factor: 2, jitterMs: 200 }),
  calls: z.array(
    z.strictObject({
      count: z.int().nonnegative().max(MOST_CALLS),
      atMs: amount.default(0),
      everyMs: amount.default(0),
      priority: z.int().nonnegative().default(1),
      critical: z.array(z.int().nonnegative()).default([]),
    }),
  ),
  strategies: z.array(STRATEGY).min(1),
});

/**
 * Reads a scenario from JSON or YAML.
 *
 * @param name of the file, for messages
 * @throws UserError for text that is neither, unknown keys, impossible numbers, and worlds in which calls wait for ever
 */
export function parseScenario(text: string, name: string): Scenario {
  const parsed = SCENARIO.safeParse(parseText(text, name));
  if (!parsed.success) throw issueError(name, parsed.error.issues);
  for (const problem of problemsOf(parsed.data))
    throw new UserError(`${name}: ${problem.where}: ${problem.what}`, problem.hint);
  return parsed.data;
}

function parseText(text: string, name: string): unknown {
  try {
    // JSON is YAML, except that YAML is much slower: try the common case first.
    return /^\s*\{/.test(text) ? JSON.parse(text) : parseYaml(text, { maxAliasCount: 100 });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new UserError(
      `${name}: not JSON or YAML: ${why}`,
      "samples/simulate/burst-30.json shows the form.",
    );
  }
}

function issueError(name: string, issues: readonly z.core.$ZodIssue[]): UserError {
  const issue = deepest(issues);
  const where = issue.path.length === 0 ? "the file" : issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    return new UserError(
      `${name}: ${where}: unknown key "${key}"`,
      `Did you mean "${closest(key, [...KEYS])}"? samples/simulate/burst-30.json shows the form.`,
    );
  }
  return new UserError(
    `${name}: ${where}: ${issue.message}`,
    "samples/simulate/burst-30.json shows the form.",
  );
}

const KEYS: readonly string[] = [
  "server",
  "latencyMs",
  "seed",
  "retry",
  "calls",
  "strategies",
  "id",
  "concurrency",
  "limiter",
  "order",
  "aging",
  "ratePerSecond",
  "burst",
  "capacity",
  "baseMs",
  "factor",
  "jitterMs",
  "maxRetries",
  "count",
  "atMs",
  "everyMs",
  "priority",
  "critical",
  "weighted",
  "perSecond",
  "afterMs",
];

/** The complaint to tell; inside a choice of forms, that of the form that came furthest. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  // A misspelt key is the cause of the missing one beside it.
  const first = issues.find((issue) => issue.code === "unrecognized_keys") ?? issues[0];
  if (first === undefined) throw new RangeError("a failed check has an issue");
  if (first.code !== "invalid_union") return first;
  const inner = first.errors
    .map((errors) => deepest(errors))
    .find((issue) => issue.code === "unrecognized_keys");
  return inner === undefined ? first : { ...inner, path: [...first.path, ...inner.path] };
}

interface Problem {
  readonly where: string;
  readonly what: string;
  readonly hint: string;
}

/** What no schema can say: parts that do not fit each other. */
function problemsOf(scenario: Scenario): readonly Problem[] {
  const calls = scenario.calls.reduce((sum, group) => sum + group.count, 0);
  const found: Problem[] = [];
  if (calls > MOST_CALLS)
    found.push({ where: "calls", what: `${calls} calls`, hint: `At most ${MOST_CALLS} can be simulated.` });
  for (const [i, { count, critical }] of scenario.calls.entries()) {
    const outside = critical.find((position) => position >= count);
    if (outside !== undefined)
      found.push({
        where: `calls.${i}.critical`,
        what: `position ${outside} in a group of ${count}`,
        hint: "Positions count from 0 within the group.",
      });
  }
  const ids = scenario.strategies.map((strategy) => strategy.id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined)
    found.push({ where: "strategies", what: `two have the id "${twice}"`, hint: "Give each its own id." });
  return [
    ...found,
    ...scenario.strategies.flatMap((strategy) => strategyProblems(scenario, strategy, calls)),
  ];
}

function strategyProblems(
  { server, retry }: Scenario,
  strategy: Strategy,
  calls: number,
): readonly Problem[] {
  const where = `strategy ${strategy.id}`;
  const found: Problem[] = [];
  const { limiter } = strategy;
  const endless = strategy.retry && retry.maxRetries === undefined;
  if (endless && server.ratePerSecond === 0 && calls > server.capacity)
    found.push({
      where,
      what: "the server's rate is 0 and calls wait for it",
      hint: "Give it a rate, or set retry.maxRetries.",
    });
  if (limiter !== undefined && limiter.ratePerSecond === 0 && calls > limiter.burst)
    found.push({
      where,
      what: "the limiter's rate is 0 and calls wait for it",
      hint: "Give the limiter a rate.",
    });
  if (strategy.aging !== undefined && strategy.order !== "priority")
    found.push({
      where,
      what: "aging without priorities",
      hint: 'Aging changes priorities: set "order": "priority".',
    });
  return found;
}
