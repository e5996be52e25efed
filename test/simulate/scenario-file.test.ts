import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UserError } from "../../src/model/user-error.ts";
import { simulateScenario, type StrategyResult } from "../../src/simulate/scenario.ts";
import { parseScenario } from "../../src/simulate/scenario-file.ts";

const BURST = readFileSync(join(import.meta.dirname, "../../samples/simulate/burst-30.json"), "utf8");

const SMALL = {
  server: { capacity: 5, ratePerSecond: 5 },
  latencyMs: 120,
  calls: [{ count: 30, critical: [3] }],
  strategies: [{ id: "x" }],
};

function run(text: string): readonly StrategyResult[] {
  return simulateScenario(parseScenario(text, "world.json"));
}

function problemOf(text: string): UserError {
  try {
    run(text);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new RangeError("nothing was wrong");
}

describe("what may be left out", () => {
  test("a small file takes the experiment's seed and retries, FIFO, priority 1, everything at once", () => {
    expect(parseScenario(JSON.stringify(SMALL), "world.json")).toEqual({
      ...SMALL,
      seed: 20_261_012,
      retry: { baseMs: 500, factor: 2, jitterMs: 200 },
      calls: [{ count: 30, atMs: 0, everyMs: 0, priority: 1, critical: [3] }],
      strategies: [{ id: "x", retry: true, order: "fifo" }],
    });
  });

  test("no calls, no time", () => {
    const [row] = run(JSON.stringify({ ...SMALL, calls: [] }));
    expect(JSON.stringify(row)).toBe(
      '{"id":"x","throttled":0,"retries":0,"failed":0,"totalMs":0,"criticalMs":null,"backgroundMaxMs":null}',
    );
  });

  test("all refused: no completion, so no critical and no background time", () => {
    const all = {
      ...SMALL,
      server: { capacity: 1, ratePerSecond: 0 },
      calls: [{ count: 2 }, { count: 1, priority: 0 }],
    };
    const [row] = run(JSON.stringify({ ...all, strategies: [{ id: "x", retry: false }] }));
    expect(row).toMatchObject({
      throttled: 2,
      failed: 2,
      totalMs: 120,
      criticalMs: null,
      backgroundMaxMs: 120,
    });
  });
});

describe("one text, several spellings", () => {
  test.each([
    ["a byte-order mark", (json: string) => `\uFEFF${json}`],
    ["a flow mapping without quotes", (json: string) => json.replaceAll(/"([a-zA-Z]+)":/g, "$1:")],
    ["a comment at the end", (json: string) => `${json} # as published`],
    ["carriage returns", (json: string) => json.replaceAll("\n", "\r\n")],
  ])("%s", (_name, spell) => {
    expect(run(spell(BURST))).toEqual(run(BURST));
  });

  test("YAML", () => {
    const text = [
      "server: { capacity: 5, ratePerSecond: 5 }",
      "latencyMs: 120",
      "calls:",
      "  - count: 30",
      "    critical: [3]",
      "strategies:",
      "  - id: x",
    ].join("\n");
    expect(run(text)).toEqual(run(JSON.stringify(SMALL)));
  });
});

describe("what is wrong is told, with the place and what to do", () => {
  test.each([
    ["a misspelt key", { sever: 1 }, 'the file: unknown key "sever"', 'Did you mean "server"?'],
    [
      "a key of another part",
      { capacity: 1 },
      'unknown key "capacity"',
      "The keys here are $schema, server,",
    ],
    ["a key that moves the cursor", { "a\u001B[31m\n": 1 }, 'unknown key "a?[31m?"', "The keys here are"],
    ["a negative number", { latencyMs: -1 }, "latencyMs: ", "samples/simulate"],
    ["a number in quotes", { latencyMs: "120" }, "latencyMs: ", "samples/simulate"],
    ["a time beyond all times", { latencyMs: 1e300 }, "latencyMs: ", "samples/simulate"],
    ["too many calls", { calls: [{ count: 5_000_001 }] }, "calls.0.count: ", "samples/simulate"],
    [
      "too many together",
      { calls: [{ count: 5_000_000 }, { count: 1 }] },
      "5000001 calls",
      "At most 5000000",
    ],
    ["part of a call", { calls: [{ count: 1.5 }] }, "calls.0.count: ", "samples/simulate"],
    ["a position outside", { calls: [{ count: 3, critical: [3] }] }, "position 3 in a group of 3", "from 0"],
    ["no strategy", { strategies: [] }, "strategies: ", "samples/simulate"],
    ["a misspelt strategy key", { strategies: [{ id: "x", limitr: {} }] }, "strategies.0: ", '"limiter"'],
    ["one id twice", { strategies: [{ id: "x" }, { id: "x" }] }, 'two have the id "x"', "its own id"],
    ["an id over two lines", { strategies: [{ id: "a\nb" }] }, "strategies.0.id: ", "samples/simulate"],
    ["an unknown order", { strategies: [{ id: "x", order: "lifo" }] }, '"priority" or', "samples/simulate"],
    ["a misspelt weight", { strategies: [{ id: "x", order: { wieghted: 2 } }] }, ".order: ", '"weighted"'],
    ["a weight of none", { strategies: [{ id: "x", order: { weighted: 0 } }] }, ".order", "samples/simulate"],
    [
      "two ways to age",
      { strategies: [{ id: "x", order: "priority", aging: { perSecond: 1, afterMs: 1 } }] },
      "one of perSecond, afterMs, not both",
      "samples/simulate",
    ],
    [
      "aging without priorities",
      { strategies: [{ id: "x", aging: { afterMs: 1 } }] },
      "aging without priorities",
      '"order": "priority"',
    ],
    ["a server that never accepts", { server: { capacity: 0.5, ratePerSecond: 5 } }, "at least 1", "samples"],
    [
      "a limiter that never sends",
      { strategies: [{ id: "x", limiter: { ratePerSecond: 5, burst: 0.9 } }] },
      "at least 1",
      "samples/simulate",
    ],
    ["a server that never refills", { server: { capacity: 5, ratePerSecond: 0 } }, "rate is 0", "maxRetries"],
    [
      "a limiter that never refills",
      { strategies: [{ id: "x", limiter: { ratePerSecond: 0, burst: 29 } }] },
      "rate is 0",
      "Give the limiter a rate",
    ],
    ["retries at once", { retry: { baseMs: 0, factor: 2 } }, "sent again at once", "retry.baseMs"],
    ["shrinking waits", { retry: { baseMs: 500, factor: 0.5 } }, "retry.factor: ", "samples/simulate"],
    ["a seed beyond 32 bits", { seed: 2 ** 32 }, "seed: ", "samples/simulate"],
  ])("%s", (_name, change, message, hint) => {
    const problem = problemOf(JSON.stringify({ ...SMALL, ...change }));
    expect(problem.message).toMatch(/^world\.json: /);
    expect(problem.message).toContain(message);
    expect(problem.hint).toContain(hint);
  });

  test.each([
    ["nothing", ""],
    ["no mapping", "- 1"],
    ["half a file", BURST.slice(0, 200)],
    ["not a number", BURST.replace("120", ".nan")],
    ["infinity in YAML", "latencyMs: .inf"],
    ["a bomb of aliases", `a: &a [1,1]\n${"b: [*a,*a,*a,*a,*a,*a,*a,*a]\n".repeat(40)}`],
    ["brackets without end", "[".repeat(10_000)],
    ["a tag", "!!js/function 'x'"],
    ["a prototype", '{"__proto__": {"server": 1}}'],
  ])("%s", (_name, text) => {
    expect(problemOf(text).message).toMatch(/^world\.json: [^\n]+$/);
  });
});

describe("a world without an end is an error, not a wait", () => {
  test.each([
    [
      "retries use up a limiter that never refills",
      { calls: [{ count: 8 }], strategies: [{ id: "x", limiter: { ratePerSecond: 0, burst: 8 } }] },
      "a token that never comes",
    ],
    [
      "hammering a server for an hour",
      {
        server: { capacity: 1, ratePerSecond: 1e-4 },
        calls: [{ count: 2 }],
        retry: { baseMs: 1, factor: 1 },
      },
      "events",
    ],
    [
      "waits beyond all numbers",
      { server: { capacity: 1, ratePerSecond: 1e-300 }, retry: { baseMs: 1e12, factor: 1e300 } },
      "beyond any number of seconds",
    ],
  ])("%s", (_name, change, message) => {
    const problem = problemOf(JSON.stringify({ ...SMALL, ...change }));
    expect(problem.message).toContain('strategy "x" never ends: ');
    expect(problem.message).toContain(message);
  });

  test("with a bound on retries, retrying at once and a server without refill end", () => {
    const [row] = run(
      JSON.stringify({
        ...SMALL,
        server: { capacity: 5, ratePerSecond: 0 },
        retry: { baseMs: 0, factor: 2, maxRetries: 2 },
      }),
    );
    expect(row).toMatchObject({ throttled: 75, retries: 50, failed: 25, totalMs: 120, criticalMs: 120 });
  });

  test("a base of nothing with jitter is a retry scheme like others", () => {
    const [row] = run(JSON.stringify({ ...SMALL, retry: { baseMs: 0, factor: 1e300, jitterMs: 200 } }));
    expect(row?.failed).toBe(0);
  });
});

/** Numbers that break programs, and things that are no numbers. None of them is a huge valid count. */
const NUMBERS = [
  0,
  -0,
  1,
  2,
  0.5,
  20,
  -1,
  1e-320,
  1e-9,
  1e12,
  1e300,
  2 ** 53,
  Number.NaN,
  Number.POSITIVE_INFINITY,
];
const OTHERS = [
  "",
  "5",
  "priority",
  null,
  true,
  [],
  {},
  [1],
  { weighted: 2 },
  { perSecond: 1 },
  { afterMs: 5 },
];

const PLACES = `
  server server.capacity server.ratePerSecond latencyMs seed retry retry.baseMs retry.factor retry.jitterMs
  retry.maxRetries calls calls.0.count calls.0.atMs calls.0.everyMs calls.0.priority calls.0.critical strategies
  strategies.0.id strategies.0.retry strategies.0.concurrency strategies.0.order strategies.0.aging
  strategies.0.limiter strategies.0.limiter.burst strategies.0.limiter.ratePerSecond more`;

/** A path into the sample and what to put there. */
const change = fc.record({
  at: fc.constantFrom(...PLACES.trim().split(/\s+/)),
  value: fc.oneof(fc.constantFrom(...NUMBERS), fc.constantFrom<unknown>(...OTHERS)),
});

function put(target: unknown, [key = "", ...rest]: readonly string[], value: unknown): unknown {
  if (Array.isArray(target)) {
    const items: readonly unknown[] = target;
    return items.map((item, i) => (String(i) === key ? put(item, rest, value) : item));
  }
  if (typeof target !== "object" || target === null) return target;
  const fields = new Map<string, unknown>(Object.entries(target));
  fields.set(key, rest.length === 0 ? value : put(fields.get(key), rest, value));
  return Object.fromEntries(fields);
}

const FULL = {
  ...SMALL,
  retry: { baseMs: 500, factor: 2, jitterMs: 200 },
  calls: [{ count: 8, atMs: 0, everyMs: 10, priority: 1, critical: [0] }],
  strategies: [{ id: "x", order: "priority", limiter: { ratePerSecond: 9, burst: 3 } }],
};

/** A row of plain numbers, or a clear refusal; never a hang, never another error. */
function expectRowsOrProblem(text: string): void {
  try {
    for (const row of run(text)) {
      const { totalMs, criticalMs, backgroundMaxMs } = row;
      for (const ms of [totalMs, criticalMs ?? 0, backgroundMaxMs ?? 0]) expect(ms).toBeGreaterThanOrEqual(0);
      expect(Number.isFinite(totalMs + (criticalMs ?? 0) + (backgroundMaxMs ?? 0))).toBe(true);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect([error.message, error.hint]).not.toContain("");
  }
}

describe("hostile files", () => {
  test("odd values in any place", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const world = changes.reduce<unknown>((so, { at, value }) => put(so, at.split("."), value), FULL);
        expectRowsOrProblem(JSON.stringify(world));
      }),
      { numRuns: 500, seed: 429 },
    );
  });

  test("damaged text, and text that is anything", () => {
    const text = JSON.stringify(FULL);
    const damaged = fc
      .record({ at: fc.nat(text.length), drop: fc.nat(3), insert: fc.string({ maxLength: 2 }) })
      .map(({ at, drop, insert }) => text.slice(0, at) + insert + text.slice(at + drop));
    fc.assert(fc.property(fc.oneof(damaged, fc.string(), fc.json()), expectRowsOrProblem), {
      numRuns: 500,
      seed: 429,
    });
  });
});
