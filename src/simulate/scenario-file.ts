import { closest, distance } from "fastest-levenshtein";
import { parse as parseYaml } from "yaml";
import type { z } from "zod";
import { UserError } from "../model/user-error.ts";
import { problemsOf } from "./scenario-problems.ts";
import { KEYS, SCENARIO, type Scenario } from "./scenario-schema.ts";

const EXAMPLE = "samples/simulate/burst-30.json shows the form.";

/**
 * Reads a scenario from JSON or YAML.
 *
 * @param name of the file, for messages
 * @throws UserError for text that is neither, unknown keys, impossible numbers, and worlds in which calls wait for ever
 */
export function parseScenario(text: string, name: string): Scenario {
  const parsed = SCENARIO.safeParse(parseText(text.replace(/^\uFEFF/, ""), name));
  if (!parsed.success) throw issueError(name, parsed.error.issues);
  const [problem] = problemsOf(parsed.data);
  if (problem !== undefined) throw new UserError(`${name}: ${problem.where}: ${problem.what}`, problem.hint);
  return parsed.data;
}

function parseText(text: string, name: string): unknown {
  try {
    return parseJsonOrYaml(text);
  } catch (error) {
    throw new UserError(`${name}: not JSON or YAML: ${firstLine(error)}`, EXAMPLE);
  }
}

/** JSON is YAML, but slower to read as such, and its mistakes are told better by its own parser. */
function parseJsonOrYaml(text: string): unknown {
  const fromYaml = (): unknown => parseYaml(text, { maxAliasCount: 100, logLevel: "error" });
  if (!/^\s*\{/.test(text)) return fromYaml();
  try {
    return JSON.parse(text);
  } catch (error) {
    try {
      return fromYaml();
    } catch {
      throw error;
    }
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return shown(message.split("\n")[0] ?? "");
}

/** The file's own text in a message: nothing that moves the cursor, and not much of it. */
function shown(text: string): string {
  return text.replaceAll(/\p{C}/gu, "?").slice(0, 200);
}

function issueError(name: string, issues: readonly z.core.$ZodIssue[]): UserError {
  const issue = deepest(issues);
  const where = issue.path.length === 0 ? "the file" : issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys")
    return new UserError(`${name}: ${where}: ${issue.message}`, EXAMPLE);
  const [key = ""] = issue.keys;
  const known = keysAt(issue.path);
  // Two kinds of aging at once, each known, each unknown to the other.
  if (known.includes(key))
    return new UserError(`${name}: ${where}: one of ${known.join(", ")}, not both`, EXAMPLE);
  return new UserError(`${name}: ${where}: unknown key "${shown(key)}"`, `${guess(key, known)}${EXAMPLE}`);
}

function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const part = path.findLast((step) => typeof step === "string") ?? "";
  return KEYS.get(part) ?? [];
}

/** A far-fetched guess is worse than none. */
function guess(key: string, known: readonly string[]): string {
  const near = key.length > 40 ? "" : closest(key, [...known]);
  if (near !== "" && distance(key, near) <= Math.max(2, near.length / 3)) return `Did you mean "${near}"? `;
  return `The keys here are ${known.join(", ")}. `;
}

/** The complaint to tell; inside a choice of forms, that of the form that came furthest. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  // A misspelt key is the cause of the missing one beside it.
  const first = issues.find((issue) => issue.code === "unrecognized_keys") ?? issues[0];
  if (first === undefined) throw new RangeError("a failed check has an issue");
  if (first.code !== "invalid_union") return first;
  const inner = first.errors
    .map((errors) => deepest(errors))
    .find((issue) => issue.code === "unrecognized_keys");
  return inner === undefined ? first : { ...inner, path: [...first.path, ...inner.path] };
}
