import { DIAGNOSE_FLAGS, type Flag, PLAN_FLAGS, RULES_FLAGS, SIMULATE_FLAGS } from "./options.ts";

export type CommandName = "diagnose" | "rules" | "explain" | "formats" | "simulate" | "plan";

/** One command: yargs and help come from its row. */
export interface Command {
  readonly name: CommandName;
  readonly usage: readonly string[];
  readonly help: string;
  readonly flags: readonly Flag[];
  /** Names of the positional values, as in the usage. */
  readonly positional: string;
  readonly examples: readonly (readonly [string, string])[];
}

export const COMMANDS: readonly Command[] = [
  {
    name: "diagnose",
    usage: ["$0 [files..]", "diagnose [files..]"],
    help: "say which agent tripped the rate limit, and what to change",
    flags: DIAGNOSE_FLAGS,
    positional: "files",
    examples: [
      ["$0 run.ndjson", "read a log, print the diagnosis"],
      ["kubectl logs job/pipeline | $0", "read standard input"],
      ["$0 logs/ --fail-on warning -o report.json", "gate a build and keep the report"],
    ],
  },
  {
    name: "rules",
    usage: ["rules"],
    help: "list the rules",
    flags: RULES_FLAGS,
    positional: "",
    examples: [],
  },
  {
    name: "explain",
    usage: ["explain <rule>"],
    help: "what a rule sees, why it hurts, what to do",
    flags: [],
    positional: "rule",
    examples: [["$0 explain greedy-agent", ""]],
  },
  {
    name: "formats",
    usage: ["formats"],
    help: "list the log formats that are read",
    flags: [],
    positional: "",
    examples: [],
  },
  {
    name: "simulate",
    usage: ["simulate <file>"],
    help: "compare client strategies on a virtual clock",
    flags: SIMULATE_FLAGS,
    positional: "file",
    examples: [["$0 simulate samples/simulate/burst-30.json", ""]],
  },
  {
    name: "plan",
    usage: ["plan [files..]"],
    help: "before going live: would this load be refused, and what pace makes it fit",
    flags: PLAN_FLAGS,
    positional: "files",
    examples: [
      ["$0 plan --tasks 50 --calls-per-task 3 --limit '*:rpm=50,burst=5'", ""],
      ["$0 plan today.ndjson --tier anthropic:start", ""],
    ],
  },
];
