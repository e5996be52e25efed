const MINUTE_MS = 60_000;
/** The minutes that growth is measured against. */
const BEFORE = 10;

/** A limit on growth, whatever the level: this minute against the mean of the ten before it. */
export interface Ramp {
  fits(nowMs: number): boolean;
  enter(nowMs: number): void;
}

export function createRamp({ floor, factor }: { readonly floor: number; readonly factor: number }): Ramp {
  const perMinute = new Map<number, number>();
  const minuteOf = (nowMs: number): number => Math.floor(nowMs / MINUTE_MS);
  const sentIn = (minute: number): number => perMinute.get(minute) ?? 0;
  return {
    fits: (nowMs) => {
      const minute = minuteOf(nowMs);
      const past = Array.from({ length: Math.min(BEFORE, minute) }, (_, i) => sentIn(minute - 1 - i));
      const mean = past.length === 0 ? floor : past.reduce((sum, sent) => sum + sent, 0) / past.length;
      return sentIn(minute) < Math.max(floor, factor * mean);
    },
    enter: (nowMs) => {
      perMinute.set(minuteOf(nowMs), sentIn(minuteOf(nowMs)) + 1);
    },
  };
}
