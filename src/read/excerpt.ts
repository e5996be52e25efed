const LONGEST = 60;

/** A value of a log as a problem shows it: one line, at most 60 characters, no control characters, no escape sequences. */
export function excerptOf(value: unknown): string {
  const text =
    typeof value === "string"
      ? value.slice(0, 4 * LONGEST)
      : typeof value === "number"
        ? String(value)
        : typeof value;
  const plain = text.replace(ESCAPES, "").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "");
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1)}…`;
}

/** Colours and cursor movement (CSI), and titles and links (OSC). */
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;
