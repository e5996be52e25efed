// Generated from the files beside this one: npm run gen.
import type { Provider } from "./provider.ts";
import { anthropic } from "./anthropic.ts";
import { generic } from "./generic.ts";
import { openai } from "./openai.ts";

export const PROVIDERS: readonly Provider[] = [anthropic, generic, openai];
