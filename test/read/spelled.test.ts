import { describe, expect, test } from "vitest";
import type { AttemptRecord } from "../../src/model/record.ts";
import { isJsonObject } from "../../src/read/format.ts";
import { read, readRecord, spelledAttempt, told, containing } from "./support.ts";

const TIME = "2026-07-01T10:00:00Z";
const TEN = 1_782_900_000_000;

describe("spellings", () => {
  test.each([
    "timestamp",
    "time",
    "@timestamp",
    "start_time",
    "started_at",
    "created_at",
    "date",
    "startTime",
    "Created-At",
    "TIMESTAMP",
    "ts",
  ])("time: %s", (name) => {
    expect(spelledAttempt({ [name]: TIME, status: 200 }).sentMs).toBe(TEN);
  });

  test.each(["end_time", "endedAt", "finished_at"])("end: %s", (name) => {
    const record = { start_time: TIME, [name]: "2026-07-01T10:00:01.500Z", status: 200 };
    expect(spelledAttempt(record)).toMatchObject({ sentMs: TEN, durationMs: 1_500 });
    expect(spelledAttempt({ [name]: TIME, duration_ms: 500, status: 200 })).toMatchObject({
      sentMs: TEN - 500,
      durationMs: 500,
    });
    expect(spelledAttempt({ [name]: TIME, status: 200 })).toMatchObject({ sentMs: TEN, durationMs: null });
  });

  const cases: readonly (readonly [keyof AttemptRecord, unknown, readonly object[]])[] = [
    [
      "durationMs",
      250,
      [
        { latency_ms: 250 },
        { elapsedMs: 250 },
        { "elapsed-ms": "250" },
        { duration_s: 0.25 },
        { latency: "250ms" },
      ],
    ],
    [
      "agent",
      "a",
      [
        { agent_name: "a" },
        { agentName: "a" },
        { agent: { name: "a" } },
        { "agent.name": "a" },
        { gen_ai: { agent: { name: "a" } } },
        { "gen_ai.agent.name": "a" },
        { worker: "a" },
        { stage: "a" },
        { node: "a" },
        { component: "a" },
        { metadata: { agent: "a" } },
      ],
    ],
    [
      "runId",
      "r",
      [{ run: "r" }, { sessionId: "r" }, { conversation_id: "r" }, { trace_id: "r" }, { runId: "r" }],
    ],
    ["callId", "c", [{ request_id: "c" }, { call: "c" }, { id: "c" }, { callId: "c" }]],
    [
      "status",
      429,
      [
        { status_code: 429 },
        { statusCode: "429" },
        { http_status: 429 },
        { http: { status_code: 429 } },
        { "http.status_code": 429 },
        { response: { status: 429 } },
        { response: { statusCode: 429 } },
        { status: "429 Too Many Requests" },
        { error: { status: 429 } },
      ],
    ],
    [
      "model",
      "m",
      [{ model_name: "m" }, { request: { model: "m" } }, { "gen_ai.request.model": "m" }, { ModelName: "m" }],
    ],
    [
      "inputTokens",
      7,
      [{ prompt_tokens: 7 }, { usage: { input_tokens: 7 } }, { usage: { promptTokens: 7 } }],
    ],
    [
      "outputTokens",
      7,
      [{ completion_tokens: 7 }, { usage: { output_tokens: 7 } }, { usage: { completion_tokens: 7 } }],
    ],
    [
      "cachedTokens",
      7,
      [{ usage: { prompt_tokens_details: { cached_tokens: 7 } } }, { cache_read_input_tokens: 7 }],
    ],
    ["maxTokens", 7, [{ max_tokens: 7 }, { request: { max_tokens: 7 } }]],
    ["retryAfterMs", 5_000, [{ retry_after: 5 }, { retryAfterMs: 5_000 }, { retry_after: "5s" }]],
    [
      "errorType",
      "t",
      [{ error: { type: "t" } }, { "error.type": "t" }, { errorType: "t" }, { error: '{"type":"t"}' }],
    ],
    ["errorCode", "c", [{ error: { code: "c" } }, { error_code: "c" }]],
    ["errorMessage", "m", [{ error: { message: "m" } }, { error: "m" }, { errorMessage: "m" }]],
  ];

  test.each(cases)("%s", (field, expected, records) => {
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) {
      const attempt = spelledAttempt({ time: TIME, max_tokens: 7, ...record });
      expect([record, attempt[field]]).toEqual([record, expected]);
    }
  });

  test("headers", () => {
    for (const record of [
      { response_headers: { "retry-after": "5" } },
      { response: { headers: { "retry-after": "5" } } },
    ])
      expect(spelledAttempt({ time: TIME, ...record }).headers).toEqual(new Map([["retry-after", "5"]]));
  });

  test("words for a status", () => {
    expect(spelledAttempt({ time: TIME, status: "success" })).toMatchObject({ status: 200, errorType: null });
    expect(spelledAttempt({ time: TIME, status: "rateLimited" })).toMatchObject({
      status: null,
      errorType: "rate_limited",
    });
    expect(spelledAttempt({ time: TIME, status: "success", http_status: 201 }).status).toBe(201);
    expect(spelledAttempt({ time: TIME, status: "done?" })).toMatchObject({ status: null, errorType: null });
  });

  test("date and time of day in two columns are one time", () => {
    expect(spelledAttempt({ date: "2026-07-01", time: "10:00:00", status: 200 }).sentMs).toBe(TEN);
    expect(spelledAttempt({ date: "2026/07/01", time: "10:00:00,5", status: 200 }).sentMs).toBe(TEN + 500);
  });

  test("an agent's tag outranks the name of a component", () => {
    expect(spelledAttempt({ time: TIME, status: 200, component: "http", tags: ["agent:a"] }).agent).toBe("a");
    expect(spelledAttempt({ time: TIME, status: 200, component: "http", agent_name: "a" }).agent).toBe("a");
  });
});

