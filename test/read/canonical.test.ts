import { describe, expect, test } from "vitest";
import { createRecordReader } from "../../src/read/exact.ts";
import { canonical } from "../../src/read/formats/canonical.ts";
import { canonicalAttempt, read, told } from "./support.ts";

const WHOLE = {
  ts: "2026-07-01T10:00:00.250Z",
  duration_ms: 1_234.5,
  agent: "planner",
  run_id: "run-1",
  call_id: "call-1",
  attempt: 2,
  parent_id: "p",
  span_id: "s",
  trace_id: "t",
  provider: "anthropic",
  model: "claude-sonnet-4-6",
  org_id: "org-1",
  workspace_id: "ws-1",
  api_key_id: "key-1",
  status: 429,
  error_type: "rate_limit_error",
  error_code: "rate_limited",
  error_message: "slow down",
  headers: { "Retry-After": "5", "x-ratelimit-limit-requests": 60, Authorization: "Bearer x", cookie: "c" },
  retry_after_ms: 5_000,
  input_tokens: 10,
  output_tokens: 20,
  cached_input_tokens: 5,
  max_tokens: 100,
  priority: "background",
  queued_ms: 7,
  local: true,
  prompt: "never kept",
};

test("every field of the canonical record", () => {
  expect(canonicalAttempt(WHOLE)).toEqual({
    kind: "attempt",
    sentMs: 1_782_900_000_250,
    durationMs: 1_235,
    agent: "planner",
    runId: "run-1",
    callId: "call-1",
    attempt: 2,
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    orgId: "org-1",
    workspaceId: "ws-1",
    apiKeyId: "key-1",
    status: 429,
    errorType: "rate_limit_error",
    errorCode: "rate_limited",
    errorMessage: "slow down",
    headers: new Map([
      ["retry-after", "5"],
      ["x-ratelimit-limit-requests", "60"],
    ]),
    retryAfterMs: 5_000,
    inputTokens: 10,
    outputTokens: 20,
    cachedTokens: 5,
    maxTokens: 100,
    priority: 2,
    queuedMs: 7,
    local: true,
  });
});

test("a time is enough; what is absent or null is not told", () => {
  const bare = canonicalAttempt({ ts: 1_782_900_000, status: null, agent: null, duration_ms: null });
  const { kind, sentMs, local, ...others } = bare;
  expect([kind, sentMs, local]).toEqual(["attempt", 1_782_900_000_000, false]);
  expect(Object.values(others).every((value) => value === null)).toBe(true);
  expect(Object.keys(others)).toHaveLength(22);
});

test("names are exact", () => {
  const { agent, status } = canonicalAttempt({ ts: 1_782_900_000, Agent: "a", statusCode: 200 });
  expect([agent, status]).toEqual([null, null]);
});

describe("tags, where agent is absent", () => {
  test.each([
    [{ agent: "a", metadata: { agent: "b" }, tags: ["agent:c"], user_id: "agent:d:run:e" }, "a", "e"],
    [{ metadata: { agent: "b" }, tags: ["agent:c"] }, "b", null],
    [{ tags: ["team:x", "agent:c"], user_id: "agent:d:run:e" }, "c", "e"],
    [{ tags: "team:x, agent:c" }, "c", null],
    [{ user_id: "agent:d:run:e" }, "d", "e"],
    [{ metadata: { user_id: "agent:d:run:e" }, run_id: "r" }, "d", "r"],
    [{ user_id: "agent:d" }, "d", null],
    [{ user_id: "alice", user_agent: "agent:x" }, null, null],
    [{ tags: [1, null, {}] }, null, null],
  ])("%j", (fields, agent, runId) => {
    expect(canonicalAttempt({ ts: 1_782_900_000, ...fields })).toMatchObject({ agent, runId });
  });
});

