/** `1 line`, `2 lines`: how the notes on what was assumed count. */
export function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
