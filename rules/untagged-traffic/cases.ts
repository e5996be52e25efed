import type { RecordInput, RuleCases } from "../../test/support/cases.ts";
import { attempts, refused } from "../../test/support/traffic.ts";

/** A calm bucket: `tagged` attempts of code, and beside them `untagged` ones of nobody. */
function mixed(
  tagged: number,
  untagged: number,
  fields: { readonly [field: string]: unknown } = {},
): RecordInput[] {
  return [
    ...attempts({ agent: "code", fromMs: 0, everyMs: 1_000, count: tagged, fields }),
    ...attempts({ fromMs: 500, everyMs: 1_000, count: untagged, fields }),
  ];
}

const OTHER_MODEL = { model: "claude-haiku-4-5" };

export const cases: RuleCases = {
  loud: [
    {
      name: "half of a calm bucket is unsigned",
      log: () => mixed(40, 40),
      expect: {
        outcome: "found",
        agents: [],
        severity: "warning",
        message: "some",
        fixKinds: ["tag"],
        numbers: { share: 0.5, untagged: 40, attempts: 80, refused: 0 },
      },
    },
    {
      name: "nothing is signed at all",
      log: () => mixed(0, 60),
      expect: { outcome: "found", agents: [], message: "all", numbers: { share: 1, attempts: 60 } },
    },
    {
      name: "a refusing bucket, and the unsigned attempts are among the refused",
      log: () => [...mixed(60, 12), ...refused({ fromMs: 20_000, everyMs: 100, count: 8 })],
      expect: { outcome: "found", message: "some", numbers: { share: 0.25, untagged: 20, refused: 8 } },
    },
    {
      name: "signed with an empty name",
      log: () => mixed(60, 0).map((record, i) => (i < 40 ? { ...record, agent: "" } : record)),
      expect: { outcome: "found", numbers: { untagged: 40 } },
    },
    {
      name: "two buckets, one of them signed",
      log: () => [...mixed(60, 0), ...mixed(30, 30, OTHER_MODEL)],
      expect: { outcome: "found", numbers: { attempts: 60, untagged: 30 } },
    },
    {
      name: "OpenAI carries the name in another field",
      log: () => mixed(0, 60, { provider: "openai", model: "gpt-4o-mini" }),
      expect: { outcome: "found", message: "all", fixKinds: ["tag"] },
    },
  ],
  quiet: [
    {
      name: "everything is signed",
      log: () => mixed(80, 0),
      expect: { outcome: "clear" },
    },
    {
      name: "signed in other fields than agent",
      log: () => [
        ...mixed(0, 20, { metadata: { agent: "code" } }),
        ...mixed(0, 20, { tags: ["agent:review"] }),
        ...mixed(0, 20, { metadata: { user_id: "agent:plan:run:7" } }),
      ],
      expect: { outcome: "clear" },
    },
    {
      name: "the client's own limiter refused what is unsigned",
      log: () => [...mixed(60, 0), ...mixed(0, 40, { local: true, status: undefined })],
      expect: { outcome: "clear" },
    },
    {
      name: "strays on a bucket that is hardly used, beside a busy one",
      log: () => [...mixed(60, 0), ...mixed(0, 10, OTHER_MODEL)],
      expect: { outcome: "clear" },
    },
    {
      name: "two agents at once, both signed, and refused",
      log: () => [...mixed(60, 0), ...refused({ agent: "review", fromMs: 200, everyMs: 400, count: 40 })],
      expect: { outcome: "clear" },
    },
  ],
  edge: [
    {
      name: "maxShare: a tenth",
      log: () => mixed(90, 10),
      expect: { outcome: "clear" },
    },
    {
      name: "maxShare: one more than a tenth",
      log: () => mixed(90, 11),
      expect: { outcome: "found", numbers: { share: 11 / 101 } },
    },
    {
      name: "minAttempts: 49 attempts",
      log: () => mixed(24, 25),
      expect: { outcome: "not-applicable" },
    },
    {
      name: "minAttempts: 50 attempts",
      log: () => mixed(25, 25),
      expect: { outcome: "found", numbers: { attempts: 50 } },
    },
    {
      name: "minAttempts: fewer are asked for",
      log: () => mixed(2, 3),
      options: { minAttempts: 5 },
      expect: { outcome: "found", numbers: { share: 0.6 } },
    },
  ],
};
