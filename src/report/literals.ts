import { escapeUnit } from "../words/safe.ts";

/** Texts and numbers of a log as literals of a programming language. Whatever a name holds, it cannot leave its quotes. */

/** In JavaScript, TypeScript and JSON: double quotes, everything outside printable ASCII escaped. */
export function jsString(text: string): string {
  return quote(text, (character) =>
    [...Array(character.length).keys()].map((i) => escapeUnit(character.charCodeAt(i))).join(""),
  );
}

/** In Python, whose `\uXXXX` is a whole character: beyond the first plane it is `\UXXXXXXXX`. */
export function pythonString(text: string): string {
  return quote(text, (character) => {
    const point = character.codePointAt(0) ?? 0;
    return point > 0xffff ? `\\U${point.toString(16).padStart(8, "0")}` : escapeUnit(point);
  });
}

/** `{}` would be a dict. */
export function pythonSet(numbers: readonly number[]): string {
  return numbers.length === 0 ? "set()" : `{${numbers.join(", ")}}`;
}

function quote(text: string, escape: (character: string) => string): string {
  const inner = text.replaceAll(/[^ !#-[\]-~]/gu, (character) =>
    character === '"' || character === "\\" ? `\\${character}` : escape(character),
  );
  return `"${inner}"`;
}

/** Cut to so many decimals: a rate cut down stays below the limit. */
export function floorTo(value: number, decimals: number): string {
  return String(Math.floor(nudged(value * 10 ** decimals)) / 10 ** decimals);
}

/** Raised to so many decimals: a pause raised stays above the least one. */
export function ceilTo(value: number, decimals: number): string {
  return String(Math.ceil(nudged(value * 10 ** decimals)) / 10 ** decimals);
}

/** 0.7 * 10 is 7.000000000000001: what is a whole number but for the last bits counts as one. */
function nudged(scaled: number): number {
  const whole = Math.round(scaled);
  return Math.abs(scaled - whole) < 1e-9 * Math.max(1, Math.abs(whole)) ? whole : scaled;
}