describe("other lines of an application's log", () => {
  test.each([
    { timestamp: TIME, level: "info", message: "starting", component: "db" },
    { timestamp: TIME, event: "cache miss", id: "x" },
    { timestamp: TIME, error: "disk full", worker: "w" },
  ])("%j is no request", (record) => {
    expect(readRecord(record)).toEqual({
      kind: "rejected",
      code: "unknown-event",
      detail: "no sign of a request",
    });
  });

  test("a mapped time is no sign of a request either", () => {
    expect(readRecord({ at: TIME, message: "starting" }, { ts: "at" })).toMatchObject({
      code: "unknown-event",
    });
  });

  test("a message under event does not hide a request", () => {
    expect(readRecord({ timestamp: TIME, event: "request finished", status: 200 })).toMatchObject({
      kind: "attempt",
      status: 200,
    });
  });

  test("the name of a field is a sign, even without a value", () => {
    expect(readRecord({ timestamp: TIME, worker: "w", status: null, error: "timeout" })).toMatchObject({
      kind: "attempt",
    });
  });
});

const durations = async (
  values: readonly unknown[],
  name = "duration",
): Promise<readonly [number[], readonly string[]]> => {
  const lines = values.map((value, i) =>
    JSON.stringify({ time: 1_782_900_000 + i, status: 200, [name]: value }),
  );
  const log = await read(lines.join("\n"));
  return [
    [...log.attempts.durationMs],
    (log.inputs[0]?.assumed ?? []).filter((note) => note.includes("without a unit")),
  ];
};

