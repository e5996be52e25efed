import { FORMATS } from "../../read/formats/index.ts";
import { type Io, print } from "../io.ts";

/** Lists the log formats that are read. */
export async function runFormats(io: Io): Promise<number> {
  const width = Math.max(...FORMATS.map((format) => format.id.length));
  const lines = FORMATS.map(
    ({ id, granularity, title }) => `${id.padEnd(width)}  ${granularity.padEnd(9)}  ${title}`,
  );
  await print(io.stdout, `${lines.join("\n")}\n\nEach as NDJSON, JSON arrays or CSV; plain, .gz or .zst.\n`);
  return 0;
}
