import { UserError } from "../model/user-error.ts";
import { createStyle, type Style } from "../report/style.ts";
import type { Io } from "./io.ts";
import { isOn, textOf, type Values } from "./values.ts";

const WIDTH = 80;

/** How to print on this terminal: flags first, then NO_COLOR and FORCE_COLOR, then whether it is a terminal at all. */
export function styleOf(values: Values, io: Io): Style {
  const detail = isOn(values, "quiet") ? "quiet" : isOn(values, "verbose") ? "verbose" : "normal";
  const top = topOf(textOf(values, "top"));
  return createStyle({
    color: isColored(textOf(values, "color") ?? "auto", io),
    width: Math.min(io.columns ?? WIDTH, 120),
    ascii: isOn(values, "ascii"),
    detail,
    top,
  });
}

function isColored(when: string, io: Io): boolean {
  if (when !== "auto") return when === "always";
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = io.env;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  if (no !== undefined && no !== "") return false;
  return io.stdoutIsTerminal && term !== "dumb";
}

function topOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UserError(`--top ${text}: not a number`, "Write how many findings to print, e.g. --top 3.");
}
