/** Measuring, cutting and folding of plain text in columns of a terminal. Paint comes after. */

// East Asian wide and full-width letters and the pictographs that terminals draw over two columns.
const WIDE =
  /[\u1100-\u115f\u231a\u231b\u23e9-\u23ec\u2614\u2615\u26a1\u26bd\u2705\u274c\u2753-\u2757\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f004}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARK = /\p{M}/u;

/** Columns that a text takes. */
export function columnsOf(text: string): number {
  // Most text is ASCII, where columns are characters.
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfOne(character);
  return columns;
}

function columnsOfOne(character: string): number {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** At most `width` columns; what was cut is marked at the end. */
export function clip(text: string, width: number, ellipsis: string): string {
  if (columnsOf(text) <= width) return text;
  return takeColumns(Array.from(text), width - columnsOf(ellipsis)).join("") + ellipsis;
}

/** At most `width` columns, cut at the start: of a path and its line the end tells most. */
export function clipStart(text: string, width: number, ellipsis: string): string {
  if (columnsOf(text) <= width) return text;
  const kept = takeColumns(Array.from(text).toReversed(), width - columnsOf(ellipsis));
  return ellipsis + kept.toReversed().join("");
}

function takeColumns(characters: readonly string[], width: number): readonly string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += columnsOfOne(character);
    return used > width;
  });
  return end === -1 ? characters : characters.slice(0, end);
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columnsOf(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - columnsOf(text))) + text;
}

// `94 %` and `39 s` stay together; the space before a unit is no place to break.
const BREAK = / +(?!(?:%|ms|s|m|h|d)(?![\w%]))/;

/** Lines of at most `width` columns, broken at spaces; a word longer than a line is broken where it must be. */
export function fold(text: string, width: number): readonly string[] {
  return foldItems(
    text.split(BREAK).filter((word) => word !== ""),
    " ",
    width,
  );
}

/** Folds between items only, so that a path with spaces stays in one piece while it fits with its separator. */
export function foldItems(items: readonly string[], separator: string, width: number): readonly string[] {
  const lines: string[] = [];
  const room = width - columnsOf(separator.trimEnd());
  let line: string | null = null;
  for (const item of items) {
    const joined: string = line === null ? item : line + separator + item;
    if (columnsOf(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== null) lines.push((line + separator).trimEnd());
    const pieces = breakWord(item, room);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
  }
  return line === null ? lines : [...lines, line];
}

function breakWord(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let rest: readonly string[] = Array.from(word);
  while (rest.length > 0) {
    const piece = takeColumns(rest, width);
    // A character wider than the line still has to go somewhere.
    const taken = piece.length === 0 ? rest.slice(0, 1) : piece;
    pieces.push(taken.join(""));
    rest = rest.slice(taken.length);
  }
  return pieces;
}
