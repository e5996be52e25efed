import type { RateDimension } from "../model/outcome.ts";

/** What a call takes from a bucket of this dimension. */
export function costOf(
  call: { readonly inputTokens: number; readonly outputTokens: number },
  dimension: RateDimension,
): number {
  switch (dimension) {
    case "requests":
      return 1;
    case "input-tokens":
      return call.inputTokens;
    case "output-tokens":
      return call.outputTokens;
    case "tokens":
      return call.inputTokens + call.outputTokens;
  }
}
