import { expect, test } from "vitest";
import { logOf } from "../support/log.ts";
import { GIVEN_KINDS, KINDS, LOOK_ALIKES } from "../support/world/kinds/index.ts";
import { type Kind, worldOf } from "../support/world/kinds/kind.ts";
import { waitsOk } from "../support/world/kinds/waits.ts";

/** The catalogue of what a diagnosis can find. */
const RULE_IDS: ReadonlySet<string> = new Set([
  "greedy-agent",
  "retry-storm",
  "fan-out-over-limit",
  "short-timeout",
  "transient-as-fatal",
  "quota-exhausted",
  "concurrency-not-rate",
  "burst-over-capacity",
  "synchronised-start",
  "split-keys",
  "no-headroom",
  "high-429-ratio",
  "agent-over-budget",
  "limiter-not-shared",
  "token-limit",
  "oversized-call",
  "daily-limit",
  "acceleration-limit",
  "provider-overloaded",
  "request-not-rate",
  "retry-after-ignored",
  "retry-budget-too-short",
  "unjittered-retries",
  "excessive-retries",
  "stacked-retries",
  "permanent-error-retried",
  "blocking-stages",
  "hidden-refusal",
  "breaker-outlives-limit",
  "priority-inversion",
  "background-starvation",
  "limiter-too-low",
  "untagged-traffic",
  "hidden-retries",
]);

test.each(KINDS.map((kind) => ({ name: kind.name, kind })))(
  "$name is a log of its mechanism, with labels that speak of it",
  ({ kind }) => {
    const { labels, records, truth } = worldOf(kind, 1);
    expect(truth.attempts.length).toBeGreaterThan(0);
    expect(logOf(records).attempts.length).toBeGreaterThan(0);
    const said = [...labels.must.map(({ rule }) => rule), ...labels.may];
    expect(said.filter((rule) => !RULE_IDS.has(rule))).toEqual([]);
    const seen = new Set(records.map(({ agent }) => agent));
    expect(labels.must.filter(({ agent }) => agent !== undefined && !seen.has(agent))).toEqual([]);
    expect(said.length === 0).toBe(kind.name.startsWith("healthy-"));
  },
);

test("a draw that is not what it should be is drawn again, and never labelled", () => {
  let draws = 0;
  const picky: Kind = {
    name: "picky",
    draw: (random) => {
      draws++;
      const turn = draws;
      return { ...waitsOk.draw(random), broken: () => (turn < 4 ? "not yet" : null) };
    },
  };
  expect(worldOf(picky, 1).kind).toBe("picky");
  expect(draws).toBe(4);
  const hopeless: Kind = {
    name: "hopeless",
    draw: (random) => ({ ...waitsOk.draw(random), broken: () => "never" }),
  };
  expect(() => worldOf(hopeless, 1)).toThrow(/hopeless 1: no draw/);
});

test("kinds have names of their own, and look-alikes demand nothing of what they look like", () => {
  expect(new Set(KINDS.map(({ name }) => name)).size).toBe(KINDS.length);
  expect(GIVEN_KINDS).toHaveLength(17);
  expect(LOOK_ALIKES.length).toBeGreaterThan(15);
});
