import type { Dimension, Outcome } from "../../../../src/model/outcome.ts";
import type { Clock } from "../clock.ts";
import type { Random } from "../random.ts";
import type { ServerSpec, WordingId } from "../spec.ts";
import { anthropic } from "./anthropic.ts";
import { bare } from "./bare.ts";
import { groq } from "./groq.ts";
import { createLimit, type Demand, type Limit } from "./limits.ts";
import { openai } from "./openai.ts";
import { createRamp } from "./ramp.ts";
import { DIMENSION_OF, type ErrorFields, type Situation, type Wording } from "./wording.ts";

const WORDINGS: { readonly [W in WordingId]: Wording } = { anthropic, openai, groq, bare };

export interface ServerRequest extends Demand {
  readonly serviceMs: number;
  /** 0 = nothing wrong with it. */
  readonly badStatus: number;
  /** Draws for this attempt alone. */
  readonly luck: Random;
}

/** What a client gets, and what really happened. */
export interface Answer {
  readonly outcome: Outcome;
  readonly dimension: Dimension;
  readonly tookMs: number;
  /** As the client can read it; null = none told. */
  readonly hintMs: number | null;
  readonly fields: ErrorFields;
}

export interface Server {
  readonly spec: ServerSpec;
  answer(request: ServerRequest): Answer;
}

export function createServer(spec: ServerSpec, startMs: number, clock: Clock): Server {
  const words = WORDINGS[spec.wording];
  const limits = spec.limits.map(createLimit);
  const ramp = spec.ramp === null ? null : createRamp(spec.ramp);
  const situation = (): Situation => {
    const levels = limits.map((limit) => limit.level(clock.now()));
    return { server: spec, nowMs: startMs + clock.now(), levels };
  };
  const enter = (request: ServerRequest, tookMs: number): void => {
    for (const limit of limits) limit.enter(clock.now(), request);
    ramp?.enter(clock.now());
    clock.at(clock.now() + tookMs, () => {
      for (const limit of limits) limit.leave(clock.now(), request);
    });
  };
  const served = (request: ServerRequest): Answer => {
    const fails = request.luck.chance(spec.flakyShare);
    const tookMs = fails ? request.luck.integer(80, 900) : request.serviceMs;
    enter(request, tookMs);
    if (fails) return { ...refuse("server-error", words.broken(), request.luck), tookMs };
    const headers = words.headers(situation());
    const told = Object.keys(headers).length === 0 ? {} : { headers };
    return { outcome: "ok", dimension: "unknown", tookMs, hintMs: null, fields: { status: 200, ...told } };
  };
  return {
    spec,
    answer: (request) => {
      const now = clock.now();
      const { luck } = request;
      const away = turnedAway(spec, words, now, luck);
      if (away !== null) return away;
      const full = fullest(limits, now, request);
      if (full !== null) return throttle(spec, words, situation(), full, request, now);
      if (ramp !== null && !ramp.fits(now)) {
        const hintMs = spec.hint.kind === "none" ? null : (spec.hint.ms ?? 60_000);
        return { ...refuse("acceleration", words.tooFast(situation(), hintMs), luck), hintMs };
      }
      if (request.badStatus > 0) return refuse("permanent", words.bad(request.badStatus), luck);
      return served(request);
    },
  };
}

/** Before any limit is looked at: no money, no room. */
function turnedAway(spec: ServerSpec, words: Wording, now: number, luck: Random): Answer | null {
  const during = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): boolean =>
    now >= fromMs && now < toMs;
  const billing = spec.billings.find(during);
  if (billing !== undefined) return refuse("quota", words.noMoney(billing.words), luck);
  const overload = spec.overloads.find(during);
  if (overload === undefined || !luck.chance(overload.share)) return null;
  return refuse("overloaded", words.overloaded(overload.status), luck);
}

/** A refusal takes no time to speak of. */
function refuse(outcome: Outcome, fields: ErrorFields, luck: Random): Answer {
  return { outcome, dimension: "unknown", tookMs: luck.integer(50, 140), hintMs: null, fields };
}

/** The limit that this request would have to wait for longest; null = it fits all. */
function fullest(limits: readonly Limit[], now: number, demand: Demand): Limit | null {
  let worst: Limit | null = null;
  for (const limit of limits)
    if (!limit.fits(now, demand) && limit.waitMs(now, demand) >= (worst?.waitMs(now, demand) ?? 0))
      worst = limit;
  return worst;
}

function throttle(
  spec: ServerSpec,
  words: Wording,
  situation: Situation,
  limit: Limit,
  request: ServerRequest,
  now: number,
): Answer {
  const hintMs = hintOf(spec, limit, limit.waitMs(now, request));
  const requested = limit.cost(request);
  const never = limit.spec.id.startsWith("tokens") && requested > limit.spec.capacity;
  const refusal = { limit: limit.spec, remaining: limit.level(now).remaining, requested, hintMs };
  return {
    outcome: limit.spec.id.endsWith("-day") ? "daily" : never ? "permanent" : "throttled",
    dimension: DIMENSION_OF[limit.spec.id],
    tookMs: request.luck.integer(50, 140),
    hintMs,
    fields: words.throttled(situation, refusal),
  };
}

function hintOf(spec: ServerSpec, limit: Limit, exactMs: number): number | null {
  if (spec.hint.kind === "none") return null;
  if (limit.spec.id === "concurrency") return spec.hint.ms ?? null;
  return spec.hint.kind === "fixed" ? (spec.hint.ms ?? exactMs) : Math.max(1, exactMs);
}
