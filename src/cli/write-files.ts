import { lstatSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { UserError } from "../model/user-error.ts";

export interface FileText {
  readonly file: string;
  readonly text: string;
}

/**
 * Writes all or none: each text beside its target first, then every one is moved into place.
 * @throws UserError when a file cannot be written; nothing half-written stays behind
 */
export function writeFiles(files: readonly FileText[]): void {
  const drafts: { readonly draft: string; readonly file: string }[] = [];
  let current = "";
  try {
    for (const { file, text } of files) {
      current = file;
      if (isSpecial(file)) continue;
      const draft = `${file}.${process.pid}.part`;
      drafts.push({ draft, file });
      writeFileSync(draft, text);
    }
    for (const { file, text } of files.filter((one) => isSpecial(one.file))) {
      current = file;
      writeFileSync(file, text);
    }
    for (const { draft, file } of drafts) {
      current = file;
      renameSync(draft, file);
    }
  } catch (error) {
    for (const { draft } of drafts) rmSync(draft, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `-o ${current}: cannot be written (${why})`,
      "Name a file in a folder that exists and may be written.",
    );
  }
}

/** A pipe, a device or a link, such as /dev/stderr, is written to: a file moved there would take its place. */
function isSpecial(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error("it is a folder");
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === false;
}
