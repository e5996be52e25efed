import type { ClassifyFix, FixSpec, PaceFix, RetryFix, ShareFix, TimeoutFix } from "../../model/fix.ts";
import type { Recipe } from "../../model/recipe.ts";
import { jsString } from "../literals.ts";

/** TypeScript with bottleneck 2.x and the error shape of the openai and anthropic SDKs. */
export const typescript: Recipe = {
  id: "typescript",
  title: "TypeScript with bottleneck",
  snippet: (fix: FixSpec): string | null => {
    if (fix.kind === "pace") return pace(fix);
    if (fix.kind === "share") return share(fix);
    if (fix.kind === "retry") return retry(fix);
    if (fix.kind === "timeout") return timeout(fix);
    return fix.kind === "classify" ? classify(fix) : null;
  },
};

const PER_PROCESS =
  '// One process only: with N workers divide the amounts by N,\n// or share them: datastore: "redis".';

/** bottleneck looks at its reservoir every 250 ms, so an interval is a multiple of that. */
const HEARTBEAT_MS = 250;
/** Of the rate; a smaller loss to the heartbeat is not worth a rougher refill. */
const TOLERATED_LOSS = 0.02;
/** Calls refilled at once; with so many the heartbeat is a matter of little. */
const MOST_REFILL = 100;

/** The smallest refill whose interval, rounded up to the heartbeat, gives away little of the rate. */
export function refillOf(
  ratePerMinute: number,
  burst: number,
): { readonly amount: number; readonly everyMs: number } {
  const refills = Array.from({ length: Math.min(MOST_REFILL, Math.max(1, burst)) }, (_, i) => {
    const amount = i + 1;
    const exact = (amount * 60_000) / ratePerMinute;
    const everyMs = Math.ceil(exact / HEARTBEAT_MS - 1e-9) * HEARTBEAT_MS;
    return { amount, everyMs, loss: 1 - exact / everyMs };
  });
  const best = refills.reduce((least, refill) => (refill.loss < least.loss ? refill : least));
  const { amount, everyMs } = refills.find((refill) => refill.loss <= TOLERATED_LOSS) ?? best;
  return { amount, everyMs };
}

function limiter(ratePerMinute: number, burst: number, indent: string): string {
  if (burst <= 1) return `new Bottleneck({ minTime: ${Math.ceil(60_000 / ratePerMinute)} })`;
  const { amount, everyMs } = refillOf(ratePerMinute, burst);
  return `new Bottleneck({
${indent}  reservoir: ${burst},
${indent}  reservoirIncreaseAmount: ${amount},
${indent}  reservoirIncreaseInterval: ${everyMs}, // ms, a multiple of ${HEARTBEAT_MS}
${indent}  reservoirIncreaseMaximum: ${burst},
${indent}})`;
}

function pace(fix: PaceFix): string {
  const whose = fix.scope === "agent" ? `All calls of ${jsString(fix.agent ?? "")}` : "All calls";
  const head = `// npm install bottleneck
import Bottleneck from "bottleneck";

// ${whose}: ${fix.ratePerMinute} a minute, at most ${fix.burst} at once.
${PER_PROCESS}
const limiter = ${limiter(fix.ratePerMinute, fix.burst, "")};
`;
  const tokens = fix.tokensPerMinute;
  if (tokens === undefined)
    return `${head}
export function paced<T>(call: () => Promise<T>): Promise<T> {
  return limiter.schedule(call); // around every attempt, retries too
}
`;
  return `${head}const tokenLimiter = new Bottleneck({
  reservoir: ${Math.floor(tokens)},
  reservoirIncreaseAmount: ${Math.max(1, Math.floor(tokens / 60))},
  reservoirIncreaseInterval: 1000,
  reservoirIncreaseMaximum: ${Math.floor(tokens)},
});

// tokens: the input and max_tokens of the call, estimated. More than the
// reservoir holds would wait for ever.
export function paced<T>(tokens: number, call: () => Promise<T>): Promise<T> {
  return tokenLimiter.schedule({ weight: tokens }, () => limiter.schedule(call));
}
`;
}

function share(fix: ShareFix): string {
  const rows = Object.entries(fix.agents).map(
    ([name, { ratePerMinute, burst }]) =>
      `  [${jsString(name)}, ${limiter(ratePerMinute, burst, "  ")}], // ${ratePerMinute} a minute\n`,
  );
  return `// npm install bottleneck
import Bottleneck from "bottleneck";

// One bucket an agent; together they stay below the limit they share.
${PER_PROCESS}
const limiters = new Map<string, Bottleneck>([
${rows.join("")}]);

export function paced<T>(agent: string, call: () => Promise<T>): Promise<T> {
  const limiter = limiters.get(agent);
  if (limiter === undefined) throw new Error(\`no limiter for \${agent}\`);
  return limiter.schedule(call); // around every attempt, retries too
}
`;
}

function retry(fix: RetryFix): string {
  const spread = fix.jitterMs ?? fix.baseMs;
  const wait = {
    full: "Math.random() * curve",
    equal: "curve / 2 + (Math.random() * curve) / 2",
    added: `curve + Math.random() * ${spread}`,
  };
  return `const TRANSIENT = new Set([429, 500, 503, 529]);
const LONGEST_MS = 3_600_000; // a hint of hours is a daily limit: give up

// Set maxRetries: 0 on the SDK's client: two layers of retries multiply.
export async function withRetry<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const { status, code, headers } = error as {
        status?: number;
        code?: string | null;
        headers?: Headers;
      };
      const hint = Number(headers?.get("retry-after")) * 1000;
      if (attempt === ${fix.maxAttempts} || hint > LONGEST_MS) throw error;
      // Billing also comes as 429, and no wait helps.
      if (!TRANSIENT.has(status ?? 0) || code === "insufficient_quota") throw error;
      const curve = Math.min(${fix.capMs}, ${fix.baseMs} * ${fix.factor} ** (attempt - 1));
      // The server knows; a little more keeps clients apart.
      const wait = hint > 0 ? hint + Math.random() * ${spread} : ${wait[fix.jitter]};
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}
`;
}

function timeout(fix: TimeoutFix): string {
  return `// ${jsString(fix.waiter)} waits for ${jsString(fix.waitsFor)}: longer than its worst chain of retries.
export function waitForStage<T>(stage: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return stage(AbortSignal.timeout(${Math.ceil(fix.timeoutMs)}));
}
`;
}

function classify(fix: ClassifyFix): string {
  return `const TRANSIENT = new Set([${fix.transient.join(", ")}]); // wait and retry; no rollback, no alert
const PERMANENT = new Set([${fix.permanent.join(", ")}]); // stop at once

export type Answer = "retry" | "stop" | "unknown";

export function answerTo(error: { status?: number; code?: string | null }): Answer {
  // Billing also comes as 429, and no wait helps.
  if (error.code === "insufficient_quota") return "stop";
  if (TRANSIENT.has(error.status ?? 0)) return "retry";
  return PERMANENT.has(error.status ?? 0) ? "stop" : "unknown";
}
`;
}
