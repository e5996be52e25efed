import { renameSync, rmSync, writeFileSync } from "node:fs";
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
  const drafts: string[] = [];
  let current = "";
  try {
    for (const { file, text } of files) {
      current = file;
      const draft = `${file}.${process.pid}.part`;
      drafts.push(draft);
      writeFileSync(draft, text);
    }
    for (const [i, { file }] of files.entries()) {
      current = file;
      renameSync(drafts[i] ?? "", file);
    }
  } catch (error) {
    for (const draft of drafts) rmSync(draft, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `-o ${current}: cannot be written (${why})`,
      "Name a file in a folder that exists and may be written.",
    );
  }
}
