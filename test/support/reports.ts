import { PROBLEM_CODES } from "../../src/model/log.ts";
import type {
  Report,
  ReportAgent,
  ReportBucket,
  ReportEvidence,
  ReportFinding,
  ReportFix,
} from "../../src/model/report.ts";

/**
 * Whole reports for the tests of the layouts. The numbers of each agree with each other: series add up to attempts,
 * agents to their bucket, accepted + rejected + blank to lines.
 */

const BUCKET = "anthropic/default/claude-sonnet";
const FROM_MS = Date.UTC(2026, 2, 2, 9, 0, 0);
const STEP_MS = 15_000;
/** Twelve minutes. */
const STEPS = 48;

/** `[step, attempts, refused]`; steps that are not named are empty. */
type Point = readonly [number, number, number];

/** Twenty subtasks at once from 09:03 on, then their retries: 212 attempts, 143 refused. */
const CODE_POINTS: readonly Point[] = [
  [12, 24, 14],
  [13, 36, 30],
  [14, 34, 28],
  [15, 20, 13],
  [16, 26, 20],
  [17, 18, 12],
  [18, 14, 8],
  [19, 12, 7],
  [20, 10, 6],
  [21, 8, 3],
  [22, 6, 2],
  [23, 4, 0],
];

/** Two a minute; at 09:03 both were refused and sent again: 26 attempts, 2 refused. */
const RESEARCH_POINTS: readonly Point[] = [...every(4, 2), [12, 4, 2]];

/** Five stages on one key: code fans out, is refused, review waits too short and deploy falls behind it. */
export function sampleReport(): Report {
  const agents = withShares([
    agentOf("code", { calls: 72, failed: 3, peakPerMinute: 114, tokens: 0.83, points: CODE_POINTS }),
    agentOf("research", { calls: 24, failed: 0, peakPerMinute: 4, tokens: 0.1, points: RESEARCH_POINTS }),
    agentOf("summarize", { calls: 12, failed: 0, peakPerMinute: 1, tokens: 0.07, points: every(4, 1) }),
  ]);
  return {
    schemaVersion: 1,
    tool: { name: "why429", version: "0.1.0" },
    verdict: {
      status: "findings",
      headline:
        "145 of 250 attempts refused (58 %) by the requests limit of anthropic/default/claude-sonnet (50/min), worst at 09:03:02 UTC: one agent uses most of a shared limit (code). review, deploy gave up waiting. The orchestrator answered with rollback.",
    },
    inputs: [
      {
        source: "samples/cascade.ndjson",
        format: "canonical",
        why: "the first records have ts and agent",
        timeUnit: "ISO 8601",
        lines: 258,
        accepted: 253,
        rejected: 4,
        blank: 1,
        outside: 0,
        assumed: ["one organisation, since the log names none"],
      },
    ],
    problems: [
      {
        source: "samples/cascade.ndjson",
        line: 17,
        code: "not-json",
        detail: "Unexpected end of JSON input",
      },
      {
        source: "samples/cascade.ndjson",
        line: 90,
        code: "no-time",
        detail: "none of ts, timestamp, time is present",
      },
    ],
    problemTotals: { "not-json": 3, "no-time": 1 },
    span: { from: "2026-03-02T09:00:00.000Z", to: "2026-03-02T09:12:00.000Z" },
    facts: {
      present: [
        "status",
        "durations",
        "agents",
        "runs",
        "calls",
        "attempts",
        "retry-after",
        "limits",
        "waits",
      ],
      missing: [
        { fact: "queue-times", because: "no record has queued_ms" },
        { fact: "priorities", because: "no record has priority" },
      ],
    },
    buckets: [bucketOf(BUCKET, agents, { peakPerSecond: 20, peakPerMinute: 119 })],
    agents,
    incidents: [sampleIncident()],
    findings: [greedyAgent(), shortTimeout(), retryStorm(), noHeadroom()],
    verdicts: [
      { rule: "greedy-agent", outcome: "found", because: "code sent 85 % of the attempts" },
      { rule: "high-429-ratio", outcome: "clear", because: "explained by greedy-agent" },
      { rule: "no-headroom", outcome: "found", because: "p95 of busy minutes is 96 % of the limit" },
      { rule: "priority-inversion", outcome: "unknown", because: "no record has queued_ms" },
      { rule: "background-starvation", outcome: "unknown", because: "no record has queued_ms" },
      { rule: "quota-exhausted", outcome: "clear", because: "no refusal for money" },
      { rule: "retry-storm", outcome: "found", because: "the rate rose after the first refusal" },
      { rule: "short-timeout", outcome: "found", because: "review gave up before the retry succeeded" },
      { rule: "split-keys", outcome: "not-applicable", because: "one key" },
    ],
    exitCode: 1,
  };
}

