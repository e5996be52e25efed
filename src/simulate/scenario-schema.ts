import { z } from "zod";

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

/** More calls than this are a typing error. */
export const MOST_CALLS = 5_000_000;

/** 300 years: epoch times pass, and sums of milliseconds stay exact. */
const MOST_MS = 10_000_000_000_000;

const amount = z.number().nonnegative();
const durationMs = amount.max(MOST_MS);

const SERVER = z.strictObject({
  capacity: z.number().min(1, "must be at least 1: a smaller bucket never accepts a call"),
  ratePerSecond: amount,
});

const LIMITER = z.strictObject({
  ratePerSecond: amount,
  burst: z.number().min(1, "must be at least 1: a smaller bucket never holds a token"),
});

const RETRY = z.strictObject({
  baseMs: durationMs,
  factor: z.number().min(1, "must be at least 1: shrinking waits never end"),
  jitterMs: durationMs.default(0),
  maxRetries: z.int().nonnegative().optional(),
});

const GROUP = z.strictObject({
  count: z.int().nonnegative().max(MOST_CALLS),
  atMs: durationMs.default(0),
  everyMs: durationMs.default(0),
  priority: z.int().nonnegative().default(1),
  critical: z.array(z.int().nonnegative()).default([]),
});

const WEIGHTS = z.strictObject({ weighted: z.int().positive() });
const AGING_RATE = z.strictObject({ perSecond: amount });
const AGING_LIMIT = z.strictObject({ afterMs: durationMs });

const STRATEGY = z.strictObject({
  // It is printed as it is, so nothing in it may move the cursor or break the line.
  id: z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u, "must be 1 to 80 printable characters"),
  retry: z.boolean().default(true),
  concurrency: z.int().positive().optional(),
  limiter: LIMITER.optional(),
  order: z
    .union([z.enum(["fifo", "priority"]), WEIGHTS], 'must be "fifo", "priority" or { "weighted": n }, n >= 1')
    .default("fifo"),
  aging: z
    .union([AGING_RATE, AGING_LIMIT], 'must be { "perSecond": a } or { "afterMs": T }, 0 or more')
    .optional(),
});

const WORLD = z.strictObject({
  $schema: z.string().optional(),
  server: SERVER,
  latencyMs: durationMs,
  seed: z
    .int()
    .nonnegative()
    .max(2 ** 32 - 1)
    .default(20_261_012),
  retry: RETRY.default({ baseMs: 500, factor: 2, jitterMs: 200 }),
  calls: z.array(GROUP),
  strategies: z.array(STRATEGY).min(1),
});

export const SCENARIO: z.ZodType<Scenario> = WORLD;

/** The keys that the file may have at its top, and in the parts of these names. */
export const KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "": WORLD.shape,
    server: SERVER.shape,
    retry: RETRY.shape,
    calls: GROUP.shape,
    strategies: STRATEGY.shape,
    limiter: LIMITER.shape,
    order: WEIGHTS.shape,
    aging: { ...AGING_RATE.shape, ...AGING_LIMIT.shape },
  }).map(([part, shape]) => [part, Object.keys(shape)]),
);
