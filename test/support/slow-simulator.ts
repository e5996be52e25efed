import type { Scenario, Strategy } from "../../src/simulate/scenario-schema.ts";
import type { StrategyResult } from "../../src/simulate/scenario.ts";

/**
 * The simulated world again, slowly: every instant looks at every call, every question to a bucket adds up its whole
 * history, every order is a scan that applies its definition as it is worded. It shares no code with the engine, so that an
 * error must be made twice to go unseen.
 */
export interface SlowRun {
  /** By index of the call. */
  readonly calls: readonly SlowCall[];
  readonly result: StrategyResult;
}

export interface SlowCall {
  readonly endS: number;
  readonly refusals: number;
  readonly isFailed: boolean;
}

interface Call {
  readonly index: number;
  readonly arrivalS: number;
  readonly priority: number;
  state: "asleep" | "ready" | "in flight" | "answered" | "failed";
  /** When `asleep` or `in flight` ends; then, when the call ended. */
  untilS: number;
  refusals: number;
}

const HAIR = 1e-9;

export function slowSimulate(scenario: Scenario, strategy: Strategy, seed: number = scenario.seed): SlowRun {
  const calls = callsOf(scenario);
  const server = slowBucket(scenario.server.capacity, scenario.server.ratePerSecond);
  const { limiter, concurrency = Number.POSITIVE_INFINITY } = strategy;
  const client = limiter === undefined ? null : slowBucket(limiter.burst, limiter.ratePerSecond);
  const choose = chooser(strategy);
  const uniform = lcg(seed);
  let attempts = 0;
  const inState = (state: Call["state"]): Call[] => calls.filter((call) => call.state === state);
  const mayDispatch = (): boolean => inState("ready").length > 0 && inState("in flight").length < concurrency;
  const hasToken = (nowS: number): boolean => client === null || client.levelAt(nowS) >= 1 - HAIR;

  const send = (call: Call, nowS: number): void => {
    client?.take(nowS);
    const isAccepted = server.levelAt(nowS) >= 1 - HAIR;
    attempts++;
    if (isAccepted) {
      server.take(nowS);
      Object.assign(call, { state: "in flight", untilS: nowS + scenario.latencyMs / 1_000 });
      return;
    }
    call.refusals++;
    const { baseMs, factor, jitterMs, maxRetries = Number.POSITIVE_INFINITY } = scenario.retry;
    const waitMs = baseMs * factor ** (call.refusals - 1) + uniform() * jitterMs;
    if (strategy.retry && call.refusals <= maxRetries)
      Object.assign(call, { state: "asleep", untilS: nowS + waitMs / 1_000 });
    else Object.assign(call, { state: "failed", untilS: nowS });
  };

  let nowS = Math.min(...calls.map((call) => call.untilS));
  while (nowS < Number.POSITIVE_INFINITY) {
    let isSettled = false;
    while (!isSettled) {
      for (const call of inState("in flight")) if (call.untilS <= nowS + HAIR) call.state = "answered";
      for (const call of inState("asleep")) if (call.untilS <= nowS + HAIR) call.state = "ready";
      isSettled = true;
      while (mayDispatch() && hasToken(nowS)) {
        send(choose(inState("ready"), nowS), nowS);
        isSettled = false;
      }
    }
    const candidates = [...inState("in flight"), ...inState("asleep")].map((call) => call.untilS);
    if (client !== null && mayDispatch()) candidates.push(nowS + client.waitFrom(nowS));
    nowS = Math.min(...candidates.filter((atS) => atS > nowS), Number.POSITIVE_INFINITY);
  }
  return { calls: calls.map(endOf), result: summary(strategy.id, calls, attempts) };
}

function endOf({ untilS, refusals, state }: Call): SlowCall {
  return { endS: untilS, refusals, isFailed: state === "failed" };
}

function callsOf(scenario: Scenario): readonly Call[] {
  let index = 0;
  return scenario.calls.flatMap(({ count, atMs, everyMs, priority, critical }) =>
    Array.from({ length: count }, (_, k): Call => {
      const arrivalS = (atMs + k * everyMs) / 1_000;
      const own = critical.includes(k) ? 0 : priority;
      return { index: index++, arrivalS, priority: own, state: "asleep", untilS: arrivalS, refusals: 0 };
    }),
  );
}

