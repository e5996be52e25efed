import { ndjson, type WorldRecord } from "../record.ts";
import type { WorldSpec } from "../spec.ts";
import { runWorld } from "../world.ts";
import { cascade } from "./cascade.ts";
import { fanOut } from "./fan-out.ts";
import { greedyAgent } from "./greedy-agent.ts";
import { handmade, handmadeCsv } from "./handmade.ts";
import { healthy } from "./healthy.ts";
import { quota } from "./quota.ts";
import { retryStorm } from "./retry-storm.ts";
import { shortTimeout } from "./short-timeout.ts";
import { transientAsFatal } from "./transient-as-fatal.ts";

/** A file under `samples/` and what writes it. */
export interface Sample {
  readonly file: string;
  readonly spec: WorldSpec;
  readonly write: (records: readonly WorldRecord[]) => string;
}

export const SAMPLES: readonly Sample[] = [
  { file: "cascade.ndjson", spec: cascade, write: ndjson },
  { file: "fan-out.ndjson", spec: fanOut, write: ndjson },
  { file: "greedy-agent.ndjson.gz", spec: greedyAgent, write: ndjson },
  { file: "handmade.csv", spec: handmade, write: handmadeCsv },
  { file: "healthy.ndjson", spec: healthy, write: ndjson },
  { file: "quota.ndjson", spec: quota, write: ndjson },
  { file: "retry-storm.ndjson", spec: retryStorm, write: ndjson },
  { file: "short-timeout.ndjson", spec: shortTimeout, write: ndjson },
  { file: "transient-as-fatal.ndjson", spec: transientAsFatal, write: ndjson },
];

export function textOf({ spec, write }: Sample): string {
  return write(runWorld(spec).records);
}