/** Nothing refused, and 36 % of the limit left. */
export function healthyReport(): Report {
  const agents = withShares([
    agentOf("planner", { calls: 240, failed: 0, peakPerMinute: 20, tokens: 0.5, points: every(1, 5) }),
    agentOf("writer", { calls: 144, failed: 0, peakPerMinute: 12, tokens: 0.5, points: every(2, 6) }),
  ]);
  return {
    ...sampleReport(),
    verdict: {
      status: "clear",
      headline: "no rate limit was hit. The busiest minute used 64 % of the requests limit (32 of 50).",
    },
    inputs: [
      {
        source: "-",
        format: "canonical",
        why: "the first records have ts and agent",
        timeUnit: "epoch ms",
        lines: 384,
        accepted: 384,
        rejected: 0,
        blank: 0,
        outside: 0,
        assumed: [],
      },
    ],
    problems: [],
    problemTotals: {},
    buckets: [bucketOf(BUCKET, agents, { peakPerSecond: 2, peakPerMinute: 32 })],
    agents,
    incidents: [],
    findings: [],
    verdicts: [
      { rule: "greedy-agent", outcome: "clear", because: "no refusal" },
      { rule: "retry-storm", outcome: "clear", because: "no refusal" },
      { rule: "short-timeout", outcome: "unknown", because: "no record of type wait" },
    ],
    exitCode: 0,
  };
}

const BEL = "\u0007";
const ESC = "\u001b";

/** Text that tries to break out of each format: terminal, Markdown, HTML, workflow commands, tables, right-to-left. */
export const HOSTILE_NAME = `${ESC}[31mred${ESC}]0;owned${BEL}\u202eevil\u2066<script>alert(1)</script>|::error::x\n# h \`c\` \u0000%0A`;

/** As the sample, with hostile text in every place that comes from a log, and forty agents. */
export function hostileReport(): Report {
  const names = [
    "",
    HOSTILE_NAME,
    "very-long-".repeat(40),
    "研究エージェント".repeat(6),
    ...Array.from({ length: 36 }, (_, i) => `worker-${i}`),
  ];
  const told = { calls: 48, failed: 3, peakPerMinute: 1_234_567, tokens: 0.025, points: every(1, 1) };
  const agents = withShares(names.map((name) => agentOf(name, told, HOSTILE_NAME)));
  const evidence: ReportEvidence = {
    source: `logs/${HOSTILE_NAME}/${"deep/".repeat(60)}x.ndjson`,
    line: 4_000_000_000,
    ts: "8640000000000001",
    note: HOSTILE_NAME,
  };
  const sample = sampleReport();
  return {
    ...sample,
    verdict: { status: "findings", headline: `${HOSTILE_NAME} ${"a".repeat(300)} ${names[2] ?? ""}` },
    inputs: Array.from({ length: 12 }, (_, i) => ({
      source: `${HOSTILE_NAME}${i}`,
      format: HOSTILE_NAME,
      why: HOSTILE_NAME,
      timeUnit: HOSTILE_NAME,
      lines: i === 0 ? 160 + PROBLEM_CODES.length : 160,
      accepted: 160,
      rejected: i === 0 ? PROBLEM_CODES.length : 0,
      blank: 0,
      outside: 0,
      assumed: [HOSTILE_NAME],
    })),
    problems: PROBLEM_CODES.map((code) => ({ source: HOSTILE_NAME, line: 3, code, detail: HOSTILE_NAME })),
    problemTotals: Object.fromEntries(PROBLEM_CODES.map((code) => [code, 1])),
    buckets: [bucketOf(HOSTILE_NAME, agents, { peakPerSecond: 9, peakPerMinute: 9_876_543 })],
    agents,
    incidents: sample.incidents.map((incident) => ({
      ...incident,
      bucket: HOSTILE_NAME,
      agents: names,
      cascade: names.map((agent) => ({
        agent,
        role: "carrier" as const,
        what: HOSTILE_NAME,
        at: "2026-03-02T09:03:02.000Z",
        evidence,
      })),
    })),
    findings: sample.findings.map((found) => ({
      ...found,
      subject: { agent: HOSTILE_NAME, key: HOSTILE_NAME, waiter: HOSTILE_NAME, bucket: HOSTILE_NAME },
      title: HOSTILE_NAME,
      message: HOSTILE_NAME,
      numbers: { [HOSTILE_NAME]: { value: 1, unit: "count" as const, limit: 2 } },
      evidence: Array.from({ length: 30 }, () => evidence),
      fixes: found.fixes.map((fix) => ({
        ...fix,
        summary: HOSTILE_NAME,
        ...(fix.effect === null ? { notSimulatedBecause: HOSTILE_NAME } : {}),
        snippets: [{ stack: HOSTILE_NAME, code: `a = 1\n${HOSTILE_NAME}` }],
      })),
    })),
    verdicts: [
      { rule: HOSTILE_NAME, outcome: "error", because: HOSTILE_NAME },
      { rule: HOSTILE_NAME, outcome: "unknown", because: HOSTILE_NAME },
    ],
  };
}

