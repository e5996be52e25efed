/**
 * Log text is hostile: a name can carry terminal commands, hide text, or turn the reading direction. What is left here is
 * safe to print on a terminal. HTML and Markdown need their own escapes on top.
 */

// Colours and cursor moves (CSI), titles and links (OSC, DCS, ...: with their payload, if they end), other escapes.
// Each payload stops at the next escape, so the search is linear in the text.
const TERMINAL_COMMANDS =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
const SPACE_LIKE = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Control characters; format characters: bidirectional overrides, zero-width characters, tags. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/gu;
const LONE_SURROGATE = /\p{Cs}/gu;

/** One line of text without control, bidirectional and invisible characters; line breaks become a space. */
export function safeText(text: string): string {
  return text
    .replaceAll(TERMINAL_COMMANDS, "")
    .replaceAll(SPACE_LIKE, " ")
    .replaceAll(INVISIBLE, "")
    .replaceAll(LONE_SURROGATE, "\ufffd");
}

/** The same for text of several lines, such as code. */
export function safeLines(text: string): string {
  return text.split(/\r?\n/).map(safeText).join("\n");
}

/** JSON text with the characters that `JSON.stringify` leaves raw, and a terminal may act on, written as `\uXXXX`. */
export function safeJson(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (character) =>
    [...Array(character.length).keys()].map((i) => escapeUnit(character.charCodeAt(i))).join(""),
  );
}

/** One UTF-16 code unit as `\uXXXX`. */
export function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
