/**
 * Something the user can mend: a bad flag, an unreadable input, an invalid configuration. The command line prints it
 * without a stack trace and exits with 2.
 */
export class UserError extends Error {
  /** What to do about it, one sentence. */
  readonly hint: string;

  /** @param message what is wrong and where */
  constructor(message: string, hint: string) {
    super(message);
    this.name = "UserError";
    this.hint = hint;
  }
}
