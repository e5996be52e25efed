// Generated from the files beside this one: npm run gen.
import type { Format } from "../format.ts";
import { canonical } from "./canonical.ts";
import { spelled } from "./spelled.ts";

export const FORMATS: readonly Format[] = [canonical, spelled];
