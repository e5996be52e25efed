import yargs, { type Argv } from "yargs";
import { UserError } from "../model/user-error.ts";
import { COMMANDS, type Command, type CommandName } from "./command-table.ts";
import { yargsOptions } from "./options.ts";
import { didYouMean } from "./parse/suggest.ts";
import type { Values } from "./values.ts";

export type Parsed =
  | { readonly kind: "print"; readonly text: string }
  | {
      readonly kind: "command";
      readonly command: CommandName;
      readonly positional: readonly string[];
      readonly values: Values;
    };

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
    withTimesJoined(args).map((word) => (word === "-" ? STDIN : word)),
    {},
    (error: Error | undefined | null, argv: Values, output: string) => {
      printed = output;
      if (error instanceof UserError) throw error;
      if (error !== undefined && error !== null) throw complaint(error, argv);
    },
  );
  return chosen ?? { kind: "print", text: printed === "" ? "" : `${printed}\n` };
}

/** The whole help, for a run without anything to do. */
export async function helpText(version: string, width: number): Promise<string> {
  const parsed = await parseArguments(["--help"], version, width);
  return parsed.kind === "print" ? parsed.text : "";
}

/** Words of yargs, said as the rest is said. Setting them also keeps the language from following the machine. */
const WORDING = {
  "Invalid values:": " ",
  "Argument: %s, Given: %s, Choices: %s": "--%s %s: not one of %s",
  "Not enough arguments following: %s": "--%s: the value is missing",
};

function base(args: readonly string[], version: string, width: number): Argv {
  const parser = yargs([...args])
    .updateStrings(WORDING)
    .scriptName("why429")
    .version(version)
    .help()
    .alias("help", "h")
    .wrap(width)
    .exitProcess(false)
    .parserConfiguration({
      "camel-case-expansion": false,
      "dot-notation": false,
      // Both: without the first a file named 1e3 is read as 1000.
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "duplicate-arguments-array": true,
    })
    .epilogue(
      "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 could not run, 3 the log cannot carry a diagnosis.",
    );
  // Not `.completion()`: beside a default command that takes files, yargs reads that word as a file.
  return parser.command("completion", "print a completion script for bash or zsh", {}, () => {
    parser.showCompletionScript();
  });
}

function complaint(error: Error, argv: Values): UserError {
  const [first] = Array.isArray(argv["_"]) ? argv["_"].map(String) : [];
  const name = COMMANDS.some((command) => command.name === first) ? first : undefined;
  // A plural, so not among the strings that can be set.
  const isMissing = error.message.startsWith("Not enough non-option arguments");
  const message = isMissing ? "the value is missing" : error.message.replace(/\s+/g, " ").trim();
  return new UserError(
    name === undefined ? message : `${name}: ${message}`,
    `why429 ${name === undefined ? "" : `${name} `}--help shows what it takes.`,
  );
}

const TIME_FLAGS = new Set(["--since", "--until"]);

/** `--since -2h` is a time before the end of the log, not the flags -2 and -h: yargs must see one word. */
function withTimesJoined(args: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const word of args) {
    const last = joined.at(-1);
    if (last !== undefined && TIME_FLAGS.has(last) && /^-\d/.test(word))
      joined[joined.length - 1] = `${last}=${word}`;
    else joined.push(word);
  }
  return joined;
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
