const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;
const MODULUS = 2 ** 32;

/** Uniform numbers in [0, 1) from the linear congruential generator of the published experiment. Same seed, same numbers. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(MULTIPLIER, state) + INCREMENT) >>> 0;
    return state / MODULUS;
  };
}
