// Generated from the files of this folder that export a Provider: npm run gen.
import { anthropic } from "./anthropic.ts";
import { generic } from "./generic.ts";
import { openai } from "./openai.ts";
import type { Provider } from "./provider.ts";

export const PROVIDERS: readonly Provider[] = [anthropic, generic, openai];
