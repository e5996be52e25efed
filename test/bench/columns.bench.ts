import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const ATTEMPTS = Number(process.env["BENCH_ATTEMPTS"] ?? 10_000_000);

/** A table of generated attempts, built and diagnosed by the built library in a process of its own. */
const BUILD_AND_DIAGNOSE = `
const { createLogBuilder } = await import("./dist/src/read/builder.js");
const { diagnose } = await import("./dist/src/index.js");
const total = Number(process.argv[1]);
const builder = createLogBuilder();
const source = builder.addInput();
const none = { runId: null, provider: "anthropic", model: "claude-sonnet-4-6", orgId: null, workspaceId: null, apiKeyId: null,
  errorType: null, errorCode: null, errorMessage: null, headers: null, retryAfterMs: null, cachedTokens: null, maxTokens: null,
  priority: null, queuedMs: null, local: false };
const peak = () => (process.resourceUsage().maxRSS / 1024).toFixed(0);
const start = performance.now();
for (let i = 0; i < total; i++) {
  const refused = i % 600_000 < 30_000 && i % 3 === 0;
  builder.add({ kind: "attempt", ...none, sentMs: 1_780_000_000_000 + i * 8 + (i % 7) * 100, durationMs: refused ? 80 : 900,
    agent: "agent-" + (i % 50), callId: "call_" + (i - (i % 3 === 1 ? 1 : 0)).toString(36), attempt: i % 3 === 1 ? 2 : 1,
    status: refused ? 429 : 200, inputTokens: 1_000 + (i % 900), outputTokens: 200 }, source, i + 1);
}
const built = performance.now();
const log = builder.finish({ inputs: [{ source: "generated", format: "canonical", why: "generated", timeUnit: "epoch ms",
  lines: total, accepted: total, rejected: 0, blank: 0, outside: 0, assumed: [] }] });
const finished = performance.now();
console.log("  built     " + ((built - start) / 1000).toFixed(1) + " s, sorted " + ((finished - built) / 1000).toFixed(1) + " s, peak " + peak() + " MiB");
const report = diagnose(log);
console.log("  diagnosed " + ((performance.now() - finished) / 1000).toFixed(1) + " s, peak " + peak() + " MiB, " + report.findings.length + " findings");
`;

test(`${ATTEMPTS} attempts in columns`, () => {
  const result = spawnSync(
    process.execPath,
    ["--max-old-space-size=2048", "--input-type=module", "-e", BUILD_AND_DIAGNOSE, String(ATTEMPTS)],
    { encoding: "utf8" },
  );
  process.stdout.write(`\n${ATTEMPTS} attempts\n${result.stdout}${result.stderr}`);
  expect(result.status).toBe(0);
});
