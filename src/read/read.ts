import type { InputSummary, Problem, RequestLog } from "../model/log.ts";
import { UserError } from "../model/user-error.ts";
import { type Bound, parseBound, resolveBound } from "./bounds.ts";
import { createLogBuilder, type LogBuilder } from "./builder.ts";
import { clip } from "./clip.ts";
import type { Decoder } from "./decode/decoder.ts";
import { detect, type Detected, formatsNamed, refuseUtf16, undetected } from "./detect.ts";
import { checkedMap } from "./field-map.ts";
import type { Format } from "./format.ts";
import { createIntake, type Intake } from "./intake.ts";
import { createDecoder } from "./layouts.ts";
import { CutOffError } from "./inflate.ts";
import type { FieldMap } from "./plan.ts";
import type { LogInput } from "./source.ts";

export interface ReadOptions {
  /** Id of a format; left out: found by looking at the first records of each input. */
  readonly from?: string;
  /** `--map FIELD=PATH`: canonical field -> dotted path, which replaces all other names of that field. */
  readonly map?: { readonly [field: string]: string };
  /** ISO time, or `-3h` before the end of the log. The span is half-open: since <= sent < until. */
  readonly since?: string;
  readonly until?: string;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Formats and layouts are found in this much of an input; in more where not even one record fits. */
const HEAD_BYTES = [64 * 1024, 1024 * 1024, 8 * 1024 * 1024] as const;

/**
 * Reads inputs of any known format into one log, streaming: the text of the inputs is never held. Lines that cannot be
 * used are problems of the log, not errors.
 *
 * @throws {UserError} for an input that cannot be read, an unknown format or field, or names that contradict each other
 */
export async function readLog(inputs: readonly LogInput[], options: ReadOptions = {}): Promise<RequestLog> {
  const map = checkedMap(options.map ?? {});
  const formats = formatsNamed(options.from);
  const since = options.since === undefined ? null : parseBound("since", options.since);
  const until = options.until === undefined ? null : parseBound("until", options.until);
  const builder = createLogBuilder();
  const summaries: InputSummary[] = [];
  const calls = { sure: false, weak: false };
  // One after the other: the order of equal times is the order of the inputs.
  for (const input of inputs) {
    const { summary, intake } = await readInput(input, builder, formats, map);
    summaries.push(summary);
    calls.sure ||= intake.records.callIds().sure;
    calls.weak ||= intake.records.callIds().weak;
  }
  const log = builder.finish({ inputs: summaries, callIdsMayBeRequestIds: calls.weak && !calls.sure });
  return clipped(log, since, until);
}

function clipped(log: RequestLog, since: Bound | null, until: Bound | null): RequestLog {
  if (log.span === null || (since === null && until === null)) return log;
  const { from, to } = log.span;
  return clip(log, {
    from: since === null ? from : resolveBound(since, to),
    to: until === null ? to : resolveBound(until, to),
  });
}

async function readInput(
  input: LogInput,
  builder: LogBuilder,
  formats: readonly Format[],
  map: FieldMap,
): Promise<{ summary: InputSummary; intake: Intake }> {
  const source = builder.addInput();
  const problem = (each: Omit<Problem, "source">): void => builder.problem({ source: input.name, ...each });
  const cuts: CutOffError[] = [];
  const chunks = upToCut(input.open(), cuts);
  const { head, detected } = await readHead(input.name, chunks, formats);
  const intake = createIntake(detected.format, map, {
    add: (record, line) => builder.add(record, source, line),
    problem,
  });
  const decoder = createDecoder(detected.layout, intake);
  decoder.push(head);
  for await (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  intake.end();
  for (const cut of cuts) problem({ line: decoder.count(), code: "unfinished", detail: cut.message });
  refuseAmbiguities(input.name, intake);
  return { summary: summaryOf(input.name, detected, decoder, intake), intake };
}

/** Packed data that was cut off is read as far as it goes: a problem of the log, unless nothing came out at all. */
async function* upToCut(chunks: AsyncIterable<Uint8Array>, cuts: CutOffError[]): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof CutOffError) || bytes === 0) throw error;
    cuts.push(error);
  }
}

/** The first bytes, without the byte-order mark, and what they are. */
async function readHead(
  name: string,
  chunks: AsyncGenerator<Uint8Array>,
  formats: readonly Format[],
): Promise<{ head: Buffer; detected: Detected }> {
  let head: Buffer = Buffer.alloc(0);
  for (const size of HEAD_BYTES) {
    head = await readAtLeast(head, size + 1, chunks);
    refuseUtf16(name, head);
    // Exactly so many bytes: what is found must not depend on where chunks are cut.
    const detected = detect(head.subarray(0, size), head.length <= size, formats);
    if (detected !== null) return { head, detected };
    if (head.length <= size) break;
  }
  return { head, detected: undetected(head, formats) };
}

async function readAtLeast(
  start: Buffer,
  bytes: number,
  chunks: AsyncGenerator<Uint8Array>,
): Promise<Buffer> {
  const parts: Uint8Array[] = [start];
  let have = start.length;
  while (have < bytes + UTF8_MARK.length) {
    const next = await chunks.next();
    if (next.done === true) break;
    // A copy: it is kept while the source may go on using its buffer.
    parts.push(next.value.slice());
    have += next.value.length;
  }
  const head = Buffer.concat(parts);
  return start.length === 0 && head.subarray(0, 3).equals(UTF8_MARK) ? head.subarray(3) : head;
}

function summaryOf(
  source: string,
  { format, why }: Detected,
  decoder: Decoder,
  intake: Intake,
): InputSummary {
  return {
    source,
    format: format.id,
    why,
    timeUnit: intake.records.timeUnit(),
    lines: decoder.count(),
    accepted: intake.accepted,
    rejected: intake.rejected,
    blank: decoder.blank(),
    outside: 0,
    assumed: intake.assumed(),
  };
}

/** Below this share of an input's records a contradiction is an odd record, not a question about the log. */
const ODD_SHARE = 0.01;

function refuseAmbiguities(source: string, intake: Intake): void {
  for (const { field, taken, other, differing } of intake.records.ambiguities()) {
    if (differing <= intake.accepted * ODD_SHARE) continue;
    const what = `"${taken}" and "${other}" both look like ${field}, and differ in ${differing} of ${intake.accepted} records`;
    throw new UserError(
      `${source}: ${what}`,
      `Say which one it is: --map ${field}=${taken} or --map ${field}=${other}.`,
    );
  }
}