function agentOf(
  name: string,
  told: {
    readonly calls: number;
    readonly failed: number;
    readonly peakPerMinute: number;
    readonly tokens: number;
    readonly points: readonly Point[];
  },
  bucket = BUCKET,
): ReportAgent {
  const sent = Array.from({ length: STEPS }, () => 0);
  const throttled = Array.from({ length: STEPS }, () => 0);
  for (const [step, attempts, refused] of told.points) {
    sent[step] = attempts;
    throttled[step] = refused;
  }
  return {
    name,
    bucket,
    attempts: sum(sent),
    calls: told.calls,
    throttled: sum(throttled),
    failed: told.failed,
    shareOfAttempts: 0,
    shareOfTokens: told.tokens,
    peakPerMinute: told.peakPerMinute,
    p50Ms: 1_200,
    p95Ms: 4_800,
    series: { fromMs: FROM_MS, stepMs: STEP_MS, sent, throttled },
  };
}

function withShares(agents: readonly ReportAgent[]): readonly ReportAgent[] {
  const all = sum(agents.map((agent) => agent.attempts));
  return agents.map((agent) => ({ ...agent, shareOfAttempts: agent.attempts / all }));
}

function bucketOf(
  id: string,
  agents: readonly ReportAgent[],
  peaks: { readonly peakPerSecond: number; readonly peakPerMinute: number },
): ReportBucket {
  const throttled = sum(agents.map((agent) => agent.throttled));
  return {
    id,
    provider: "anthropic",
    model: "claude-sonnet",
    limits: [
      { dimension: "requests", perMinute: 50, burst: 10, source: "headers" },
      { dimension: "input-tokens", perMinute: 30_000, burst: null, source: "config" },
    ],
    attempts: sum(agents.map((agent) => agent.attempts)),
    calls: sum(agents.map((agent) => agent.calls)),
    throttled,
    ...peaks,
    wastedAttempts: throttled,
  };
}

function sampleIncident(): Report["incidents"][number] {
  return {
    id: "i1",
    bucket: BUCKET,
    from: "2026-03-02T09:03:02.000Z",
    to: "2026-03-02T09:05:41.000Z",
    attempts: 219,
    throttled: 145,
    rateBefore: 3,
    rateAfterFirst429: 140,
    agents: ["code", "research", "summarize"],
    cascade: [
      {
        agent: "code",
        role: "cause",
        what: "started 24 calls within 10 s; the bucket holds 10; 143 of its 208 attempts were refused",
        at: "2026-03-02T09:03:02.000Z",
        evidence: place(31, "2026-03-02T09:03:02.000Z", "first attempt of this agent in the incident"),
      },
      {
        agent: "deploy",
        role: "carrier",
        what: "rollback of run-7",
        at: "2026-03-02T09:05:04.000Z",
        evidence: place(252, "2026-03-02T09:05:04.000Z", "the action"),
      },
      {
        agent: "research",
        role: "victim",
        what: "2 of its 8 attempts were refused",
        at: "2026-03-02T09:03:05.000Z",
        evidence: place(40, "2026-03-02T09:03:05.000Z", "first attempt of this agent in the incident"),
      },
      {
        agent: "review",
        role: "victim",
        what: "gave up waiting for code after 2 m; code needed 2 m 39 s and then succeeded",
        at: "2026-03-02T09:05:02.000Z",
        evidence: place(250, "2026-03-02T09:03:02.000Z", "the wait"),
      },
    ],
    together: {
      before: {
        throttled: 145,
        attempts: 250,
        failed: 0,
        totalMs: 720_000,
        criticalMs: null,
        waitP95Ms: 92_000,
      },
      after: {
        throttled: 0,
        attempts: 108,
        failed: 0,
        totalMs: 715_000,
        criticalMs: null,
        waitP95Ms: 40_000,
      },
      backtestError: 0.04,
    },
  };
}

