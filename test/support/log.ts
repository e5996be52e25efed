import type { RequestLog, ToldLimit } from "../../src/model/log.ts";
import { createLogBuilder } from "../../src/read/builder.ts";
import { createRecordReader } from "../../src/read/exact.ts";
import { canonical } from "../../src/read/formats/canonical.ts";
import type { RecordInput } from "./cases.ts";

/** The log that these records make, read as the canonical format reads them; line n is record n. */
export function logOf(records: readonly RecordInput[], told: readonly ToldLimit[] = []): RequestLog {
  const builder = createLogBuilder();
  const source = builder.addInput();
  const reader = createRecordReader(canonical.plan);
  for (const [i, record] of records.entries()) {
    const reading = reader.fromObject(record);
    if (reading.kind === "rejected")
      throw new Error(`record ${i + 1} is no record: ${JSON.stringify(reading)}`);
    if (reading.kind === "undecided") throw new Error(`record ${i + 1} has a duration without a unit`);
    builder.add(reading, source, i + 1);
  }
  const lines = records.length;
  const log = builder.finish({
    inputs: [
      {
        source: "test.ndjson",
        format: "canonical",
        why: "built by a test",
        timeUnit: "ISO 8601",
        lines,
        accepted: lines,
        rejected: 0,
        blank: 0,
        outside: 0,
        assumed: [],
      },
    ],
  });
  return { ...log, told: { limits: told } };
}
