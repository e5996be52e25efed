import type { Options } from "yargs";

/** One flag: yargs, help and completion all come from its row. */
export interface Flag {
  readonly name: string;
  readonly alias?: string;
  /** `strings` may be given several times. */
  readonly kind: "switch" | "string" | "strings";
  /** Name of the value in help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly help: string;
}

export const READ_FLAGS: readonly Flag[] = [
  {
    name: "from",
    kind: "string",
    value: "FORMAT",
    help: "log format; default: found by looking at the first records",
  },
  {
    name: "map",
    kind: "strings",
    value: "FIELD=PATH",
    help: "read a field from this path, e.g. agent=meta.worker",
  },
  {
    name: "since",
    kind: "string",
    value: "TIME",
    help: "only attempts from here on: ISO time, or -3h before the log's end",
  },
  { name: "until", kind: "string", value: "TIME", help: "only attempts before this" },
];

export const DIAGNOSE_FLAGS: readonly Flag[] = [
  ...READ_FLAGS,
  {
    name: "limit",
    kind: "strings",
    value: "MODEL:rpm=N,...",
    help: "a limit you know: rpm, tpm, itpm, otpm, burst; * = every model",
  },
  {
    name: "tier",
    kind: "strings",
    value: "PROVIDER:TIER",
    help: "published limits of a tier, e.g. anthropic:start",
  },
  {
    name: "deadline",
    kind: "string",
    value: "background=TIME",
    help: "background calls must be sent within this time, e.g. background=30s",
  },
  {
    name: "deadline",
    kind: "string",
    value: "background=TIME",
    help: "background calls must be sent within this time, e.g. background=30s",
  },
  { name: "rule", kind: "strings", value: "ID=LEVEL", help: "off, info, warning or error for one rule" },
  { name: "only", kind: "strings", value: "ID", help: "run only these rules" },
  { name: "skip", kind: "strings", value: "ID", help: "do not run these rules" },
  {
    name: "set",
    kind: "strings",
    value: "RULE.OPTION=N",
    help: "a threshold of a rule; see why429 explain RULE",
  },
  {
    name: "fail-on",
    kind: "string",
    value: "LEVEL",
    choices: ["error", "warning", "info", "never"],
    help: "findings from this level up exit with 1 (default error)",
  },
  {
    name: "max-invalid",
    kind: "string",
    value: "SHARE",
    help: "more rejected lines than this exit with 3 (default 5%)",
  },
  { name: "allow-empty", kind: "switch", help: "an empty log is fine" },
  {
    name: "format",
    kind: "string",
    value: "FORMAT",
    help: "format of the report on standard output (default text)",
  },
  {
    name: "output",
    alias: "o",
    kind: "strings",
    value: "[FORMAT=]FILE",
    help: "also write the report to a file; format from the extension",
  },
  { name: "top", kind: "string", value: "N", help: "print only the N worst findings" },
  {
    name: "color",
    kind: "string",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    help: "colour in the text report (default auto)",
  },
  { name: "ascii", kind: "switch", help: "only ASCII in the text report" },
  { name: "quiet", alias: "q", kind: "switch", help: "verdict and findings only" },
  { name: "verbose", alias: "v", kind: "switch", help: "all evidence and the code of the fixes" },
];

export const RULES_FLAGS: readonly Flag[] = [
  {
    name: "format",
    kind: "string",
    value: "FORMAT",
    choices: ["text", "json"],
    help: "text or json (default text)",
  },
];

export const SIMULATE_FLAGS: readonly Flag[] = [
  {
    name: "format",
    kind: "string",
    value: "FORMAT",
    choices: ["text", "json"],
    help: "text or json (default text)",
  },
  { name: "seed", kind: "string", value: "N", help: "seed of the jitter instead of the file's" },
];

export const PLAN_FLAGS: readonly Flag[] = [
  ...READ_FLAGS,
  ...DIAGNOSE_FLAGS.filter((flag) => flag.name === "limit" || flag.name === "tier"),
  { name: "model", kind: "string", value: "MODEL", help: "which of the tier's models, where no log tells" },
  { name: "tasks", kind: "string", value: "N", help: "instead of a log: so many tasks at once" },
  { name: "calls-per-task", kind: "string", value: "N", help: "calls of each task (default 1)" },
  { name: "tokens", kind: "string", value: "N", help: "input tokens of each call (default 0)" },
  { name: "latency-ms", kind: "string", value: "N", help: "how long an answer takes (default 1000)" },
  {
    name: "format",
    kind: "string",
    value: "FORMAT",
    choices: ["text", "json"],
    help: "text or json (default text)",
  },
];

/** Rows as yargs takes them. Every value stays text: numbers and pairs are read, and complained about, in one place each. */
export function yargsOptions(flags: readonly Flag[]): { [name: string]: Options } {
  return Object.fromEntries(
    flags.map(({ name, alias, kind, value, choices, help }): [string, Options] => [
      name,
      {
        describe: value === undefined ? help : `${value}  ${help}`,
        ...(alias === undefined ? {} : { alias }),
        ...(choices === undefined ? {} : { choices }),
        ...(kind === "switch" ? { boolean: true } : { string: true, requiresArg: true }),
        ...(kind === "strings" ? { array: true, nargs: 1 } : {}),
      },
    ]),
  );
}
