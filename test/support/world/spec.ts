import type { DurationMs, EpochMs } from "../../../src/model/time.ts";

/**
 * A world as plain data: what the servers allow, who wants to call when, how clients behave, what the log tells of it.
 * Times inside are ms after `startMs`. The same data gives the same records; changed data meets the same luck.
 */
export interface WorldSpec {
  readonly seed: number;
  readonly startMs: EpochMs;
  readonly servers: readonly ServerSpec[];
  readonly limiters: readonly LimiterSpec[];
  readonly agents: readonly AgentSpec[];
  readonly pipelines: readonly PipelineSpec[];
  readonly log: LogSpec;
}

export const LIMIT_IDS = [
  "requests",
  "tokens",
  "input-tokens",
  "output-tokens",
  "requests-day",
  "tokens-day",
  "concurrency",
] as const;

export type LimitId = (typeof LIMIT_IDS)[number];

/** A token bucket that refills without steps; `concurrency` is a cap on requests in flight instead. */
export interface LimitSpec {
  readonly id: LimitId;
  /** Per minute, or per day for `-day`; for concurrency the cap. */
  readonly amount: number;
  /** How much the bucket holds. */
  readonly capacity: number;
  /** Share of the capacity that is there at the start; left out = full. */
  readonly initial?: number;
  /** False = no header states it; left out = headers do where the provider has one. */
  readonly inHeaders?: boolean;
}

/** How long the server tells refused clients to wait. */
export interface HintSpec {
  /** `exact`: until the request would fit; `fixed`: always `ms`; `none`: nothing told. */
  readonly kind: "exact" | "fixed" | "none";
  readonly ms?: DurationMs;
}

/** `bare`: a server that says "too many requests" and little else. */
export const WORDINGS = ["anthropic", "openai", "groq", "bare"] as const;

export type WordingId = (typeof WORDINGS)[number];

export interface ServerSpec {
  /** Name inside the world. */
  readonly id: string;
  readonly wording: WordingId;
  readonly provider: string;
  readonly model: string;
  /** null = neither the log nor an error text tells it. */
  readonly org: string | null;
  /** Error texts in full, as the providers write them, or only their first sentence. */
  readonly texts: "full" | "short";
  readonly limits: readonly LimitSpec[];
  readonly hint: HintSpec;
  /** Time to answer; the logarithm is normally distributed. */
  readonly service: Spread;
  /** A share of the requests in these spans is turned away for want of capacity. */
  readonly overloads: readonly OverloadSpec[];
  /** Share of admitted requests that fail with 500. */
  readonly flakyShare: number;
  /** In these spans every request is refused for money, or says so. */
  readonly billings: readonly BillingSpec[];
  /** Refuses growth: more in a minute than `factor` times the mean of the ten minutes before it, once over `floor`. */
  readonly ramp: { readonly floor: number; readonly factor: number } | null;
}

export interface OverloadSpec {
  readonly fromMs: DurationMs;
  readonly toMs: DurationMs;
  readonly share: number;
  readonly status: 529 | 503;
}

export interface BillingSpec {
  readonly fromMs: DurationMs;
  readonly toMs: DurationMs;
  readonly words: "insufficient-quota" | "credit-balance" | "spend-limit";
}

export interface Spread {
  readonly median: number;
  readonly sigma: number;
}

/** A client's own token bucket; agents that name the same one share it. */
export interface LimiterSpec {
  readonly id: string;
  readonly ratePerMinute: number;
  readonly burst: number;
  readonly tokensPerMinute?: number;
  readonly order: "fifo" | "priority";
}

export interface RetrySpec {
  /** With the first. */
  readonly maxAttempts: number;
  /** Wait after the n-th failed attempt: `baseMs * factor^(n-1)`, at most `capMs`, then jitter. */
  readonly baseMs: DurationMs;
  readonly factor: number;
  readonly capMs: DurationMs;
  /** `full`: U(0,1) of it; `equal`: U(0.5,1); `down`: U(0.75,1), as the SDKs; `added`: plus U(0, jitterMs). */
  readonly jitter: "none" | "full" | "equal" | "down" | "added";
  readonly jitterMs?: DurationMs;
  /** null = the server's hint is not read. */
  readonly hint: HintPolicy | null;
  /** Statuses that are sent again; 0 = no answer. */
  readonly on: readonly number[];
  /** A second layer around the first: begins all over again, `rounds` times in all, after a pause. */
  readonly layer?: { readonly rounds: number; readonly pauseMs: DurationMs };
}

