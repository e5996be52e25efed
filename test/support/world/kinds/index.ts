import { greedy } from "./greedy.ts";
import { healthySteady } from "./healthy.ts";
import type { Kind } from "./kind.ts";
import { shortTimeout } from "./short-timeout.ts";

/** Every kind of labelled world. */
export const KINDS: readonly Kind[] = [greedy, healthySteady, shortTimeout];
