import { asFatal, billingGiveUp, budgetSpent, overloadAsFatal } from "./as-fatal.ts";
import { concurrencyCap, healthyFlatCap } from "./concurrency.ts";
import { fanOut, fanOutRisk, fanOutUnstated, steadyOver } from "./fan-out.ts";
import { greedy } from "./greedy.ts";
import * as healthy from "./healthy.ts";
import type { Kind } from "./kind.ts";
import * as load from "./load.ts";
import { acceleration, dailyLimit, requestNotRate, twoBuckets } from "./other-limits.ts";
import { overloaded, overloaded503, overloadStorm } from "./overloaded.ts";
import { cascade, cured, greedyThenQuota, overloadAndGreedy } from "./mixed.ts";
import * as queues from "./queues.ts";
import { quota, quotaCodeForRate } from "./quota.ts";
import { newWork, retryStorm, retryStormJittered } from "./retry-storm.ts";
import * as retries from "./retries.ts";
import { shortTimeout } from "./short-timeout.ts";
import * as tokens from "./tokens.ts";
import { jittered, unjittered } from "./unjittered.ts";
import { nearlyTagged, untagged } from "./untagged.ts";
import {
  bySending,
  tailOf,
  withoutCalls,
  withoutHeaders,
  withoutNumbers,
  withoutRepeats,
} from "./variants.ts";
import { longTimeout, slowSuccess, waitsOk } from "./waits.ts";

/** The kinds of the labelled logs that the rules were first tried on. */
export const GIVEN_KINDS: readonly Kind[] = [
  asFatal,
  concurrencyCap,
  fanOut,
  greedy,
  overloaded,
  quota,
  retryStorm,
  shortTimeout,
  tokens.tokenLimit,
  unjittered,
  untagged,
  healthy.burstsFit,
  healthy.dominant,
  healthy.flaky500,
  healthy.oneAgent,
  healthy.steady,
  waitsOk,
];

/** Other mechanisms, each the business of a rule. */
export const FURTHER_KINDS: readonly Kind[] = [
  acceleration,
  cascade,
  dailyLimit,
  fanOutRisk,
  fanOutUnstated,
  greedyThenQuota,
  load.burstOverCapacity,
  load.splitKeys,
  load.synchronisedStart,
  overloadAndGreedy,
  overloadAsFatal,
  overloaded503,
  queues.limiterTooLow,
  queues.priorityInversion,
  queues.starvation,
  requestNotRate,
  retries.breakerTooLong,
  retries.budgetTooShort,
  retries.excessive,
  retries.hintIgnored,
  retries.permanentRetried,
  retries.stacked,
  retryStormJittered,
  steadyOver,
  tokens.greedyByTokens,
  tokens.inputTokenLimit,
  tokens.outputTokenLimit,
  tokens.oversizedCall,
  twoBuckets,
];

/** Logs that look like one of the above and are not. */
export const LOOK_ALIKES: readonly Kind[] = [
  billingGiveUp,
  budgetSpent,
  cured,
  healthy.badRequests,
  healthy.fewRefusals,
  healthy.limited,
  healthy.pause,
  healthy.slowAnswers,
  healthyFlatCap,
  jittered,
  load.equalThrottled,
  load.greedyByRepeats,
  load.loneAgent,
  longTimeout,
  nearlyTagged,
  newWork,
  overloadStorm,
  queues.priorityWorks,
  quotaCodeForRate,
  slowSuccess,
  tokens.healthyHeavyTokens,
];

/** The same mechanisms told by poorer logs. */
export const VARIANTS: readonly Kind[] = [
  bySending(asFatal),
  bySending(greedy),
  tailOf(greedy),
  tailOf(tokens.tokenLimit),
  withoutCalls(fanOut),
  withoutCalls(greedy),
  withoutCalls(healthy.steady),
  withoutCalls(load.equalThrottled),
  withoutCalls(overloaded),
  withoutCalls(quota),
  withoutCalls(shortTimeout),
  withoutCalls(tokens.tokenLimit),
  withoutHeaders(fanOut),
  withoutHeaders(greedy),
  withoutHeaders(healthy.burstsFit),
  withoutHeaders(tokens.tokenLimit),
  withoutNumbers(retryStorm),
  withoutNumbers(shortTimeout),
  withoutNumbers(unjittered),
  withoutRepeats(retryStorm),
];

/** Every kind of labelled world. */
export const KINDS: readonly Kind[] = [...GIVEN_KINDS, ...FURTHER_KINDS, ...LOOK_ALIKES, ...VARIANTS];