interface SlowBucket {
  readonly levelAt: (nowS: number) => number;
  readonly take: (nowS: number) => void;
  readonly waitFrom: (nowS: number) => number;
}

function slowBucket(capacity: number, ratePerSecond: number): SlowBucket {
  const taken: number[] = [];
  const levelAt = (nowS: number): number => {
    let [level, lastS] = [capacity, 0];
    for (const atS of taken) {
      level = Math.min(capacity, level + (atS - lastS) * ratePerSecond) - 1;
      lastS = atS;
    }
    return Math.min(capacity, level + (nowS - lastS) * ratePerSecond);
  };
  return {
    levelAt,
    take: (nowS) => void taken.push(nowS),
    waitFrom: (nowS) => (1 - levelAt(nowS)) / ratePerSecond,
  };
}

function lcg(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (1_664_525n * state + 1_013_904_223n) % 4_294_967_296n;
    return Number(state) / 4_294_967_296;
  };
}

/** Which of the ready calls goes next. */
type Choose = (ready: readonly Call[], nowS: number) => Call;

/** The least by several numbers, the first of them weighing most; numbers a hair apart are the same. */
function least(calls: readonly Call[], keysOf: (call: Call) => readonly number[]): Call {
  return calls.reduce((best, call) => {
    const mine = keysOf(call);
    const differs = keysOf(best).findIndex((key, i) => Math.abs(key - (mine[i] ?? 0)) > HAIR);
    return differs >= 0 && (mine[differs] ?? 0) < (keysOf(best)[differs] ?? 0) ? call : best;
  });
}

function chooser({ order, aging }: Strategy): Choose {
  const fifo: Choose = (ready) => least(ready, (call) => [call.arrivalS, call.index]);
  const urgent: Choose = (ready) => least(ready, (call) => [call.priority, call.arrivalS, call.index]);
  if (typeof order === "object") return weightedChooser(order.weighted, urgent);
  if (aging === undefined) return order === "fifo" ? fifo : urgent;
  if ("perSecond" in aging)
    return (ready, nowS) =>
      least(ready, (call) => [
        call.priority - aging.perSecond * (nowS - call.arrivalS),
        call.arrivalS,
        call.index,
      ]);
  return (ready, nowS) => {
    const due = ready.filter(
      (call) => call.priority > 0 && nowS - call.arrivalS >= aging.afterMs / 1_000 - HAIR,
    );
    return due.length > 0 ? fifo(due, nowS) : urgent(ready, nowS);
  };
}

function weightedChooser(criticalPerBackground: number, urgent: Choose): Choose {
  let sentSinceBackground = 0;
  return (ready, nowS) => {
    const critical = ready.filter((call) => call.priority === 0);
    const background = ready.filter((call) => call.priority > 0);
    const doBothWait = critical.length > 0 && background.length > 0;
    if (critical.length === 0 || (doBothWait && sentSinceBackground >= criticalPerBackground)) {
      sentSinceBackground = 0;
      return urgent(background, nowS);
    }
    if (doBothWait) sentSinceBackground++;
    return urgent(critical, nowS);
  };
}

function summary(id: string, calls: readonly Call[], attempts: number): StrategyResult {
  const answered = calls.filter((call) => call.state === "answered");
  const refusals = calls.reduce((sum, call) => sum + call.refusals, 0);
  const critical = answered.filter((call) => call.priority === 0).map((call) => call.untilS * 1_000);
  const background = answered
    .filter((call) => call.priority > 0)
    .map((call) => (call.untilS - call.arrivalS) * 1_000);
  return {
    id,
    throttled: refusals,
    retries: attempts - calls.length,
    failed: calls.length - answered.length,
    totalMs: Math.max(0, ...answered.map((call) => call.untilS * 1_000)),
    criticalMs: critical.length === 0 ? null : Math.max(...critical),
    backgroundMaxMs: background.length === 0 ? null : Math.max(...background),
  };
}