describe("durations without a unit", () => {
  test("seconds: under 1000 with a fraction, and then whole ones too", async () => {
    expect(await durations([1.5, 2, 0.25])).toEqual([
      [1_500, 2_000, 250],
      ["durations without a unit are taken as seconds"],
    ]);
    expect(await durations(["1.0", "2"], "latency")).toEqual([
      [1_000, 2_000],
      ["durations without a unit are taken as seconds"],
    ]);
  });

  test("milliseconds: whole numbers, or a fraction from 1000 on", async () => {
    const ms = ["durations without a unit are taken as milliseconds"];
    expect(await durations([150, 2_000, 999])).toEqual([[150, 2_000, 999], ms]);
    expect(await durations([843.2, 1_520.7])).toEqual([[843, 1_521], ms]);
  });

  test("both in one column", async () => {
    const [values, notes] = await durations([1.5, 1_500]);
    expect(values).toEqual([1_500, 1_500]);
    expect(notes).toEqual([
      "durations without a unit are taken as seconds, whole numbers from 1000 on as milliseconds",
    ]);
  });

  test("one call of a quarter of an hour does not change the unit of a column", async () => {
    const [values] = await durations([...Array.from({ length: 100 }, () => 2.5), 1_000.5]);
    expect([values[0], values[100]]).toEqual([2_500, 1_000_500]);
  });

  test("text with a unit needs no guess", async () => {
    expect(await durations(["1.2s", "850µs", "1m3s", "42.04ms", 1.5])).toEqual([
      [1_200, 1, 63_000, 42, 1_500],
      ["durations without a unit are taken as seconds"],
    ]);
  });

  test("an end and a bare duration give the start", async () => {
    const log = await read(
      '{"end_time":1782900010,"latency":2.5,"status":200}\n{"end_time":1782900020,"latency":3,"status":200}',
    );
    expect([...log.attempts.sentMs]).toEqual([TEN + 7_500, TEN + 17_000]);
  });

  test("attempts at one time keep the order of the lines, held back or not", async () => {
    const log = await read(
      [
        { time: TIME, status: 201, latency: 1.5 },
        { time: TIME, status: 202, latency: null },
        { time: TIME, status: 203, latency: 2 },
      ]
        .map((record) => JSON.stringify(record))
        .join("\n"),
    );
    expect([...log.attempts.status]).toEqual([201, 202, 203]);
  });
});

const readAll = (
  records: readonly object[],
  map: { readonly [field: string]: string } = {},
): ReturnType<typeof read> => read(records.map((record) => JSON.stringify(record)).join("\n"), { map });

describe("two names for one field", () => {
  test("that agree: the first is taken", async () => {
    const { attempts } = await readAll([
      {
        timestamp: TIME,
        time: "2026-07-01T12:00:00+02:00",
        latency: 1.5,
        elapsed_ms: 1_500,
        worker: "a",
        node: "a",
        status: 200,
      },
    ]);
    expect([...attempts.durationMs]).toEqual([1_500]);
  });

  test.each([
    [{ latency_ms: 5, elapsed_ms: 60 }, "latency_ms", "elapsed_ms", "duration_ms"],
    [{ worker: "a", node: "b" }, "worker", "node", "agent"],
    [
      { started_at: "2026-07-01T10:00:00Z", created_at: "2026-07-01T10:00:01Z" },
      "started_at",
      "created_at",
      "ts",
    ],
    [{ status_code: 200, http_status: 429 }, "status_code", "http_status", "status"],
  ])("that differ: %j is refused", async (fields, taken, other, field) => {
    const time = "started_at" in fields ? {} : { time: TIME };
    const record = { ...time, status_code: 200, ...fields };
    await expect(readAll([record])).rejects.toMatchObject({
      name: "UserError",
      message: `log: "${taken}" and "${other}" both look like ${field}, and differ in 1 of 1 records`,
      hint: `Say which one it is: --map ${field}=${taken} or --map ${field}=${other}.`,
    });
    const chosen = await readAll([record], { [field]: other });
    expect(chosen.attempts.length).toBe(1);
  });

  test("a canonical name is taken without a question", async () => {
    const { attempts } = await readAll([
      { ts: TIME, timestamp: "2026-07-01T11:00:00Z", status: 200, status_code: 500 },
    ]);
    expect([attempts.sentMs[0], attempts.status[0]]).toEqual([TEN, 200]);
  });

  test("one odd record in more than a hundred is not worth a refusal", async () => {
    const good = Array.from({ length: 150 }, (_, i) => ({
      time: 1_782_900_000 + i,
      latency_ms: 5,
      elapsed_ms: 5,
      status: 200,
    }));
    const { attempts } = await readAll([
      ...good,
      { time: 1_782_900_900, latency_ms: 5, elapsed_ms: 9, status: 200 },
    ]);
    expect(attempts.durationMs[150]).toBe(5);
  });
});

