import { spawnSync } from "node:child_process";
import { parseSync, transformWithOxc } from "vite";
import { describe, expect, test } from "vitest";
import type { FixSpec, PaceFix, RetryFix } from "../../src/model/fix.ts";
import { ceilTo, floorTo, jsString, pythonString } from "../../src/report/literals.ts";
import { RECIPES } from "../../src/report/recipes/index.ts";
import { langchain } from "../../src/report/recipes/langchain.ts";
import { pythonAsyncio } from "../../src/report/recipes/python-asyncio.ts";
import { refillOf, typescript } from "../../src/report/recipes/typescript.ts";
import { HOSTILE_NAME } from "../support/reports.ts";

const B = "anthropic/default/claude-sonnet";
/** Names that try to leave their quotes or their comment in either language. */
const NAMES = [
  "code",
  "",
  HOSTILE_NAME,
  `"; import os #`,
  `\\"\\`,
  "*/ x /*",
  "${process.exit()}`",
  '"""',
  "研究🙂",
  "a\r\nb\u2028",
];

function pace(agent: string, more: Partial<PaceFix> = {}): PaceFix {
  return { kind: "pace", scope: "agent", agent, bucket: B, ratePerMinute: 43, burst: 6, ...more };
}

function retry(more: Partial<RetryFix> = {}): RetryFix {
  return {
    kind: "retry",
    bucket: B,
    obeyRetryAfter: true,
    baseMs: 1_000,
    factor: 2,
    capMs: 3_000,
    jitter: "full",
    maxAttempts: 5,
    ...more,
  };
}

const COVERED: readonly FixSpec[] = NAMES.flatMap((name): readonly FixSpec[] => [
  pace(name),
  pace(name, { burst: 1, ratePerMinute: 0.5, tokensPerMinute: 24_000 }),
  { kind: "pace", scope: "bucket", bucket: name, ratePerMinute: 1_000, burst: 200 },
  {
    kind: "share",
    bucket: name,
    agents: Object.fromEntries(NAMES.map((agent) => [agent, { ratePerMinute: 7.5, burst: 2 }])),
  },
  retry({ agent: name }),
  retry({ jitter: "equal", factor: 1.5 }),
  retry({ jitter: "added", jitterMs: 5_000 }),
  { kind: "timeout", waiter: name, waitsFor: name, timeoutMs: 300_500 },
  { kind: "classify", agent: name, transient: [429, 500, 503, 529], permanent: [400, 401, 403] },
  { kind: "classify", transient: [], permanent: [] },
]);

const OTHERS: readonly FixSpec[] = [
  { kind: "prioritise", bucket: B, critical: [0] },
  { kind: "age", bucket: B, afterMs: 1_000 },
  { kind: "tag", advice: "Tag calls." },
];

function snippetsOf(recipe: (typeof RECIPES)[number]): readonly string[] {
  return COVERED.map((fix) => {
    const code = recipe.snippet(fix);
    if (code === null) throw new Error(`${recipe.id} has nothing for ${fix.kind}`);
    return code;
  });
}

