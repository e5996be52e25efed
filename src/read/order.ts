/**
 * The permutation that sorts times ascending and keeps the order of equal times: a least-significant-digit radix sort on
 * the offset from the earliest time, 16 bits a pass. Linear, and three passes cover 8,900 years of milliseconds.
 */
export function orderByTime(times: Float64Array): Uint32Array<ArrayBuffer> {
  const n = times.length;
  let order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  if (isAscending(times)) return order;

  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    if (time < min) min = time;
    if (time > max) max = time;
  }
  let next = new Uint32Array(n);
  const starts = new Uint32Array(RADIX + 1);
  for (let unit = 1; unit <= max - min; unit *= RADIX) {
    const digit = (row: number): number => Math.floor(((times[row] ?? 0) - min) / unit) % RADIX;
    starts.fill(0);
    for (let i = 0; i < n; i++) starts[digit(i) + 1] = (starts[digit(i) + 1] ?? 0) + 1;
    for (let d = 0; d < RADIX; d++) starts[d + 1] = (starts[d + 1] ?? 0) + (starts[d] ?? 0);
    for (const row of order) {
      const d = digit(row);
      const at = starts[d] ?? 0;
      next[at] = row;
      starts[d] = at + 1;
    }
    [order, next] = [next, order];
  }
  return order;
}

const RADIX = 0x10000;

function isAscending(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if ((times[i] ?? 0) < (times[i - 1] ?? 0)) return false;
  return true;
}
