import { type Ambiguity, createAmbiguities } from "./ambiguities.ts";
import { createAttemptReader } from "./attempts.ts";
import { readAction, readWait } from "./events.ts";
import { createExtractor, type Extract } from "./extract.ts";
import { createFieldReader, textOf } from "./fields.ts";
import type { JsonObject } from "./format.ts";
import { createNameTree, type Target } from "./names.ts";
import type { FieldMap, Plan } from "./plan.ts";
import { type Reading, rejected } from "./reading.ts";
import { createTimingReader } from "./timing.ts";

/** Executes a plan on the records of one input, in file order: the exact path, beside which a scanner may be faster. */
export interface RecordReader {
  readonly fromObject: (record: JsonObject) => Reading;
  /** @param names the header row */
  readonly forColumns: (names: readonly string[]) => (cells: readonly string[]) => Reading;
  readonly timeUnit: () => string;
  /** What was assumed, in words. */
  readonly assumed: () => string[];
  /** Fields that several names told differently. */
  readonly ambiguities: () => readonly Ambiguity[];
  /** Which kinds of names gave call ids. */
  readonly callIds: () => { readonly sure: boolean; readonly weak: boolean };
}

export function createRecordReader(plan: Plan, map: FieldMap = {}): RecordReader {
  const extractor = createExtractor(createNameTree(plan, map));
  const fields = createFieldReader();
  const timings = createTimingReader(fields);
  const attempts = createAttemptReader(fields);
  const ambiguities = createAmbiguities();

  const readExtract = (extract: Extract): Reading => {
    if (extract.others.length > 0) ambiguities.check(extract);
    const event = textOf(extract, "event")?.toLowerCase() ?? "";
    const isAttempt = event === "" || event === "attempt" || event === "request";
    const isOther = event === "wait" || event === "action";
    if (!isOther && plan.needsSign && !extract.sign) return rejected("unknown-event", "no sign of a request");
    if (!isAttempt && !isOther && !plan.needsSign)
      return rejected("unknown-event", `event ${fields.shown(extract, "event")}`);
    const timing = timings.read(extract);
    if (timing.kind === "rejected") return timing;
    if (event === "wait") return readWait(extract, fields, timing);
    if (event === "action") return readAction(extract, fields, timing);
    const record = attempts.read(extract, timing);
    return timing.bare === null ? record : { kind: "undecided", record, bare: timing.bare };
  };

  return {
    fromObject: (record) => readExtract(extractor.fromObject(record)),
    forColumns(names) {
      const extract = extractor.forColumns(names);
      return (cells) => readExtract(extract(cells));
    },
    timeUnit: timings.unit,
    assumed: () => [
      ...namesUsed(extractor.used()),
      ...timings.assumed(),
      ...attempts.assumed(),
      ...fields.assumed(),
    ],
    ambiguities: ambiguities.found,
    callIds: attempts.callIds,
  };
}

/** `read as: timestamp = ts, worker = agent`. */
function namesUsed(used: ReadonlySet<Target>): string[] {
  const maybeCalls = [...used].filter(({ field, weak }) => field === "call_id" && weak);
  const others = [...used].filter((target) => !maybeCalls.includes(target));
  return [
    ...(others.length > 0 ? [`read as: ${pairsOf(others)}`] : []),
    ...(maybeCalls.length > 0 ? [`read as, if an id repeats: ${pairsOf(maybeCalls)}`] : []),
  ];
}

function pairsOf(targets: readonly Target[]): string {
  return targets
    .map(({ path, field }) => `${path} = ${field}`)
    .toSorted()
    .join(", ");
}
