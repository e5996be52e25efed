import { type SimulationResult, simulate } from "../../src/simulate/engine.ts";
import { callsOf, worldOf } from "../../src/simulate/scenario.ts";
import type { Scenario, Strategy } from "../../src/simulate/scenario-schema.ts";
import type { TokenBucket } from "../../src/simulate/token-bucket.ts";

/** A simulation and every token that was taken in it. */
export interface Traced {
  readonly result: SimulationResult;
  /** When the server's bucket gave a token: one for each accepted attempt. */
  readonly acceptedS: readonly number[];
  /** When the client limiter gave a token: one for each send. */
  readonly limiterS: readonly number[];
  /** How often the client limiter was asked whether, or when, it holds a token. */
  readonly asked: number;
}

/** More questions to a limiter than any of these small scenarios needs. */
const MOST_QUESTIONS = 20_000;

export function trace(scenario: Scenario, strategy: Strategy): Traced {
  const [acceptedS, limiterS]: [number[], number[]] = [[], []];
  let asked = 0;
  const watched = (bucket: TokenBucket, taken: number[], onAsk: () => void): TokenBucket => ({
    ...bucket,
    holds(nowS, amount) {
      onAsk();
      return bucket.holds(nowS, amount);
    },
    waitFor(nowS, amount) {
      onAsk();
      return bucket.waitFor(nowS, amount);
    },
    take(nowS, amount) {
      taken.push(nowS);
      bucket.take(nowS, amount);
    },
  });
  const world = worldOf(scenario, strategy, scenario.seed);
  const result = simulate(callsOf(scenario), {
    ...world,
    server: world.server.map((bucket) => watched(bucket, acceptedS, () => undefined)),
    lanes: world.lanes.map((lane) => ({
      ...lane,
      limiters: lane.limiters.map((one) => ({
        ...one,
        // A clock that stands still would hang the test; this makes it fail.
        bucket: watched(one.bucket, limiterS, () => {
          asked++;
          if (asked > MOST_QUESTIONS) throw new RangeError("the clock stands still");
        }),
      })),
    })),
  });
  return { result, acceptedS, limiterS, asked };
}
