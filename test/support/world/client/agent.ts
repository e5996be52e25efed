import type { Outcome } from "../../../../src/model/outcome.ts";
import type { Clock } from "../clock.ts";
import type { Journal, SentAttempt } from "../journal.ts";
import { createRandom, type Random } from "../random.ts";
import type { Answer, Server, ServerRequest } from "../server/server.ts";
import type { AgentSpec } from "../spec.ts";
import { createBreaker } from "./breaker.ts";
import type { Lane } from "./lane.ts";
import { waitAfter } from "./retry.ts";

export interface Agent {
  readonly spec: AgentSpec;
  /** Begins a call now; `ended` is told how it ended. */
  call(run: string, ended: (outcome: Outcome) => void): void;
}

export interface Surroundings {
  readonly seed: number;
  readonly clock: Clock;
  readonly server: Server;
  readonly lane: Lane;
  readonly journal: Journal;
  /** Ids and places in line, counted through the whole world. */
  readonly number: () => number;
}

interface Call {
  readonly id: string;
  /** Names the call's own luck, so that it does not depend on what other calls did. */
  readonly label: string;
  readonly order: number;
  readonly run: string;
  readonly fromMs: number;
  readonly tagged: boolean;
  readonly request: Omit<ServerRequest, "luck" | "serviceMs">;
  /** How often a server worked on it; each time takes another time. */
  served: number;
  readonly ended: (outcome: Outcome) => void;
}

const PRIORITIES = { critical: 0, normal: 1, background: 2 } as const;

export function createAgent(spec: AgentSpec, world: Surroundings): Agent {
  const { clock, lane, journal, seed } = world;
  const breaker = spec.breaker === undefined ? null : createBreaker(spec.breaker);
  const begun = new Map<string, number>();
  let inFlight = 0;

  const want = (call: Call, attempt: number): void => {
    const readyMs = clock.now();
    if (breaker !== null && spec.breaker?.whenOpen === "refuse" && breaker.openUntil() > readyMs)
      return finish(call, attempt, readyMs, readyMs, refusedHere());
    lane.submit({
      priority: priorityOf(spec),
      order: call.order,
      tokens: call.request.inputTokens + Math.max(call.request.maxTokens, call.request.outputTokens),
      heldUntil: () => breaker?.openUntil() ?? 0,
      blocked: () => spec.cap !== undefined && inFlight >= spec.cap,
      send: () => send(call, attempt, readyMs),
    });
  };

  const send = (call: Call, attempt: number, readyMs: number): void => {
    inFlight++;
    const sentMs = clock.now();
    const luck = createRandom(seed, "answer", call.label, attempt);
    const serviceMs = serviceOf(spec, world.server, createRandom(seed, "service", call.label, call.served));
    const answer = patient(world.server.answer({ ...call.request, luck, serviceMs }), spec.timeoutMs);
    if (SERVED.has(answer.outcome)) call.served++;
    clock.at(sentMs + answer.tookMs, () => {
      inFlight--;
      finish(call, attempt, readyMs, sentMs, answer);
      lane.pump();
    });
  };

  const finish = (call: Call, attempt: number, readyMs: number, sentMs: number, answer: Answer): void => {
    const endMs = clock.now();
    journal.attempts.push(attemptOf(spec, call, { attempt, readyMs, sentMs, endMs }, answer));
    if (answer.outcome === "throttled") breaker?.refused(endMs);
    if (answer.outcome === "ok") return endCall(spec, call, attempt, answer, world);
    const luck = createRandom(seed, "retry", call.label, attempt);
    const failure = { attempt, status: answer.fields.status, hintMs: answer.hintMs };
    const waitMs = waitAfter(spec.retry, failure, luck);
    if (waitMs === null) return endCall(spec, call, attempt, answer, world);
    clock.at(endMs + waitMs, () => want(call, attempt + 1));
  };

  return {
    spec,
    call: (run, ended) => {
      const index = (begun.get(run) ?? 0) + 1;
      begun.set(run, index);
      want(newCall(spec, world, { run, index, ended }), 1);
    },
  };
}

