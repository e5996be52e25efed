/**
 * The smallest value that at least `share` of all values do not exceed (nearest rank, no interpolation): an observed
 * value, so it can be pointed at. null for no values. Does not change its argument.
 */
export function quantile(values: Float64Array | readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).toSorted();
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? null;
}

/** Index of the first value that is not less than `bound`, in an ascending list. */
export function lowerBound(ascending: ArrayLike<number>, bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
