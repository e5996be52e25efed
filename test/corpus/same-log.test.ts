import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { diagnose, type Report } from "../../src/index.ts";
import { readLog } from "../../src/read/read.ts";
import { inputOf } from "../../src/read/source.ts";

const SAMPLES = join(import.meta.dirname, "../../samples");

function sampleLines(name: string): readonly string[] {
  const bytes = readFileSync(join(SAMPLES, name));
  const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text.trimEnd().split("\n");
}

/** What a report says, without where the lines stood. */
function told({ findings, verdict, agents, buckets, exitCode }: Report): unknown {
  return {
    verdict,
    agents,
    buckets,
    exitCode,
    findings: findings.map(({ evidence, ...rest }) => ({ ...rest, evidence: evidence.length })),
  };
}

async function diagnosed(...files: readonly (string | Uint8Array)[]): Promise<Report> {
  const log = await readLog(files.map((file, i) => inputOf(`part-${i}`, [Buffer.from(file)])));
  for (const input of log.inputs) expect(input.accepted + input.rejected + input.blank).toBe(input.lines);
  return diagnose(log);
}

/** Every third line, starting at the first, second, third. */
function inThree(lines: readonly string[]): string[] {
  return [0, 1, 2].map((rest) =>
    lines
      .filter((_, i) => i % 3 === rest)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

/** A fixed order that has nothing to do with time. */
function shuffled(lines: readonly string[]): readonly string[] {
  return lines
    .map((line, i) => ({ line, key: (i * 7919) % 10_007 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ line }) => line);
}

const COLUMNS = [
  "event",
  "ts",
  "duration_ms",
  "agent",
  "run_id",
  "call_id",
  "attempt",
  "provider",
  "model",
  "api_key_id",
  "status",
  "error_type",
  "error_code",
  "error_message",
  "headers",
  "input_tokens",
  "output_tokens",
  "queued_ms",
  "priority",
  "waits_for",
  "timeout_ms",
  "outcome",
  "action",
];

const RECORD = z.record(z.string(), z.unknown());

function asCsv(lines: readonly string[]): string {
  const cell = (value: unknown): string => {
    if (value === undefined || value === null) return "";
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = lines.map((line) => {
    const record = new Map(Object.entries(RECORD.parse(JSON.parse(line))));
    for (const name of record.keys()) if (!COLUMNS.includes(name)) throw new Error(`no column for ${name}`);
    return COLUMNS.map((name) => cell(record.get(name))).join(",");
  });
  return `${[COLUMNS.join(","), ...rows].join("\n")}\n`;
}

describe.each(["cascade.ndjson", "greedy-agent.ndjson.gz", "retry-storm.ndjson", "quota.ndjson"])(
  "%s gives the same findings",
  (name) => {
    const lines = sampleLines(name);
    const plain = `${lines.join("\n")}\n`;

    test.each<[string, readonly (string | Uint8Array)[]]>([
      ["shuffled", [shuffled(lines).join("\n")]],
      ["over three files", inThree(lines)],
      ["gzipped", [gzipSync(plain)]],
      ["with CRLF", [plain.replaceAll("\n", "\r\n")]],
      ["with a byte-order mark", [`\uFEFF${plain}`]],
      ["as a JSON array", [`[\n${lines.join(",\n")}\n]\n`]],
      ["as CSV", [asCsv(lines)]],
    ])("%s", async (_how, files) => {
      expect(told(await diagnosed(...files))).toEqual(told(await diagnosed(plain)));
    });
  },
);
