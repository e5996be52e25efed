// Generated from the files beside this one: npm run gen.
import type { Recipe } from "../../model/recipe.ts";
import { langchain } from "./langchain.ts";
import { pythonAsyncio } from "./python-asyncio.ts";
import { typescript } from "./typescript.ts";

export const RECIPES: readonly Recipe[] = [langchain, pythonAsyncio, typescript];
