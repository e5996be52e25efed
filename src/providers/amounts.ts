/**
 * A whole number that a limit can be: `1000`, `2,000,000`, `50K`, `2M`, `60.000000`. null = anything else; 0 and negative
 * values are not told either: no provider has a limit of 0 requests, but some say so when they mean "none".
 */
export function parseAmount(text: string | undefined): number | null {
  const amount = parseLeft(text);
  return amount === 0 ? null : amount;
}

const LONGEST = 20;
const DIGITS = /^\d{1,15}$/;
const FOR_PEOPLE = /^\s*~?\s*(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(\.\d{1,6})?\s*([km])?\s*$/i;

/** What is left of a limit: as a limit, but 0 is a value. */
export function parseLeft(text: string | undefined): number | null {
  if (text === undefined || text.length > LONGEST) return null;
  if (DIGITS.test(text)) return Number(text);
  const match = FOR_PEOPLE.exec(text);
  if (match === null) return null;
  const factor = match[3] === undefined ? 1 : match[3].toLowerCase() === "k" ? 1_000 : 1_000_000;
  return Math.round(Number(`${(match[1] ?? "").replaceAll(",", "")}${match[2] ?? ""}`) * factor);
}
