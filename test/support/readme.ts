import { z } from "zod";
import type { RecordInput } from "./cases.ts";

/** Headings of the second level, in order. */
export function headingsOf(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^## (.+)$/gm), (match) => match[1] ?? "");
}

/** The text under one heading of the second level, up to the next; empty when there is none. */
export function sectionOf(markdown: string, heading: string): string {
  const [, rest = ""] = `\n${markdown}`.split(`\n## ${heading}\n`);
  return rest.split(/^## /m)[0] ?? "";
}

/** Every fenced block of one language. */
export function blocksOf(markdown: string, language: string): string[] {
  return Array.from(markdown.matchAll(/^```(\S+)\n(.*?)^```$/gms), (match): readonly [string, string] => [
    match[1] ?? "",
    match[2] ?? "",
  ]).flatMap(([name, text]) => (name === language ? [text] : []));
}

const RECORD = z.looseObject({ ts: z.union([z.string(), z.number()]) });

export function recordsOf(ndjson: string): RecordInput[] {
  return ndjson
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => RECORD.parse(JSON.parse(line)));
}