export interface HintPolicy {
  /** A longer hint is not obeyed: the curve is used. */
  readonly atMostMs: DurationMs;
  /** Wait is hint * (1 + U * jitterShare) + U * jitterMs. */
  readonly jitterShare: number;
  readonly jitterMs: DurationMs;
}

export interface BreakerSpec {
  readonly openAfter: number;
  readonly windowMs: DurationMs;
  readonly pauseMs: DurationMs;
  /** `hold`: sends wait until it closes; `refuse`: they fail on the client's side at once. */
  readonly whenOpen: "hold" | "refuse";
}

export interface AgentSpec {
  /** Empty = its calls carry no tag. */
  readonly name: string;
  /** Share of its calls that carry the tag; left out = all. */
  readonly taggedShare?: number;
  readonly server: string;
  readonly key: string;
  readonly arrivals: readonly ArrivalSpec[];
  readonly inputTokens: Spread;
  readonly outputTokens: Spread;
  /** Output tokens that each request reserves; left out = not told. */
  readonly maxTokens?: number;
  /** Instead of the server's. */
  readonly service?: Spread;
  readonly retry: RetrySpec;
  readonly limiter?: string;
  /** Requests in flight at once. */
  readonly cap?: number;
  readonly breaker?: BreakerSpec;
  readonly priority?: "critical" | "normal" | "background" | number;
  /** The client cuts an answer that takes longer. */
  readonly timeoutMs?: DurationMs;
  /** A share of its calls can never pass. */
  readonly bad?: { readonly share: number; readonly status: 400 | 401 | 403 | 404 | 413 | 429 };
  /** What the orchestrator does when one of its calls ends without success. */
  readonly onFailure?: { readonly by: string; readonly actions: readonly string[] };
}

export type ArrivalSpec =
  | PoissonArrivals
  | BurstArrivals
  | ({ readonly kind: "loop"; readonly workers: number; readonly thinkMs: number } & ArrivalSpan);

interface ArrivalSpan {
  readonly fromMs: DurationMs;
  readonly toMs: DurationMs;
  readonly run: string;
}

export type PoissonArrivals = { readonly kind: "poisson"; readonly perMinute: number } & ArrivalSpan;

/** `count` calls within `overMs`, evenly (`even`), at random, or all at once (0). */
export interface BurstArrivals {
  readonly kind: "burst";
  readonly atMs: DurationMs;
  readonly count: number;
  readonly overMs: DurationMs;
  readonly even?: true;
  readonly run: string;
}

export interface PipelineSpec {
  readonly runs: readonly RunSpec[];
  readonly stages: readonly StageSpec[];
  /** A stage whose work failed or that gave up waiting: its waiters see an error, or nothing and wait on. */
  readonly failure: "told" | "silent";
  /** What is done when the last stage has failed. */
  readonly onFailure: readonly { readonly agent: string; readonly action: string }[];
}

export interface RunSpec {
  readonly id: string;
  readonly atMs: DurationMs;
  /** Multiplies the calls of the stages that scale. */
  readonly scale: number;
}

export interface StageSpec {
  /** Name of an agent of the world. */
  readonly agent: string;
  readonly calls: number;
  readonly scales: boolean;
  /** Its calls start within this long; 0 = all at once. */
  readonly overMs: DurationMs;
  /** Begins this long after the run (with `waitsFor`: begins to wait). */
  readonly afterMs: DurationMs;
  readonly waitsFor?: string;
  readonly timeoutMs?: DurationMs;
}

export interface LogSpec {
  /** Fields of attempts that the log does not carry. */
  readonly omit: readonly string[];
  /** Only what ended in this span is in the log; null = all. */
  readonly keep: { readonly fromMs: DurationMs; readonly toMs: DurationMs } | null;
  /** Order of the lines: by end, as a logger writes them, or by start. */
  readonly order: "end" | "sent";
}
