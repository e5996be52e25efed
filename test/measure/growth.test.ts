import { expect, test } from "vitest";
import { amplificationOf, growthIn } from "../../src/measure/growth.ts";
import { incidentsOf } from "../../src/measure/incidents.ts";
import type { RequestLog } from "../../src/model/log.ts";
import type { RecordInput } from "../support/cases.ts";
import { logOf } from "../support/log.ts";
import { attempts, chain } from "../support/traffic.ts";

function growthOf(log: RequestLog, windowMs: number): ReturnType<typeof growthIn> {
  const [incident] = incidentsOf(log);
  if (incident === undefined) throw new Error("nothing was refused");
  return growthIn(log, incident, windowMs);
}

/** 4 calls, refused at 60.0, 60.1, .. s and again 1.05 s later, then served. */
function burst(): RecordInput[] {
  return [0, 1, 2, 3].flatMap((i) =>
    chain({ id: `c${i}`, fromMs: 60_000 + i * 100, waitsMs: [1_000, 1_000] }),
  );
}

test("the minute before against the busiest window, which begins at the first refusal", () => {
  const before = attempts({ fromMs: 0, everyMs: 5_000, count: 12 });
  const growth = growthOf(logOf([...before, ...burst()]), 10_000);
  expect(growth).toMatchObject({ rateBefore: 12, ratePeak: 8 * 6, repeats: 4 });
  // 4 calls were started in 10 s, and 4 repeats are 24 a minute of a growth of 36.
  expect(growth).toMatchObject({ grown: 4, newWork: 2, repeatShare: 24 / 36 });
  expect([...growth.rows]).toEqual([12, 13, 14, 15, 16, 17, 18, 19]);
});

test("a shorter window holds one round only", () => {
  expect(growthOf(logOf(burst()), 1_000)).toMatchObject({ ratePeak: 4 * 60, repeats: 0 });
});

test("without a minute before, the calls started meanwhile stand for it", () => {
  expect(growthOf(logOf(burst()), 10_000).rateBefore).toBe(4);
});

test("amplification is attempts a call, and 1 of nothing", () => {
  const log = logOf(burst());
  const [incident] = incidentsOf(log);
  expect(amplificationOf(log, incident?.rows ?? new Uint32Array())).toBe(2);
  expect(amplificationOf(log, new Uint32Array())).toBe(1);
});
