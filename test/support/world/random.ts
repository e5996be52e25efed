/** A stream of pseudo-random numbers: the same labels give the same numbers on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  between(from: number, to: number): number;
  /** Both ends can come. */
  integer(from: number, to: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Different entries, in random order. */
  some<T>(list: readonly T[], count: number): T[];
  exponential(mean: number): number;
  /** `sigma` is the standard deviation of the logarithm: 0.3 is narrow, 1 has a long tail. */
  lognormal(median: number, sigma: number): number;
}

const TWO_TO_32 = 4_294_967_296;

/**
 * Labels name a purpose (`seed, "service", call`), so each purpose has a stream of its own. A world that is run again with
 * a changed client then meets the same arrivals and the same service times, and the difference is the change alone.
 */
export function createRandom(...labels: readonly (string | number)[]): Random {
  const next = sfc32(hashOf(labels.join("\u0000")));
  const between = (from: number, to: number): number => from + (to - from) * next();
  const integer = (from: number, to: number): number => Math.floor(between(from, to + 1));
  const pick = <T>(list: readonly T[]): T => {
    const chosen = list[integer(0, list.length - 1)];
    if (chosen === undefined) throw new Error("nothing to pick from");
    return chosen;
  };
  const some = <T>(list: readonly T[], count: number): T[] => {
    const left = [...list];
    return Array.from({ length: Math.min(count, left.length) }, () => {
      const chosen = pick(left);
      left.splice(left.indexOf(chosen), 1);
      return chosen;
    });
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    next,
    between,
    integer,
    chance: (share) => next() < share,
    pick,
    some,
    exponential: (mean) => -mean * Math.log(1 - next()),
    lognormal: (median, sigma) => median * Math.exp(sigma * normal()),
  };
}

type State = [number, number, number, number];

/** Four unlike 32-bit hashes of the text (FNV-1a from four bases, with a final mix). */
function hashOf(text: string): State {
  const fnv = (basis: number): number => {
    let hash = basis;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash ^= hash >>> 16;
    hash = Math.imul(hash, 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  };
  return [fnv(0x811c9dc5), fnv(0x2545f491), fnv(0x9e3779b9), fnv(0x5bd1e995)];
}

/** Chris Doty-Humphrey's small fast counting generator: 128 bits of state, passes PractRand. */
function sfc32([first, second, third, fourth]: State): () => number {
  let [a, b, c, counter] = [first, second, third, fourth];
  const step = (): number => {
    const out = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + out;
    return (out >>> 0) / TWO_TO_32;
  };
  for (let i = 0; i < 12; i++) step();
  return step;
}
