import { expect, test } from "vitest";
import { type Incident, incidentsOf } from "../../src/measure/incidents.ts";
import { neighboursOf } from "../../src/measure/neighbours.ts";
import type { RequestLog } from "../../src/model/log.ts";
import { logOf } from "../support/log.ts";
import { attempts, refused } from "../support/traffic.ts";

function incidentIn(log: RequestLog): Incident {
  const [incident] = incidentsOf(log);
  if (incident === undefined) throw new Error("nothing was refused");
  return incident;
}

test("are those within a minute on the same bucket, most refused first", () => {
  const once = { everyMs: 1, count: 1 };
  const log = logOf([
    ...attempts({ agent: "too-early", fromMs: 39_999, ...once }),
    ...attempts({ agent: "before", fromMs: 40_000, ...once }),
    ...refused({ agent: "code", fromMs: 100_000, everyMs: 1_000, count: 3 }),
    ...refused({ agent: "review", fromMs: 100_500, ...once }),
    ...attempts({ agent: "elsewhere", fromMs: 101_000, ...once, fields: { model: "claude-haiku-4-5" } }),
    ...attempts({ fromMs: 162_000, ...once }),
    ...attempts({ agent: "too-late", fromMs: 162_001, ...once }),
  ]);
  expect(neighboursOf(log, incidentIn(log)).map(({ name, throttled }) => [name, throttled])).toEqual([
    ["code", 3],
    ["review", 1],
    ["", 0],
    ["before", 0],
  ]);
});
