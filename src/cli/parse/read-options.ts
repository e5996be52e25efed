import { UserError } from "../../model/user-error.ts";
import type { ReadOptions } from "../../read/read.ts";
import { textOf, textsOf, type Values } from "../values.ts";

/** @throws UserError for a --map without `=` */
export function readOptionsOf(values: Values): ReadOptions {
  const from = textOf(values, "from");
  const since = textOf(values, "since");
  const until = textOf(values, "until");
  const map = Object.fromEntries(textsOf(values, "map").map(fieldAndPath));
  return {
    ...(from === undefined ? {} : { from }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    map,
  };
}

function fieldAndPath(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals <= 0 || equals === text.length - 1)
    throw new UserError(`--map ${text}: not FIELD=PATH`, "Write e.g. --map agent=metadata.worker.");
  return [text.slice(0, equals), text.slice(equals + 1)];
}
