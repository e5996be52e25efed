import type { RequestLog } from "../model/log.ts";

/**
 * A derived series that is computed once a log, however many rules ask for it. The cache hangs on the log object, so two
 * diagnoses never meet and a log that is dropped takes its measures with it.
 */
export function defineMeasure<T>(compute: (log: RequestLog) => T): (log: RequestLog) => T {
  const known = new WeakMap<RequestLog, { readonly value: T }>();
  return (log) => {
    let entry = known.get(log);
    if (entry === undefined) {
      entry = { value: compute(log) };
      known.set(log, entry);
    }
    return entry.value;
  };
}