const calls = async (ids: readonly string[], name: string): Promise<readonly number[]> => {
  const lines = ids.map((id, i) => JSON.stringify({ time: 1_782_900_000 + i, status: 200, [name]: id }));
  return [...(await read(lines.join("\n"))).attempts.call];
};

describe("ids that may name the call or only the request", () => {
  test("one that repeats names calls", async () => {
    expect(await calls(["a", "b", "a"], "request_id")).toEqual([1, 2, 1]);
  });

  test("one that never repeats names requests", async () => {
    expect(await calls(["a", "b", "c"], "request_id")).toEqual([0, 0, 0]);
    expect(await calls(["a", "b", "c"], "call_id")).toEqual([1, 2, 3]);
  });
});

const durationAt = (fields: object, path: string): Promise<number | undefined> =>
  read(JSON.stringify({ ts: TIME, status: 200, ...fields }), { map: { duration_ms: path } }).then(
    (log) => log.attempts.durationMs[0],
  );

describe("--map", () => {
  test("beats every other name and reaches into objects", async () => {
    const line = JSON.stringify({
      ts: TIME,
      agent: "x",
      status: 200,
      meta: { who: "me", at: 1_782_900_060 },
    });
    const log = await read(line, { map: { agent: "meta.who", ts: "meta.at" } });
    expect(log.agents[log.attempts.agent[0] ?? 0]).toBe("me");
    expect(log.attempts.sentMs[0]).toBe(TEN + 60_000);
  });

  test("gives a format fields that it does not know by itself", async () => {
    const line = JSON.stringify({
      finished: 1_782_900_005,
      duration_ms: 5_000,
      status: 200,
      cause: { type: "t" },
    });
    const log = await read(line, { from: "canonical", map: { end: "finished", error: "cause" } });
    expect([log.attempts.sentMs[0], log.attempts.durationMs[0]]).toEqual([TEN, 5_000]);
    expect(log.errors[log.attempts.error[0] ?? 0]).toEqual({ type: "t", code: "" });
  });

  test("replaces: where the path is absent, the field is not told", async () => {
    const log = await read(JSON.stringify({ ts: TIME, agent: "x", status: 200 }), {
      map: { agent: "meta.who" },
    });
    expect(log.facts.agents.present).toBe(false);
  });

  test("the unit of a mapped duration is in its name, else the column tells", async () => {
    expect(await durationAt({ took_ms: 1.5 }, "took_ms")).toBe(2);
    expect(await durationAt({ took_seconds: 2 }, "took_seconds")).toBe(2_000);
    expect(await durationAt({ x: { took: 1.5 } }, "x.took")).toBe(1_500);
    expect(await durationAt({ latency: 1.5 }, "latency")).toBe(1_500);
  });

  test("a field that does not exist is refused with the nearest one", async () => {
    await expect(read("{}", { map: { agnet: "x" } })).rejects.toMatchObject({
      message: '--map agnet=x: there is no field "agnet"',
      hint: containing("Did you mean agent?"),
    });
    await expect(read("{}", { map: { agent: "" } })).rejects.toMatchObject({ name: "UserError" });
  });
});

test("names from prototypes are names like others", () => {
  const record: unknown = JSON.parse(
    `{"time":"${TIME}","status":200,"__proto__":{"agent":"x"},"constructor":"y","toString":1}`,
  );
  expect(spelledAttempt(isJsonObject(record) ? record : {})).toMatchObject({ agent: null, status: 200 });
});

test("what was read under which name is said", async () => {
  const log = await read(JSON.stringify({ timestamp: TIME, worker: "w", statusCode: 200, id: "1" }));
  expect(log.inputs[0]?.assumed.slice(0, 2)).toEqual([
    "read as: status_code = status, timestamp = ts, worker = agent",
    "read as, if an id repeats: id = call_id",
  ]);
  expect(told(log)).toHaveLength(1);
});
