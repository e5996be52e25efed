import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { run } from "../cli/run.ts";
import { SAMPLES, textOf } from "../support/world/stories/index.ts";

const FOLDER = join(import.meta.dirname, "../../samples");
const MOST_BYTES = 200_000;

/** The part of the JSON report that the facts below speak of. */
const REPORT = z.object({
  verdict: z.object({ headline: z.string() }),
  inputs: z.array(z.object({ lines: z.number(), accepted: z.number() })),
  incidents: z.array(
    z.object({ cascade: z.array(z.object({ agent: z.string(), role: z.string(), what: z.string() })) }),
  ),
  findings: z.array(
    z.object({
      rule: z.string(),
      severity: z.string(),
      subject: z.object({ agent: z.string().optional(), waiter: z.string().optional() }),
    }),
  ),
});

type SampleReport = z.infer<typeof REPORT>;

async function reportOf(file: string): Promise<{ readonly code: number; readonly report: SampleReport }> {
  const { code, stdout } = await run([join(FOLDER, file), "--format", "json"]);
  return { code, report: REPORT.parse(JSON.parse(stdout)) };
}

/** `rule agent` of each finding, `rule waiter` where one is named; sorted. */
function foundIn({ findings }: SampleReport): string[] {
  return findings.map(({ rule, subject }) => `${rule} ${subject.waiter ?? subject.agent ?? "-"}`).toSorted();
}

describe("samples are what the worlds write", () => {
  test("every file has a world, and every world a file", () => {
    const files = readdirSync(FOLDER).filter((name) => statSync(join(FOLDER, name)).isFile());
    expect(files.toSorted()).toEqual(SAMPLES.map(({ file }) => file).toSorted());
  });

  test.each(SAMPLES)("$file", async (sample) => {
    const path = join(FOLDER, sample.file);
    const text = textOf(sample);
    if (!sample.file.endsWith(".gz")) await expect(text).toMatchFileSnapshot(path);
    else {
      // The compressed bytes depend on the zlib, the text does not. To have the file written again, delete it.
      if (!existsSync(path)) writeFileSync(path, gzipSync(text, { level: 9 }));
      expect(gunzipSync(readFileSync(path)).toString()).toBe(text);
    }
    expect(statSync(path).size).toBeLessThan(MOST_BYTES);
  });
});

/** What a reader of each sample must be told: the exit code, and every finding with the one it names. */
const FACTS: { readonly [file: string]: { readonly code: number; readonly found: readonly string[] } } = {
  "cascade.ndjson": {
    code: 1,
    found: [
      "fan-out-over-limit code",
      "greedy-agent code",
      "high-429-ratio code",
      "short-timeout deploy",
      "short-timeout review",
    ],
  },
  "fan-out.ndjson": {
    code: 1,
    found: ["fan-out-over-limit extract", "greedy-agent extract", "high-429-ratio extract"],
  },
  "greedy-agent.ndjson.gz": {
    code: 1,
    found: ["fan-out-over-limit crawler", "greedy-agent crawler", "high-429-ratio crawler"],
  },
  "handmade.csv": { code: 1, found: ["high-429-ratio digest", "token-limit digest"] },
  "healthy.ndjson": { code: 0, found: [] },
  "quota.ndjson": {
    code: 1,
    found: ["permanent-error-retried research", "permanent-error-retried review", "quota-exhausted -"],
  },
  "retry-storm.ndjson": {
    code: 1,
    found: [
      "high-429-ratio -",
      "retry-after-ignored classify",
      "retry-after-ignored extract",
      "retry-after-ignored summarize",
      "retry-storm -",
      "unjittered-retries classify",
    ],
  },
  "short-timeout.ndjson": {
    code: 1,
    found: ["fan-out-over-limit translate", "high-429-ratio translate", "short-timeout rank"],
  },
  "transient-as-fatal.ndjson": { code: 1, found: ["fan-out-over-limit deploy", "transient-as-fatal deploy"] },
};

describe("what each sample shows", () => {
  test("no sample is left out", () => {
    expect(Object.keys(FACTS)).toEqual(SAMPLES.map(({ file }) => file).toSorted());
  });

  test.each(Object.entries(FACTS))("%s", async (file, facts) => {
    const { code, report } = await reportOf(file);
    expect({ code, found: foundIn(report) }).toEqual(facts);
    expect(report.inputs.map(({ lines, accepted }) => lines - accepted)).toEqual([0]);
  });
});

/** Two refusals of 70 s and an answer of two or three: over the 120 s of review and the 130 s of deploy. */
test("the opening story is told with its names and numbers", async () => {
  const { report } = await reportOf("cascade.ndjson");
  const [first] = report.incidents;
  const told = first?.cascade.map(({ role, agent, what }) => `${role} ${agent}: ${what}`) ?? [];
  expect(report.verdict.headline).toMatch(/code started 20 calls .* review, deploy gave up .* rollback/s);
  expect(told).toEqual([
    expect.stringMatching(/^cause code: started 20 calls .* the bucket holds 8/),
    expect.stringMatching(/^carrier orchestrator: rollback of run-103/),
    expect.stringMatching(/^carrier orchestrator: alert of run-103/),
    expect.stringMatching(/^victim review: gave up waiting for code after 2 m; code needed 2 m 2\d s/),
    expect.stringMatching(/^victim deploy: gave up waiting for review after 2 m 10 s; code needed 2 m 2\d s/),
  ]);
});
