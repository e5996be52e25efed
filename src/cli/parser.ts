import yargs, { type Argv } from "yargs";
import { UserError } from "../model/user-error.ts";
import {
  DIAGNOSE_FLAGS,
  PLAN_FLAGS,
  type Flag,
  RULES_FLAGS,
  SIMULATE_FLAGS,
  yargsOptions,
} from "./options.ts";
import { didYouMean } from "./parse/suggest.ts";
import type { Values } from "./values.ts";

export type CommandName = "diagnose" | "rules" | "explain" | "formats" | "simulate" | "plan";

export type Parsed =
  | { readonly kind: "print"; readonly text: string }
  | {
      readonly kind: "command";
      readonly command: CommandName;
      readonly positional: readonly string[];
      readonly values: Values;
    };

interface Command {
  readonly name: CommandName;
  readonly usage: readonly string[];
  readonly help: string;
  readonly flags: readonly Flag[];
  /** Names of the positional values, as in the usage. */
  readonly positional: string;
  readonly examples: readonly (readonly [string, string])[];
}

const COMMANDS: readonly Command[] = [
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

/**
 * Words to a command, without doing anything.
 * @throws UserError for an unknown flag or a value that cannot be
 */
export async function parseArguments(
  args: readonly string[],
  version: string,
  width: number,
): Promise<Parsed> {
  let chosen: Parsed | null = null;
  let parser = base(args, version, width);
  for (const command of COMMANDS) {
    parser = parser.command(
      [...command.usage],
      command.help,
      (own: Argv) =>
        command.examples.reduce(
          (y, [line, what]) => y.example(line, what),
          own.options(yargsOptions(command.flags)),
        ),
      (argv: Values) => {
        chosen = {
          kind: "command",
          command: command.name,
          positional: positionalOf(argv, command),
          values: checked(argv, command),
        };
      },
    );
  }
  let printed = "";
  await parser.parseAsync(
    args.map((word) => (word === "-" ? STDIN : word)),
    {},
    (error: Error | undefined | null, _argv: unknown, output: string) => {
      printed = output;
      if (error instanceof UserError) throw error;
      if (error !== undefined && error !== null)
        throw new UserError(error.message.replace(/\s+/g, " ").trim(), "why429 --help lists the flags.");
    },
  );
  // The completion script goes to standard output by yargs itself.
  return chosen ?? { kind: "print", text: printed === "" ? "" : `${printed}\n` };
}

/** The whole help, for a run without anything to do. */
export async function helpText(version: string, width: number): Promise<string> {
  const parsed = await parseArguments(["--help"], version, width);
  return parsed.kind === "print" ? parsed.text : "";
}

function base(args: readonly string[], version: string, width: number): Argv {
  return yargs([...args])
    .scriptName("why429")
    .version(version)
    .help()
    .alias("help", "h")
    .wrap(width)
    .exitProcess(false)
    .completion("completion", "print a completion script for bash or zsh")
    .parserConfiguration({
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-positional-numbers": false,
      "duplicate-arguments-array": true,
    })
    .epilogue(
      "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 could not run, 3 the log cannot carry a diagnosis.",
    );
}

/** yargs loses a lone dash; this stands for it until the words are back. No file can be named so. */
const STDIN = "\0-";

function positionalOf(argv: Values, { name, positional }: Command): readonly string[] {
  const named = argv[positional];
  const words = Array.isArray(argv["_"]) ? argv["_"].map(String) : [];
  // yargs leaves the command's own word in front, and whatever it has no place for behind it.
  const rest = words[0] === name ? words.slice(1) : words;
  const first = Array.isArray(named) ? named.map(String) : typeof named === "string" ? [named] : [];
  if (positional !== "files" && rest[0] !== undefined)
    throw new UserError(`${name}: unexpected "${rest[0]}"`, `why429 ${name} --help shows what it takes.`);
  return [...first, ...rest].map((word) => (word === STDIN ? "-" : word));
}

const ALWAYS = new Set(["_", "$0", "help", "h", "version"]);

/** Refuses flags that the command does not have: an ignored flag is a gate that does not gate. */
function checked(argv: Values, command: Command): Values {
  const names = command.flags.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
  for (const name of Object.keys(argv)) {
    if (ALWAYS.has(name) || names.includes(name) || name === command.positional) continue;
    const dashes = name.length === 1 ? "-" : "--";
    throw new UserError(
      `unknown flag ${dashes}${name}`,
      `${didYouMean(name, names)}why429 ${command.name} --help lists the flags.`,
    );
  }
  return argv;
}
