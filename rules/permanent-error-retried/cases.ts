import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, chain, REFUSED } from "../../test/support/traffic.ts";

type Fields = { readonly [field: string]: unknown };

const BAD = { status: 400, error_type: "invalid_request_error", duration_ms: 50 };
const NO_KEY = { status: 401, error_type: "authentication_error", duration_ms: 50 };
const NO_QUOTA = {
  provider: "openai",
  model: "gpt-4o",
  status: 429,
  error_code: "insufficient_quota",
  duration_ms: 50,
};
const TOO_LARGE = {
  provider: "openai",
  model: "gpt-4o",
  status: 429,
  error_code: "rate_limit_exceeded",
  error_message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 61000.",
  duration_ms: 50,
};

interface Stubborn {
  readonly agent?: string;
  readonly calls?: number;
  readonly repeats: number;
  readonly error?: Fields;
  /** How the last attempt of each call ends; by default as all others. */
  readonly last?: (call: number) => Fields;
}

/** Calls that are sent again after the same answer. */
function stubborn({ agent = "code", calls = 1, repeats, error = BAD, last }: Stubborn): RecordInput[] {
  return Array.from({ length: calls }, (_, i) =>
    chain({
      agent,
      id: `${agent}-${i}`,
      fromMs: i * 10_000,
      waitsMs: Array.from({ length: repeats }, () => 1_000),
      failed: error,
      last: last?.(i) ?? error,
    }),
  ).flat();
}

export const cases: RuleCases = {
  loud: [
    {
      name: "a bad request is sent three times",
      log: () => stubborn({ repeats: 2 }),
      expect: {
        outcome: "found",
        agents: ["code"],
        severity: "error",
        message: "retried",
        fixKinds: ["classify"],
        // Two waits of a second and two more answers of 50 ms.
        numbers: { calls: 1, repeats: 2, again: 2, wasted: 2_100 },
        fix: { agent: "code" },
      },
    },
    {
      name: "a wrong key, call after call",
      log: () => stubborn({ calls: 6, repeats: 3, error: NO_KEY }),
      expect: { outcome: "found", agents: ["code"], numbers: { calls: 6, repeats: 18 } },
    },
    {
      name: "429 without quota is final as well",
      log: () => stubborn({ repeats: 4, error: NO_QUOTA }),
      expect: { outcome: "found", agents: ["code"], numbers: { again: 4 } },
    },
    {
      name: "429 for a request that is larger than the bucket",
      log: () => stubborn({ repeats: 4, error: TOO_LARGE }),
      expect: { outcome: "found", agents: ["code"] },
    },
    {
      name: "different errors of one agent are one finding",
      log: () => [
        ...stubborn({ calls: 2, repeats: 2 }),
        ...stubborn({ repeats: 3, error: NO_KEY }).map((record) => ({ ...record, call_id: "other" })),
      ],
      expect: { outcome: "found", agents: ["code"], numbers: { calls: 3, repeats: 7 } },
    },
    {
      name: "two agents at once",
      log: () => [...stubborn({ repeats: 2 }), ...stubborn({ agent: "review", repeats: 5 })],
      expect: { outcome: "found", agents: ["code", "review"], numbers: { repeats: 5 } },
    },
    {
      name: "untagged traffic",
      log: () => stubborn({ repeats: 3 }).map((record) => ({ ...record, agent: undefined })),
      expect: { outcome: "found", agents: [] },
    },
  ],
  quiet: [
    {
      name: "errors that end their calls",
      log: () => attempts({ agent: "code", fromMs: 0, everyMs: 1_000, count: 20, fields: BAD }),
      expect: { outcome: "clear" },
    },
    {
      name: "a rate limit is repeated: it can pass",
      log: () => stubborn({ calls: 4, repeats: 3, error: REFUSED }),
      expect: { outcome: "clear" },
    },
    {
      name: "a conflict is repeated: it can pass",
      log: () => stubborn({ calls: 4, repeats: 3, error: { status: 409, error_type: "conflict_error" } }),
      expect: { outcome: "clear" },
    },
    {
      name: "a key that was renewed: every repeat passes",
      log: () => stubborn({ calls: 8, repeats: 1, error: NO_KEY, last: () => ({ status: 200 }) }),
      expect: { outcome: "clear" },
    },
    {
      name: "nothing says which attempts belong together",
      log: () => stubborn({ calls: 4, repeats: 3 }).map((record) => ({ ...record, call_id: undefined })),
      expect: { outcome: "unknown" },
    },
    {
      name: "nothing failed",
      log: () => attempts({ agent: "code", fromMs: 0, everyMs: 1_000, count: 20 }),
      expect: { outcome: "clear" },
    },
  ],
  edge: [
    { name: "minRepeats: one", log: () => stubborn({ repeats: 1 }), expect: { outcome: "clear" } },
    {
      name: "minRepeats: one a call, of two calls",
      log: () => stubborn({ calls: 2, repeats: 1 }),
      expect: { outcome: "found", agents: ["code"], numbers: { again: 2 } },
    },
    {
      name: "passedShare: 2 of 4 calls pass in the end",
      log: () => stubborn({ calls: 4, repeats: 2, last: (call) => (call < 2 ? { status: 200 } : BAD) }),
      expect: { outcome: "clear" },
    },
    {
      name: "passedShare: 1 of 4 calls passes in the end",
      log: () => stubborn({ calls: 4, repeats: 2, last: (call) => (call < 1 ? { status: 200 } : BAD) }),
      expect: { outcome: "found", agents: ["code"], numbers: { repeats: 8, again: 7 } },
    },
    {
      name: "too little data: one error",
      log: () => attempts({ agent: "code", fromMs: 0, everyMs: 1_000, count: 1, fields: BAD }),
      expect: { outcome: "clear" },
    },
  ],
};
