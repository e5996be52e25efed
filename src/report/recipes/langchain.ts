import type { ClassifyFix, FixSpec, PaceFix, RetryFix, ShareFix, TimeoutFix } from "../../model/fix.ts";
import type { Recipe } from "../../model/recipe.ts";
import { ceilTo, floorTo, pythonSet, pythonString } from "../literals.ts";

/** LangChain 1.x and LangGraph 1.x for Python, with what they bring themselves. */
export const langchain: Recipe = {
  id: "langchain",
  title: "Python with LangChain and LangGraph",
  snippet: (fix: FixSpec): string | null => {
    if (fix.kind === "pace") return pace(fix);
    if (fix.kind === "share") return share(fix);
    if (fix.kind === "retry") return retry(fix);
    if (fix.kind === "timeout") return timeout(fix);
    return fix.kind === "classify" ? classify(fix) : null;
  },
};

const PER_PROCESS = "# One process only: with N workers divide requests_per_second by N, or use Redis.";

function limiter(ratePerMinute: number, burst: number, indent: string): string {
  // The bucket starts empty, and one smaller than 1 would never hold a request.
  return `InMemoryRateLimiter(
${indent}    requests_per_second=${floorTo(ratePerMinute / 60, 4)},  # ${ratePerMinute} a minute
${indent}    check_every_n_seconds=0.1,
${indent}    max_bucket_size=${Math.max(1, burst)},
${indent})`;
}

function pace(fix: PaceFix): string {
  const whose = fix.scope === "agent" ? `all models of ${pythonString(fix.agent ?? "")}` : "all models";
  const tokens =
    fix.tokensPerMinute === undefined
      ? ""
      : `# It counts requests, not tokens: for ${fix.tokensPerMinute} tokens a minute put
# a limiter with weights in front, such as aiolimiter.
`;
  return `from langchain.chat_models import init_chat_model
from langchain_core.rate_limiters import InMemoryRateLimiter

# One limiter, shared by ${whose}.
# Retries inside the SDK do not pass it.
${PER_PROCESS}
${tokens}limiter = ${limiter(fix.ratePerMinute, fix.burst, "")}
model = init_chat_model("PROVIDER:MODEL", rate_limiter=limiter, max_retries=2)

# In LangGraph also cap the branches of one run:
config = {"max_concurrency": ${Math.max(1, fix.burst)}}
`;
}

function share(fix: ShareFix): string {
  const rows = Object.entries(fix.agents).map(
    ([name, { ratePerMinute, burst }]) =>
      `    ${pythonString(name)}: ${limiter(ratePerMinute, burst, "    ")},\n`,
  );
  return `from langchain.chat_models import init_chat_model
from langchain_core.rate_limiters import InMemoryRateLimiter

# One bucket an agent; together they stay below the limit they share.
${PER_PROCESS}
limiters = {
${rows.join("")}}


def model_for(agent):
    return init_chat_model("PROVIDER:MODEL", rate_limiter=limiters[agent])
`;
}

function retry(fix: RetryFix): string {
  return `from langchain.chat_models import init_chat_model

# ${fix.maxAttempts} attempts: the first and ${fix.maxAttempts - 1} retries. The openai and anthropic SDKs below
# obey retry-after; their own curve, 0.5 s doubling to 8 s with jitter, cannot
# be set here. Put no with_retry and no RetryPolicy on top: retries multiply.
model = init_chat_model("PROVIDER:MODEL", max_retries=${fix.maxAttempts - 1})
`;
}

function timeout(fix: TimeoutFix): string {
  return `import asyncio


# ${pythonString(fix.waiter)} waits for ${pythonString(fix.waitsFor)}: longer than its worst chain of retries.
async def run_stage(graph, state):
    return await asyncio.wait_for(graph.ainvoke(state), timeout=${ceilTo(fix.timeoutMs / 1_000, 3)})
`;
}

function classify(fix: ClassifyFix): string {
  const others = fix.permanent.length === 0 ? "" : `, such as ${fix.permanent.join(", ")},`;
  const node = pythonString(fix.agent ?? "NODE");
  return `from langgraph.types import RetryPolicy

# Wait and retry; no rollback, no alert. Everything else${others} stops at once.
TRANSIENT = ${pythonSet(fix.transient)}


def is_transient(error):
    if getattr(error, "code", None) == "insufficient_quota":
        return False  # billing also comes as 429, and no wait helps
    return getattr(error, "status_code", None) in TRANSIENT


# The default retry_on repeats 400s too. Set max_retries=0 on the model, or the
# retries of the SDK and of the graph multiply.
def add_stage(builder, node):
    builder.add_node(${node}, node, retry_policy=RetryPolicy(retry_on=is_transient))
`;
}