const PACE_CODE: ReportFix = {
  kind: "pace",
  summary: "Put one token bucket of 36/min with burst 10 in front of all workers of code.",
  parameters: { scope: "agent", agent: "code", bucket: BUCKET, ratePerMinute: 36, burst: 10 },
  snippets: [{ stack: "python-asyncio", code: "limiter = AsyncLimiter(max_rate=10, time_period=16.667)\n" }],
  effect: {
    before: {
      throttled: 145,
      attempts: 250,
      failed: 0,
      totalMs: 720_000,
      criticalMs: null,
      waitP95Ms: 92_000,
    },
    after: { throttled: 0, attempts: 108, failed: 0, totalMs: 720_000, criticalMs: null, waitP95Ms: 41_000 },
    backtestError: 0.04,
  },
};

function greedyAgent(): ReportFinding {
  return {
    rule: "greedy-agent",
    severity: "error",
    subject: { agent: "code", bucket: BUCKET },
    incident: "i1",
    title: "One agent uses most of a shared limit",
    message:
      "code sent 95 % of the attempts on anthropic/default/claude-sonnet while it was refused; research and summarize shared the other 5 %.",
    numbers: {
      shareOfAttempts: { value: 208 / 219, unit: "share", limit: 0.8 },
      fairShare: { value: 1 / 3, unit: "share" },
    },
    evidence: [31, 33, 34, 36, 37].map((line) =>
      place(line, "2026-03-02T09:03:02.000Z", "a refused attempt of code"),
    ),
    fixes: [
      PACE_CODE,
      {
        kind: "separate",
        summary: "Move code from claude-sonnet to claude-haiku, so that it draws on a bucket of its own.",
        parameters: { agent: "code", from: "claude-sonnet", to: "claude-haiku" },
        snippets: [],
        effect: null,
        notSimulatedBecause: "the log does not tell the limit of claude-haiku",
      },
    ],
    fingerprint: "3f6c1b0a9d2e4f58",
  };
}

function shortTimeout(): ReportFinding {
  return {
    rule: "short-timeout",
    severity: "error",
    subject: { waiter: "review", bucket: BUCKET },
    incident: "i1",
    title: "A waiter gives up before the retries it waits for can succeed",
    message: "review waited 2 m for code, but the retry chain of code needed 2 m 39 s.",
    numbers: { timeoutMs: { value: 120_000, unit: "ms", limit: 159_000 } },
    evidence: [place(250, "2026-03-02T09:03:02.000Z", "the wait that ran out")],
    fixes: [
      {
        kind: "timeout",
        summary: "Let review wait at least 5 m for code.",
        parameters: { waiter: "review", waitsFor: "code", timeoutMs: 300_000 },
        snippets: [],
        effect: null,
        notSimulatedBecause: "a longer wait changes no request",
      },
    ],
    fingerprint: "a1b2c3d4e5f60718",
  };
}

function retryStorm(): ReportFinding {
  return {
    rule: "retry-storm",
    severity: "error",
    subject: { bucket: BUCKET },
    incident: "i1",
    title: "Retries raise the rate after the first refusal",
    message: "After the first refusal the rate rose from 3/min to 140/min.",
    numbers: { amplification: { value: 2.9, unit: "ratio", limit: 1.5 } },
    evidence: [place(60, "2026-03-02T09:03:20.000Z", "a repeated attempt")],
    fixes: [PACE_CODE],
    fingerprint: "0011223344556677",
  };
}

function noHeadroom(): ReportFinding {
  return {
    rule: "no-headroom",
    severity: "warning",
    subject: { bucket: BUCKET },
    title: "The limit is almost used up in ordinary minutes",
    message: "The busy minutes of anthropic/default/claude-sonnet use 96 % of its limit.",
    numbers: { used: { value: 0.96, unit: "share", limit: 0.8 } },
    evidence: [place(210, "2026-03-02T09:05:00.000Z", "in the busiest minute")],
    fixes: [
      {
        kind: "raise-limit",
        summary: "Ask the provider for 75 requests a minute.",
        parameters: {},
        snippets: [],
        effect: null,
        notSimulatedBecause: "it is the provider's decision",
      },
    ],
    fingerprint: "8899aabbccddeeff",
  };
}

function place(line: number, ts: string, note: string): ReportEvidence {
  return { source: "samples/cascade.ndjson", line, ts, note };
}

function every(steps: number, attempts: number): readonly Point[] {
  return Array.from({ length: STEPS / steps }, (_, i): Point => [i * steps, attempts, 0]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