describe("every recipe", () => {
  test.each(RECIPES)("$id has code for what it can, and null for the rest", (recipe) => {
    for (const code of snippetsOf(recipe)) {
      expect(code).toMatch(/^[\n -~]+\n$/);
      expect(code.replaceAll("=== undefined", "")).not.toMatch(/ \n|undefined|NaN|Infinity|\[object/);
    }
    for (const fix of OTHERS) expect(recipe.snippet(fix)).toBeNull();
  });

  test.each(RECIPES)("$id says how far its limiter reaches", (recipe) => {
    expect(recipe.snippet(pace("code"))).toMatch(
      /One (?:process|event loop) only.*N.*Redis|datastore: "redis"/s,
    );
  });
});

describe("literals", () => {
  test.each(NAMES)("%j is the same text in JavaScript", (name) => {
    expect(jsString(name)).toMatch(/^[ -~]*$/);
    expect(JSON.parse(jsString(name))).toBe(name);
  });

  test("numbers are cut or raised, whatever the last bits say", () => {
    expect(floorTo(43 / 60, 4)).toBe("0.7166");
    expect(floorTo(0.7, 1)).toBe("0.7");
    expect(floorTo(30, 4)).toBe("30");
    expect(ceilTo(360 / 43, 3)).toBe("8.373");
    expect(ceilTo(0.7 * 10, 0)).toBe("7");
    expect(ceilTo(8, 3)).toBe("8");
  });
});

describe("python-asyncio", () => {
  test("a rate with a burst is the burst per the time that it takes to refill", () => {
    // 6 calls at 43 a minute: 6 * 60 / 43 = 8.372..., raised so that the rate is never above.
    expect(pythonAsyncio.snippet(pace("code"))).toContain("AsyncLimiter(max_rate=6, time_period=8.373)");
  });

  test("tokens have a limiter with weights of their own", () => {
    const code = pythonAsyncio.snippet(pace("code", { tokensPerMinute: 24_000 }));
    expect(code).toContain("token_limiter = AsyncLimiter(max_rate=24000, time_period=60)");
    expect(code).toContain("await token_limiter.acquire(tokens)");
  });
});

describe("langchain", () => {
  test("uses its own limiter in requests a second", () => {
    const code = langchain.snippet(pace("code"));
    expect(code).toContain("requests_per_second=0.7166,");
    expect(code).toContain("max_bucket_size=6,");
    expect(code).toContain('{"max_concurrency": 6}');
  });

  test("counts retries, where the fix counts attempts", () => {
    expect(langchain.snippet(retry({ maxAttempts: 5 }))).toContain("max_retries=4");
  });
});

describe("typescript", () => {
  test("without a burst it spaces the calls", () => {
    // 60,000 / 43 = 1,395.3...
    expect(typescript.snippet(pace("code", { burst: 1 }))).toContain("minTime: 1396");
  });

  test.each([
    // [rate, burst, amount, interval]: exact intervals are amount * 60,000 / rate.
    [60, 6, 1, 1_000],
    // 1: 1,395 -> 1,500 loses 7 %; 2: 2,791 -> 3,000 loses 7 %; 3: 4,186 -> 4,250 loses 1.5 %.
    [43, 6, 3, 4_250],
    // No amount up to 2 is near a multiple of 250 ms: 1,395 -> 1,500 and 2,791 -> 3,000, both 7 %.
    [43, 2, 1, 1_500],
    [0.5, 2, 1, 120_000],
  ])("%d a minute, burst %d: %d every %d ms", (rate, burst, amount, everyMs) => {
    expect(refillOf(rate, burst)).toEqual({ amount, everyMs });
  });

  test("never refills faster than the rate", () => {
    for (let rate = 1; rate <= 600; rate++) {
      const { amount, everyMs } = refillOf(rate, 10);
      expect((amount * 60_000) / everyMs).toBeLessThanOrEqual(rate + 1e-9);
      expect(everyMs % 250).toBe(0);
    }
  });

  test("parses", () => {
    for (const code of snippetsOf(typescript)) expect(parseSync("snippet.ts", code).errors, code).toEqual([]);
  });

  test.each([
    ["the curve, when the server gives no hint", {}, [{ status: 429 }], [500, 1_000, 1_500, 1_500]],
    ["the hint and a little more", {}, [{ status: 429, hint: "7" }], [7_500, 7_500, 7_500, 7_500]],
    ["equal jitter", { jitter: "equal" as const }, [{ status: 503 }], [750, 1_500, 2_250, 2_250]],
    [
      "added jitter",
      { jitter: "added" as const, jitterMs: 400 },
      [{ status: 500 }],
      [1_200, 2_200, 3_200, 3_200],
    ],
    ["nothing for what can never pass", {}, [{ status: 400 }], []],
    ["nothing for billing", {}, [{ status: 429, code: "insufficient_quota" }], []],
    ["nothing for a hint of hours", {}, [{ status: 429, hint: "7200" }], []],
  ])("its retry loop waits %s", async (_, more, [answer], waits) => {
    const code = typescript.snippet(retry(more)) ?? "";
    const { code: script } = await transformWithOxc(code.replace("export ", ""), "snippet.ts");
    expect(await waitsOf(script, answer ?? { status: 0 })).toEqual(waits);
  });
});

interface Answer {
  readonly status: number;
  readonly hint?: string;
  readonly code?: string;
}

/** Runs the loop against a server that always answers so; every random number is a half, and no time passes. */
async function waitsOf(script: string, answer: Answer): Promise<readonly number[]> {
  const waits: number[] = [];
  const headers = new Headers(answer.hint === undefined ? {} : { "retry-after": answer.hint });
  const failure = Object.assign(new Error("refused"), { status: answer.status, code: answer.code, headers });
  const setTimeout = (done: () => void, ms: number): void => {
    waits.push(ms);
    done();
  };
  // oxlint-disable-next-line no-implied-eval -- the code under test is text
  const make = new Function("setTimeout", "Math", `${script}\nreturn withRetry;`);
  const half = { random: () => 0.5, min: Math.min };
  const withRetry: unknown = Reflect.apply(make, null, [setTimeout, half]);
  if (typeof withRetry !== "function") throw new Error("the snippet declares withRetry");
  const outcome: unknown = Reflect.apply(withRetry, null, [() => Promise.reject(failure)]);
  await expect(outcome).rejects.toBe(failure);
  return waits;
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Compiles every snippet, reads every literal back, and runs the retry loops with half of every random number. */
const PYTHON = `
import asyncio, json, sys, types

told = json.load(sys.stdin)
for code in told["snippets"]:
    compile(code, "snippet", "exec")


class APIStatusError(Exception):
    def __init__(self, answer):
        self.status_code = answer["status"]
        self.code = answer.get("code")
        headers = {} if answer.get("hint") is None else {"retry-after": answer["hint"]}
        self.response = types.SimpleNamespace(headers=headers)


sys.modules["anthropic"] = types.SimpleNamespace(APIStatusError=APIStatusError)


def waits_of(code, answer):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def call():
        raise APIStatusError(answer)

    scope = {}
    exec(code, scope)
    scope["asyncio"] = types.SimpleNamespace(sleep=sleep)
    scope["random"] = types.SimpleNamespace(uniform=lambda low, high: (low + high) / 2)
    try:
        asyncio.run(scope["with_retry"](call))
    except APIStatusError:
        return waits


names = [eval(literal) for literal in told["literals"]]
json.dump({"names": names, "waits": [waits_of(*one) for one in told["runs"]]}, sys.stdout)
`;

describe.skipIf(!hasPython)("in Python itself", () => {
  test("every snippet compiles, every name survives, the retry loop waits as it should", () => {
    const runs: readonly (readonly [string | null, Answer])[] = [
      [pythonAsyncio.snippet(retry()), { status: 429 }],
      [pythonAsyncio.snippet(retry()), { status: 429, hint: "7" }],
      [pythonAsyncio.snippet(retry({ jitter: "added", jitterMs: 400 })), { status: 500 }],
      [pythonAsyncio.snippet(retry()), { status: 400 }],
      [pythonAsyncio.snippet(retry()), { status: 429, code: "insufficient_quota" }],
      [pythonAsyncio.snippet(retry()), { status: 429, hint: "7200" }],
    ];
    const told = {
      snippets: [...snippetsOf(pythonAsyncio), ...snippetsOf(langchain)],
      literals: NAMES.map(pythonString),
      runs,
    };
    const run = spawnSync("python3", ["-c", PYTHON], { input: JSON.stringify(told), encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual({
      names: NAMES,
      waits: [[0.5, 1, 1.5, 1.5], [7.5, 7.5, 7.5, 7.5], [1.2, 2.2, 3.2, 3.2], [], [], []],
    });
  });
});
