import { expect, test } from "vitest";
import { RULES } from "../../rules/index.ts";
import { diagnose } from "../../src/diagnose/diagnose.ts";
import { quantile } from "../../src/measure/statistics.ts";
import type { EffectNumbers, ReportFix } from "../../src/model/report.ts";
import { DEFAULT_SETTINGS } from "../../src/model/settings.ts";
import { logOf } from "../support/log.ts";
import { exactly, obeying, RETRIES } from "../support/world/client/retries.ts";
import {
  agentOf,
  names,
  quietAgents,
  requests,
  SECOND,
  serverOf,
  worldFrom,
} from "../support/world/kinds/scenery.ts";
import { createRandom } from "../support/world/random.ts";
import type { WorldSpec } from "../support/world/spec.ts";
import { numbersOf } from "../support/world/truth.ts";
import { runWorld } from "../support/world/world.ts";

const WORLDS = 24;
/** Short, so that all calls of the world belong to the one incident that is replayed. */
const LENGTH = 100 * SECOND;

/** A fan-out of one agent among quiet ones, with clients that repeat in one of several ways. */
function fanOutWorld(seed: number): WorldSpec {
  const random = createRandom("prediction", seed);
  const [agent, ...others] = names(random, random.integer(2, 5));
  const perMinute = random.integer(40, 300);
  const limit = requests(perMinute, random.between(0.06, 0.3));
  const retry = random.pick([obeying(30, 0.3, 1_000), exactly(30), { ...RETRIES.polite, maxAttempts: 30 }]);
  const count = limit.capacity + Math.round(perMinute * random.between(0.5, 1.5));
  return worldFrom(random, {
    servers: [serverOf(random, [limit])],
    agents: [
      ...quietAgents(random, others, perMinute * 0.05, LENGTH, retry),
      agentOf(
        agent,
        [{ kind: "burst", atMs: 40 * SECOND, count, overMs: random.integer(1, 10) * SECOND, run: "run_1" }],
        { retry },
      ),
    ],
  });
}

/** The world again, with the fix in front of its clients. */
function underFix(spec: WorldSpec, fix: ReportFix): WorldSpec {
  const { scope, agent, ratePerMinute, burst } = fix.parameters;
  if (typeof ratePerMinute !== "number" || typeof burst !== "number")
    throw new Error("a pace has a rate and a burst");
  return {
    ...spec,
    limiters: [{ id: "fix", ratePerMinute, burst, order: "fifo" }],
    agents: spec.agents.map((one) =>
      scope === "bucket" || one.name === agent ? { ...one, limiter: "fix" } : one,
    ),
  };
}

interface Row {
  readonly seed: number;
  readonly calls: number;
  readonly before: EffectNumbers;
  readonly after: EffectNumbers;
  readonly backtestError: number;
  readonly real: { readonly throttled: number; readonly totalMs: number };
}

function predict(seed: number): Row {
  const spec = fanOutWorld(seed);
  const { records } = runWorld(spec);
  const report = diagnose(logOf(records), {
    rules: RULES,
    recipes: [],
    settings: DEFAULT_SETTINGS,
    version: "0.0.0",
  });
  const fix = report.findings
    .flatMap((finding) => finding.fixes)
    .find((one) => one.kind === "pace" && one.effect !== null);
  if (fix?.effect == null) throw new Error(`seed ${seed}: no pace that could be replayed`);
  const { refusals, totalMs } = numbersOf(runWorld(underFix(spec, fix)).truth);
  const calls = report.buckets.reduce((sum, bucket) => sum + bucket.calls, 0);
  return { seed, calls, ...fix.effect, real: { throttled: refusals, totalMs } };
}

/** Not the log that was replayed, but what really happens when the advice is followed, in a world that shares no code with the replay. */
test("what is predicted comes true", { timeout: 180_000 }, () => {
  const rows = Array.from({ length: WORLDS }, (_, seed) => predict(seed));
  const errorOf = ({ after, real }: Row): number => Math.abs(after.totalMs - real.totalMs) / real.totalMs;
  const missOf = ({ after, real, calls }: Row): number => Math.abs(after.throttled - real.throttled) / calls;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`.padStart(8);
  process.stdout.write(
    "  seed  calls  429s: log -> predicted / real   total s: predicted / real   error  backtest\n",
  );
  for (const row of rows) {
    const { before, after, real } = row;
    process.stdout.write(
      `  ${String(row.seed).padStart(4)}${String(row.calls).padStart(7)}${String(before.throttled).padStart(10)} -> ${String(after.throttled).padStart(5)} / ${String(real.throttled).padEnd(9)}${(after.totalMs / 1_000).toFixed(1).padStart(12)} / ${(real.totalMs / 1_000).toFixed(1).padEnd(9)}${percent(errorOf(row))}${percent(row.backtestError)}\n`,
    );
  }
  const total = quantile(rows.map(errorOf), 0.5) ?? 1;
  process.stdout.write(
    `  median error of the total ${percent(total).trim()}, worst miss of the refusals ${percent(Math.max(...rows.map(missOf))).trim()} of the calls\n`,
  );
  expect(rows.every((row) => row.before.throttled > 0)).toBe(true);
  expect(total).toBeLessThan(0.1);
  for (const row of rows) expect(missOf(row), `seed ${row.seed}`).toBeLessThanOrEqual(0.05);
});
