import { closest } from "fastest-levenshtein";
import { UserError } from "../model/user-error.ts";
import { type Field, type FieldMap, FIELDS } from "./plan.ts";

/**
 * `--map FIELD=PATH`, with the fields of a plan.
 *
 * @throws {UserError} on a field that does not exist or an empty path
 */
export function checkedMap(map: { readonly [field: string]: string }): FieldMap {
  for (const [field, path] of Object.entries(map)) {
    if (!isField(field)) {
      const hint = `Did you mean ${closest(field, [...FIELDS])}? Fields: ${FIELDS.join(", ")}.`;
      throw new UserError(`--map ${field}=${path}: there is no field "${field}"`, hint);
    }
    if (path === "")
      throw new UserError(`--map ${field}=: the path is empty`, `Write --map ${field}=path.to.field.`);
  }
  return map;
}

function isField(name: string): name is Field {
  return FIELDS.some((field) => field === name);
}
