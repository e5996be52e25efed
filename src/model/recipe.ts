import type { FixSpec } from "./fix.ts";

/** A client stack for which fixes can be written as code. */
export interface Recipe {
  /** Kebab-case; equal to its file name. */
  readonly id: string;
  readonly title: string;
  /** Code that applies the fix in this stack; null = the stack has no place for this kind of fix. */
  snippet(fix: FixSpec): string | null;
}
