import { closest, distance } from "fastest-levenshtein";

/** `Did you mean "x"? ` for a near miss, else nothing: a far guess is worse than none. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const near = closest(word, [...known]);
  const misses = distance(word, near);
  // With no letter right it is no miss but another word.
  const isNear = misses <= Math.max(2, Math.floor(near.length / 3)) && misses < near.length;
  return isNear ? `Did you mean "${near}"? ` : "";
}
