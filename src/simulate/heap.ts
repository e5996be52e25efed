/** A binary heap: the smallest by `before` comes out first. Push and pop in O(log n). */
export interface Heap<T> {
  readonly size: () => number;
  readonly peek: () => T | undefined;
  readonly push: (item: T) => void;
  readonly pop: () => T | undefined;
}

/** @param before strict order: does the first come out before the second? */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];

  const swapUp = (from: number): void => {
    let child = from;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const [low, high] = [items[child], items[parent]];
      if (low === undefined || high === undefined || !before(low, high)) return;
      items[parent] = low;
      items[child] = high;
      child = parent;
    }
  };

  const swapDown = (): void => {
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      const [first, second, top] = [items[left], items[left + 1], items[parent]];
      if (first === undefined || top === undefined) return;
      const [least, at] = second !== undefined && before(second, first) ? [second, left + 1] : [first, left];
      if (!before(least, top)) return;
      items[parent] = least;
      items[at] = top;
      parent = at;
    }
  };

  return {
    size: () => items.length,
    peek: () => items[0],
    push(item) {
      items.push(item);
      swapUp(items.length - 1);
    },
    pop() {
      const top = items[0];
      const last = items.pop();
      if (items.length > 0 && last !== undefined) {
        items[0] = last;
        swapDown();
      }
      return top;
    },
  };
}