describe("waits and actions", () => {
  const reader = createRecordReader(canonical.plan);
  const wait = {
    event: "wait",
    ts: 1_782_900_000,
    duration_ms: 60_000,
    agent: "lead",
    waits_for: "worker",
    timeout_ms: 60_000,
    outcome: "timeout",
    run_id: "r",
  };

  test("a wait", () => {
    expect(reader.fromObject(wait)).toEqual({
      kind: "wait",
      startMs: 1_782_900_000_000,
      durationMs: 60_000,
      agent: "lead",
      waitsFor: "worker",
      timeoutMs: 60_000,
      outcome: "timeout",
      runId: "r",
    });
  });

  test.each(["agent", "waits_for", "duration_ms", "outcome"])("a wait without %s is rejected", (field) => {
    expect(reader.fromObject({ ...wait, [field]: undefined })).toMatchObject({
      kind: "rejected",
      code: "bad-value",
    });
  });

  test("a wait may leave out its timeout and its run", () => {
    expect(reader.fromObject({ ...wait, timeout_ms: null, run_id: null })).toMatchObject({
      timeoutMs: null,
      runId: null,
    });
  });

  test("an action", () => {
    const action = {
      event: "action",
      ts: 1_782_900_000,
      agent: "lead",
      action: "rollback",
      call_id: "c",
      run_id: "r",
    };
    expect(reader.fromObject(action)).toEqual({
      kind: "action",
      atMs: 1_782_900_000_000,
      agent: "lead",
      action: "rollback",
      runId: "r",
      callId: "c",
    });
    expect(reader.fromObject({ ...action, action: "" })).toMatchObject({ code: "bad-value" });
  });

  test("another event is unknown", () => {
    expect(reader.fromObject({ event: "deploy", ts: 1_782_900_000 })).toEqual({
      kind: "rejected",
      code: "unknown-event",
      detail: "event deploy",
    });
  });
});

describe("impossible values", () => {
  test.each([
    ["status", ["abc", 99, 600, 200.5, -1, {}, true]],
    ["duration_ms", [-1, "fast", Number.NaN, 3e9, [], true]],
    ["retry_after_ms", [-5, "soon", "1000abc", "0x10"]],
    ["input_tokens", [-1, 1.5, "many", 2 ** 31]],
    ["attempt", [0, -1, 1.5]],
    ["priority", ["urgent", -1]],
    ["agent", [{}, [], true, "x".repeat(1_001)]],
    ["headers", [5, "no headers"]],
    ["local", ["maybe", 7]],
  ] as const)("%s: the record stays, the value is not told, and is counted", async (field, values) => {
    const lines = values.map((value) => JSON.stringify({ ts: 1_782_900_000, model: "m", [field]: value }));
    // JSON has no NaN: it is null there, which is no value rather than an impossible one.
    const impossible = values.filter((value) => !Number.isNaN(value)).length;
    const log = await read(lines.join("\n"), { from: "canonical" });
    expect(log.attempts.length).toBe(values.length);
    const noun = impossible === 1 ? "value" : "values";
    expect(log.inputs[0]?.assumed).toContain(
      `${field}: ${impossible} ${noun} unreadable, treated as not told`,
    );
    const without = await read(values.map(() => '{"ts":1782900000,"model":"m"}').join("\n"), {
      from: "canonical",
    });
    expect(told(log)).toEqual(told(without));
  });

  test("a bad time costs the record", async () => {
    const log = await read('{"ts":"soon","status":200}\n{"status":200}\n{"ts":1782900000,"status":200}\n');
    expect(log.attempts.length).toBe(1);
    expect(log.problems.samples).toEqual([
      { source: "log", line: 1, code: "bad-time", detail: "soon" },
      { source: "log", line: 2, code: "no-time", detail: "no field holds a time" },
    ]);
  });

  test("numbers and flags may be text", () => {
    const text = {
      ts: "1782900000",
      status: "429",
      duration_ms: "12.4",
      local: "true",
      input_tokens: "7",
      priority: "0",
    };
    expect(canonicalAttempt(text)).toMatchObject({
      status: 429,
      durationMs: 12,
      local: true,
      inputTokens: 7,
      priority: 0,
    });
  });

  test("0 is how clients write that no response came", () => {
    expect(canonicalAttempt({ ts: 1_782_900_000, status: 0 }).status).toBeNull();
  });
});

describe("keys", () => {
  test.each([
    "sk-ant-api03-AbCdEfGhIjKlMnOp",
    "AIzaSyA1234567890abcdefg",
    "0123456789abcdef0123456789abcdef",
  ])("one that could be used is not kept: %s", (secret) => {
    const kept = canonicalAttempt({ ts: 1_782_900_000, api_key_id: secret }).apiKeyId;
    expect(kept).toMatch(/^key-[0-9a-f]{8}$/);
    expect(canonicalAttempt({ ts: 1_782_900_001, api_key_id: secret }).apiKeyId).toBe(kept);
    expect(canonicalAttempt({ ts: 1_782_900_000, api_key_id: `${secret}x` }).apiKeyId).not.toBe(kept);
  });

  test.each(["key_1", "prod-key", "f47ac10b-58cc-4372-a567-0e02b2c3d479", "a".repeat(64)])(
    "a name stays: %s",
    (name) => {
      expect(canonicalAttempt({ ts: 1_782_900_000, api_key_id: name }).apiKeyId).toBe(name);
    },
  );
});
