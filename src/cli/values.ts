import { UserError } from "../model/user-error.ts";

/** What the parser made of the command line: every value still of unknown type. */
export type Values = { readonly [name: string]: unknown };

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  if (value === undefined) return undefined;
  if (typeof value === "string") return value;
  throw new UserError(`--${name} was given more than once`, "Give it once.");
}

/** Several values, each of which may hold several with commas between them when `split` is set. */
export function textsOf(values: Values, name: string, split: boolean = false): readonly string[] {
  const value = values[name];
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  return split ? texts.flatMap((text) => text.split(",").filter((part) => part !== "")) : texts;
}

export function isOn(values: Values, name: string): boolean {
  return values[name] === true;
}