function newCall(
  spec: AgentSpec,
  { seed, clock, number }: Surroundings,
  { run, index, ended }: Pick<Call, "run" | "ended"> & { readonly index: number },
): Call {
  const label = `${spec.name}/${spec.key}/${run}/${index}`;
  const luck = createRandom(seed, "call", label);
  const order = number();
  return {
    id: `call_${order.toString(36).padStart(5, "0")}`,
    label,
    order,
    run,
    fromMs: clock.now(),
    tagged: spec.name !== "" && luck.chance(spec.taggedShare ?? 1),
    request: requestOf(spec, luck),
    served: 0,
    ended,
  };
}

function endCall(
  spec: AgentSpec,
  call: Call,
  attempts: number,
  { outcome }: Answer,
  world: Surroundings,
): void {
  const { id: callId, run, fromMs } = call;
  const endMs = world.clock.now();
  world.journal.calls.push({ agent: spec, run, callId, fromMs, endMs, attempts, outcome });
  if (outcome !== "ok") react(spec, call, world);
  call.ended(outcome);
}

function priorityOf({ priority = "normal" }: AgentSpec): number {
  return typeof priority === "number" ? priority : PRIORITIES[priority];
}

/** Outcomes that a server reached by working on the request. */
const SERVED: ReadonlySet<Outcome> = new Set(["ok", "timeout", "server-error"]);

function serviceOf(spec: AgentSpec, server: Server, luck: Random): number {
  const { median, sigma } = spec.service ?? server.spec.service;
  return Math.max(20, Math.round(luck.lognormal(median, sigma)));
}

function requestOf(spec: AgentSpec, luck: Random): Call["request"] {
  return {
    inputTokens: Math.max(1, Math.round(luck.lognormal(spec.inputTokens.median, spec.inputTokens.sigma))),
    outputTokens: Math.max(1, Math.round(luck.lognormal(spec.outputTokens.median, spec.outputTokens.sigma))),
    maxTokens: spec.maxTokens ?? 0,
    badStatus: spec.bad !== undefined && luck.chance(spec.bad.share) ? spec.bad.status : 0,
  };
}

/** An answer that takes too long is never seen. */
function patient(answer: Answer, timeoutMs: number | undefined): Answer {
  if (timeoutMs === undefined || answer.tookMs <= timeoutMs) return answer;
  return {
    outcome: "timeout",
    dimension: "unknown",
    tookMs: timeoutMs,
    hintMs: null,
    fields: { status: 0, error_type: "timeout", error_message: "Request timed out." },
  };
}

function refusedHere(): Answer {
  const fields = { status: 0, error_type: "circuit_open", error_message: "circuit breaker is open" };
  return { outcome: "local", dimension: "unknown", tookMs: 0, hintMs: null, fields };
}

function attemptOf(
  agent: AgentSpec,
  { id: callId, run, tagged, request }: Call,
  when: Pick<SentAttempt, "attempt" | "readyMs" | "sentMs" | "endMs">,
  { outcome, dimension, hintMs, fields }: Answer,
): SentAttempt {
  const { inputTokens, outputTokens } = request;
  return {
    agent,
    tagged,
    run,
    callId,
    ...when,
    outcome,
    dimension,
    hintMs,
    inputTokens,
    outputTokens,
    answer: fields,
  };
}

/** The orchestrator does something final about a failed call. */
function react(spec: AgentSpec, call: Call, { seed, clock, journal }: Surroundings): void {
  if (spec.onFailure === undefined) return;
  const { by, actions } = spec.onFailure;
  const luck = createRandom(seed, "action", call.label);
  const event = { agent: by, action: luck.pick(actions), run: call.run, callId: call.id };
  clock.at(clock.now() + luck.integer(40, 400), () => journal.actions.push({ ...event, atMs: clock.now() }));
}
