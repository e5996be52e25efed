import type { ClassifyFix, FixSpec, PaceFix, RetryFix, ShareFix, TimeoutFix } from "../../model/fix.ts";
import type { Recipe } from "../../model/recipe.ts";
import { ceilTo, pythonSet, pythonString } from "../literals.ts";

/** Plain asyncio with aiolimiter 1.x and the exceptions of the openai and anthropic SDKs. */
export const pythonAsyncio: Recipe = {
  id: "python-asyncio",
  title: "Python with asyncio and aiolimiter",
  snippet: (fix: FixSpec): string | null => {
    if (fix.kind === "pace") return pace(fix);
    if (fix.kind === "share") return share(fix);
    if (fix.kind === "retry") return retry(fix);
    if (fix.kind === "timeout") return timeout(fix);
    return fix.kind === "classify" ? classify(fix) : null;
  },
};

const PER_PROCESS =
  "# One event loop only: with N worker processes make time_period N times as long,\n# or keep one bucket in Redis.";

/** The burst of AsyncLimiter is its max_rate, so a rate with a burst is `burst` calls per the time they take to refill. */
function limiter(ratePerMinute: number, burst: number): string {
  return `AsyncLimiter(max_rate=${burst}, time_period=${ceilTo((burst * 60) / ratePerMinute, 3)})`;
}

function pace(fix: PaceFix): string {
  const whose = fix.scope === "agent" ? `All calls of ${pythonString(fix.agent ?? "")}` : "All calls";
  const tokens = fix.tokensPerMinute;
  const tokenLimiter =
    tokens === undefined
      ? ""
      : `token_limiter = AsyncLimiter(max_rate=${Math.floor(tokens)}, time_period=60)\n`;
  const parameters = tokens === undefined ? "call" : "call, tokens";
  const acquire =
    tokens === undefined ? "" : "    await token_limiter.acquire(tokens)  # input + max_tokens, estimated\n";
  return `# pip install aiolimiter
from aiolimiter import AsyncLimiter

# ${whose}: ${fix.ratePerMinute} a minute, at most ${fix.burst} at once.
# The burst of AsyncLimiter is its max_rate.
${PER_PROCESS}
limiter = ${limiter(fix.ratePerMinute, fix.burst)}
${tokenLimiter}

async def paced(${parameters}):
${acquire}    async with limiter:  # around every attempt, retries too
        return await call()
`;
}

function share(fix: ShareFix): string {
  const rows = Object.entries(fix.agents).map(
    ([name, { ratePerMinute, burst }]) =>
      `    ${pythonString(name)}: ${limiter(ratePerMinute, burst)},  # ${ratePerMinute} a minute\n`,
  );
  return `# pip install aiolimiter
from aiolimiter import AsyncLimiter

# One bucket an agent; together they stay below the limit they share.
# The burst of AsyncLimiter is its max_rate.
${PER_PROCESS}
limiters = {
${rows.join("")}}


async def paced(agent, call):
    async with limiters[agent]:  # around every attempt, retries too
        return await call()
`;
}

function retry(fix: RetryFix): string {
  const spread = seconds(fix.jitterMs ?? fix.baseMs);
  const wait = {
    full: "random.uniform(0, curve)",
    equal: "curve / 2 + random.uniform(0, curve / 2)",
    added: `curve + random.uniform(0, ${spread})`,
  };
  return `import asyncio
import random

from anthropic import APIStatusError  # openai has the same class

TRANSIENT = {429, 500, 503, 529}
LONGEST = 3600  # a hint of hours is a daily limit: give up


# Set max_retries=0 on the SDK's client: two layers of retries multiply.
async def with_retry(call):
    for attempt in range(1, ${fix.maxAttempts + 1}):
        try:
            return await call()
        except APIStatusError as error:
            hint = error.response.headers.get("retry-after", "")
            server_wait = int(hint) if hint.isdigit() else 0
            if attempt == ${fix.maxAttempts} or server_wait > LONGEST:
                raise
            # Billing also comes as 429, and no wait helps.
            if getattr(error, "code", None) == "insufficient_quota":
                raise
            if error.status_code not in TRANSIENT:
                raise
        if server_wait > 0:  # the server knows; a little more keeps clients apart
            wait = server_wait + random.uniform(0, ${spread})
        else:
            curve = min(${seconds(fix.capMs)}, ${seconds(fix.baseMs)} * ${fix.factor} ** (attempt - 1))
            wait = ${wait[fix.jitter]}
        await asyncio.sleep(wait)
`;
}

function seconds(ms: number): string {
  return ceilTo(ms / 1_000, 3);
}

function timeout(fix: TimeoutFix): string {
  return `import asyncio


# ${pythonString(fix.waiter)} waits for ${pythonString(fix.waitsFor)}: longer than its worst chain of retries.
async def wait_for_stage(stage):
    return await asyncio.wait_for(stage, timeout=${seconds(fix.timeoutMs)})
`;
}

function classify(fix: ClassifyFix): string {
  return `TRANSIENT = ${pythonSet(fix.transient)}  # wait and retry; no rollback, no alert
PERMANENT = ${pythonSet(fix.permanent)}  # stop at once


def answer_to(error):
    status = getattr(error, "status_code", None)
    # Billing also comes as 429, and no wait helps.
    if getattr(error, "code", None) == "insufficient_quota" or status in PERMANENT:
        return "stop"
    return "retry" if status in TRANSIENT else "unknown"
`;
}
