import { UserError } from "../model/user-error.ts";
import { safeText } from "../words/safe.ts";
import { ClosedPipe, type Io, print } from "./io.ts";
import { packageVersion } from "../package.ts";
import { helpText, type Parsed, parseArguments } from "./parser.ts";

const COULD_NOT_RUN = 2;

/**
 * One run of the command line: words in, exit code out (0 fine, 1 findings, 2 could not run, 3 the log cannot carry a
 * diagnosis). The only place that turns errors into words.
 */
export async function main(args: readonly string[], io: Io): Promise<number> {
  const width = Math.min(io.columns ?? 80, 100);
  try {
    const parsed = await parseArguments(args, packageVersion(), width);
    if (parsed.kind === "print") {
      await print(io.stdout, parsed.text);
      return 0;
    }
    if (parsed.command === "diagnose" && parsed.positional.length === 0 && io.stdinIsTerminal)
      return await complain(await helpText(packageVersion(), width), io);
    return await run(parsed, io);
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    return await complain(wordsOf(error, args, io), io);
  }
}

/** Says what kept it from running. Where nobody listens, the exit code says it alone. */
async function complain(text: string, io: Io): Promise<number> {
  await print(io.stderr, text).catch(() => undefined);
  return COULD_NOT_RUN;
}

/** Commands are loaded when they are chosen: `--help` pays for none of them. */
async function run(parsed: Extract<Parsed, { kind: "command" }>, io: Io): Promise<number> {
  const { command, positional, values } = parsed;
  switch (command) {
    case "diagnose":
      return (await import("./commands/diagnose.ts")).runDiagnose(positional, values, io);
    case "rules":
      return (await import("./commands/rules.ts")).runRules(values, io);
    case "explain":
      return (await import("./commands/explain.ts")).runExplain(positional[0] ?? "", io);
    case "formats":
      return (await import("./commands/formats.ts")).runFormats(io);
    case "plan":
      return (await import("./commands/plan.ts")).runPlan(positional, values, io);
    case "simulate":
      return (await import("./commands/simulate.ts")).runSimulate(positional[0] ?? "", values, io);
  }
}

function wordsOf(error: unknown, args: readonly string[], io: Io): string {
  if (error instanceof UserError) return `why429: ${safeText(error.message)}\n  ${safeText(error.hint)}\n`;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // The arguments may be what failed to be parsed, so they are looked at as words.
  const isWhole = io.env["WHY429_DEBUG"] !== undefined || args.includes("--verbose") || args.includes("-v");
  const shown = isWhole ? text : (text.split("\n")[0] ?? "");
  return `why429: internal error: ${shown}\n  Please report it, with the output under WHY429_DEBUG=1.\n`;
}
