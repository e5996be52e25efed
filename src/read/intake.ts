import type { Problem, ProblemCode } from "../model/log.ts";
import type { AttemptRecord, LogRecord } from "../model/record.ts";
import { salvage, type Salvage } from "./decode/salvage.ts";
import { createRecordReader, type RecordReader } from "./exact.ts";
import { type Format, isJsonObject } from "./format.ts";
import type { RecordSink } from "./layouts.ts";
import { many } from "./notes.ts";
import type { FieldMap } from "./plan.ts";
import type { Reading } from "./reading.ts";
import { createUnitDecider } from "./units.ts";

/** Takes what a decoder finds in one input, makes records of it, and keeps the account. */
export interface Intake extends RecordSink {
  readonly end: () => void;
  readonly accepted: number;
  readonly rejected: number;
  readonly records: RecordReader;
  readonly assumed: () => string[];
}

export interface IntakeTarget {
  readonly add: (record: LogRecord, line: number) => void;
  readonly problem: (problem: Omit<Problem, "source">) => void;
}

export function createIntake(format: Format, map: FieldMap, target: IntakeTarget): Intake {
  const records = createRecordReader(format.plan, map);
  const units = createUnitDecider((record: AttemptRecord, line) => target.add(record, line));
  const salvaged = { around: 0, several: 0, inside: 0 };
  const account = { accepted: 0, rejected: 0 };
  let readRow: ((cells: readonly string[]) => Reading) | null = null;

  const reject = (code: ProblemCode, line: number, detail: string): void => {
    account.rejected++;
    target.problem({ line, code, detail });
  };

  /** False = the record was rejected, and nothing is counted yet. */
  const deliver = (reading: Reading, line: number): boolean => {
    if (reading.kind === "rejected") return false;
    if (reading.kind === "undecided") units.offer(reading, line);
    else if (reading.kind === "attempt") units.pass(reading, line);
    else target.add(reading, line);
    return true;
  };

  const settle = (reading: Reading, line: number): void => {
    if (deliver(reading, line)) account.accepted++;
    else if (reading.kind === "rejected") reject(reading.code, line, reading.detail);
  };

  /** A line that does not parse counts as accepted if a record was found in it. */
  const rescue = (text: string, line: number): boolean => {
    const rest: Salvage | null = salvage(text);
    let found = 0;
    for (const object of rest?.objects ?? []) if (deliver(records.fromObject(object), line)) found++;
    if (rest === null || found === 0) return false;
    account.accepted++;
    salvaged[rest.how]++;
    return true;
  };

  const take = (text: string, line: number, broken: (line: number) => void): void => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      if (!rescue(text, line)) broken(line);
      return;
    }
    if (isJsonObject(value)) settle(records.fromObject(value), line);
    else
      reject(
        "not-an-object",
        line,
        `${Array.isArray(value) ? "a list" : `a ${kindOf(value)}`} where an object should be`,
      );
  };

  return {
    found: (text, line) => take(text, line, (at) => reject("not-json", at, brokenDetail(text))),
    last(text, line) {
      const cut = text.trimStart().startsWith("{");
      take(text, line, (at) =>
        cut
          ? reject("unfinished", at, "the input ends within this record")
          : reject("not-json", at, brokenDetail(text)),
      );
    },
    header(names) {
      readRow = records.forColumns(names);
    },
    row(cells, line) {
      if (readRow !== null) settle(readRow(cells), line);
    },
    reject,
    end: units.end,
    get accepted() {
      return account.accepted;
    },
    get rejected() {
      return account.rejected;
    },
    records,
    assumed: () => [...records.assumed(), ...units.assumed(), ...salvageNotes(salvaged)],
  };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value === "string" ? "text" : typeof value;
}

/** What kind of line it is, without quoting it: such a line can hold a prompt or a key. */
function brokenDetail(text: string): string {
  const start = text.trimStart();
  if (text.includes("\0")) return "binary data";
  if (start.startsWith("{") || start.startsWith("[")) return "begins like JSON, but is not valid";
  return "text, not JSON";
}

function salvageNotes(counts: { readonly [how in Salvage["how"]]: number }): string[] {
  const notes: string[] = [];
  if (counts.around > 0) notes.push(`${many(counts.around, "line")}: text around the JSON object ignored`);
  if (counts.several > 0)
    notes.push(`${many(counts.several, "line")}: several JSON objects without a line end between them`);
  if (counts.inside > 0)
    notes.push(`${many(counts.inside, "damaged line")}: a whole record within it was kept, the rest is lost`);
  return notes;
}
