// Generated from the files beside this one: npm run gen.
import type { Reporter } from "../reporter.ts";
import { json } from "./json.ts";
import { text } from "./text.ts";

export const REPORTERS: readonly Reporter[] = [json, text];
