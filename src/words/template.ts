import type { MeasuredNumber } from "../model/rule.ts";
import { formatNumber } from "./numbers.ts";

/**
 * Fills the `{name}`s of a rule's message. `{name}` is the number with its unit, or else the word of that name;
 * `{name.limit}` is the limit that the number stands beside. Braces in a word stay as they are.
 *
 * @throws Error for a name that is neither, which is a mistake in the rule and not in the log
 */
export function fill(
  template: string,
  numbers: { readonly [name: string]: MeasuredNumber },
  words: { readonly [name: string]: string } = {},
): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (place, path: string) => {
    const [name = "", part] = path.split(".", 2);
    const number = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
    const word = Object.hasOwn(words, name) ? words[name] : undefined;
    if (part === "limit" && number?.limit !== undefined) return formatNumber(number.limit, number.unit);
    if (part === undefined && number !== undefined) return formatNumber(number.value, number.unit);
    if (part === undefined && word !== undefined) return word;
    throw new Error(`nothing to put for ${place} in the message "${template}"`);
  });
}
