/**
 * Small dense numbers for texts.
 *
 * `createInterner` keeps the texts (agents, runs, models: few). `createIdTable` keeps only 64 bits of hash (call ids: as
 * many as attempts), about 24 bytes an id instead of 100 and more for a Map of strings. Two of ten million different ids
 * share a hash with a probability of 3 in a million.
 */

export interface Interner {
  /** 0 for null and for the empty text. */
  idOf(text: string | null): number;
  /** `texts()[0]` is the empty text. */
  texts(): readonly string[];
}

export function createInterner(): Interner {
  const ids = new Map<string, number>([["", 0]]);
  const texts = [""];
  return {
    idOf(text) {
      if (text === null) return 0;
      const known = ids.get(text);
      if (known !== undefined) return known;
      ids.set(text, texts.length);
      texts.push(text);
      return texts.length - 1;
    },
    texts: () => texts,
  };
}

export interface IdTable {
  /** 1, 2, 3 ... in order of first sight; 0 for null and for the empty text. */
  idOf(text: string | null): number;
  /** How many different ids were seen. */
  size(): number;
}

const EMPTY = 0;

export function createIdTable(initialSlots: number = 1 << 10): IdTable {
  let slots = initialSlots;
  let low = new Uint32Array(slots);
  let high = new Uint32Array(slots);
  let ids = new Uint32Array(slots);
  let count = 0;

  const place = (lo: number, hi: number): number => {
    let slot = lo & (slots - 1);
    while (ids[slot] !== EMPTY && (low[slot] !== lo || high[slot] !== hi)) slot = (slot + 1) & (slots - 1);
    return slot;
  };

  const grow = (): void => {
    const [oldLow, oldHigh, oldIds] = [low, high, ids];
    slots *= 2;
    low = new Uint32Array(slots);
    high = new Uint32Array(slots);
    ids = new Uint32Array(slots);
    for (let old = 0; old < oldIds.length; old++) {
      if (oldIds[old] === EMPTY) continue;
      const slot = place(oldLow[old] ?? 0, oldHigh[old] ?? 0);
      low[slot] = oldLow[old] ?? 0;
      high[slot] = oldHigh[old] ?? 0;
      ids[slot] = oldIds[old] ?? 0;
    }
  };

  return {
    idOf(text) {
      if (text === null || text === "") return 0;
      const [lo, hi] = hash64(text);
      let slot = place(lo, hi);
      if (ids[slot] !== EMPTY) return ids[slot] ?? 0;
      // Above 70 % full the probe runs get long.
      if (count + 1 > slots * 0.7) {
        grow();
        slot = place(lo, hi);
      }
      count++;
      low[slot] = lo;
      high[slot] = hi;
      ids[slot] = count;
      return count;
    },
    size: () => count,
  };
}

/** Two independent 32-bit lanes over UTF-16 units, each finished with the murmur3 mixer. */
function hash64(text: string): [number, number] {
  let a = 0x9e3779b9 ^ text.length;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul((b << 13) | (b >>> 19), 5) + unit;
    b = Math.imul(b, 0xcc9e2d51) | 0;
  }
  return [mix(a), mix(b ^ a)];
}

function mix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
