import { describe, expect, test } from "vitest";
import { type Incident, incidentsOf } from "../../src/measure/incidents.ts";
import { paceAgent, paceBucket } from "../../src/measure/pacing.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { logOf } from "../support/log.ts";
import { attempts, BUCKET, refused, told } from "../support/traffic.ts";

function incidentIn(log: RequestLog): Incident {
  const [incident] = incidentsOf(log);
  if (incident === undefined) throw new Error("nothing was refused");
  return incident;
}

/** Half a minute: code is refused 20 times and served 10 times, review is served 10 times, 1,000 tokens a served call. */
const traffic = [
  ...refused({ agent: "code", fromMs: 0, everyMs: 1_500, count: 20 }),
  ...attempts({ agent: "code", fromMs: 500, everyMs: 1_500, count: 10, fields: { input_tokens: 1_000 } }),
  ...attempts({ agent: "review", fromMs: 700, everyMs: 1_500, count: 10, fields: { input_tokens: 1_000 } }),
];
const tokenRefusals = traffic.map((record) =>
  record["status"] === 429
    ? {
        ...record,
        error_message: "This request would exceed the rate limit of 30,000 input tokens per minute.",
      }
    : record,
);

describe("a limit that is known", () => {
  const log = logOf(traffic, [told(60, 8)]);

  test("is the rate of the bucket, and a fifth of it the burst, unless the bucket holds less", () => {
    expect(paceBucket(log, incidentIn(log))).toEqual({
      kind: "pace",
      scope: "bucket",
      bucket: BUCKET,
      ratePerMinute: 60,
      burst: 8,
    });
    const roomy = logOf(traffic, [told(60, 40)]);
    expect(paceBucket(roomy, incidentIn(roomy)).burst).toBe(12);
  });

  test("leaves to the others what they start, counted over at least a minute", () => {
    expect(paceAgent(log, incidentIn(log), "code")).toMatchObject({ agent: "code", ratePerMinute: 50 });
  });

  test("never takes an agent's fair share from it", () => {
    const tight = logOf(traffic, [told(12, null)]);
    expect(paceAgent(tight, incidentIn(tight), "code").ratePerMinute).toBe(6);
  });
});

test("where no limit is known, what was accepted meanwhile is the rate", () => {
  const log = logOf(traffic);
  expect(paceBucket(log, incidentIn(log))).toMatchObject({ ratePerMinute: 20, burst: 4 });
});

describe("refusals about tokens", () => {
  test("are paced by tokens as well", () => {
    const log = logOf(tokenRefusals, [told(60, 8), told(30_000, null, "input-tokens")]);
    expect(incidentIn(log).dimension).toBe("input-tokens");
    expect(paceBucket(log, incidentIn(log))).toMatchObject({ ratePerMinute: 60, tokensPerMinute: 30_000 });
    expect(paceAgent(log, incidentIn(log), "code")).toMatchObject({ tokensPerMinute: 20_000 });
  });

  test("without a known token limit are not", () => {
    const unnamed = tokenRefusals.map((record) =>
      record["error_message"] === undefined
        ? record
        : { ...record, error_message: "This request would exceed your input tokens per minute." },
    );
    const log = logOf(unnamed, [told(60, 8)]);
    expect(incidentIn(log).dimension).toBe("input-tokens");
    expect(paceBucket(log, incidentIn(log))).not.toHaveProperty("tokensPerMinute");
  });
});
