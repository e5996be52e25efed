import { Chalk } from "chalk";

/** `quiet` is the verdict and the findings; `verbose` adds every agent, incident, piece of evidence and the code of the fixes. */
type Detail = "quiet" | "normal" | "verbose";

export interface StyleOptions {
  readonly color: boolean;
  /** Columns of the terminal. Fewer than 40 are taken as 40. */
  readonly width: number;
  /** Only printable ASCII: for terminals and files that show nothing else. */
  readonly ascii?: boolean;
  readonly detail?: Detail;
  /** Findings to show, worst first; the rest is counted. null = all. Never changes the exit code. */
  readonly top?: number | null;
}

/** What a piece of text is; the colour follows. No meaning may hang on the colour alone. */
export type Paint = "plain" | "strong" | "dim" | "error" | "warning" | "info" | "good";

export interface Glyphs {
  /** A column of the heat strip with nothing in it. */
  readonly none: string;
  /** Columns with something in them, least first. */
  readonly levels: readonly string[];
  readonly arrow: string;
  readonly ellipsis: string;
}

/** How to print: a value, made once by whoever knows the terminal. */
export interface Style {
  readonly width: number;
  readonly ascii: boolean;
  readonly detail: Detail;
  readonly top: number | null;
  readonly glyphs: Glyphs;
  paint(text: string, as: Paint): string;
}

const NARROWEST = 40;

const UNICODE_GLYPHS: Glyphs = { none: "·", levels: Array.from("▁▂▃▄▅▆▇█"), arrow: "→", ellipsis: "…" };
const ASCII_GLYPHS: Glyphs = { none: ".", levels: Array.from("_-=+*%#@"), arrow: "->", ellipsis: "~" };

export function createStyle(options: StyleOptions): Style {
  const { color, width, ascii = false, detail = "normal", top = null } = options;
  // An instance of our own: the shared one of chalk decides by the environment.
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const paints: { readonly [P in Paint]: (text: string) => string } = {
    plain: (text) => text,
    strong: chalk.bold,
    dim: chalk.dim,
    error: chalk.red.bold,
    warning: chalk.yellow.bold,
    info: chalk.cyan,
    good: chalk.green,
  };
  return {
    width: Math.max(NARROWEST, Math.floor(width)),
    ascii,
    detail,
    top,
    glyphs: ascii ? ASCII_GLYPHS : UNICODE_GLYPHS,
    paint: (text, as) => paints[as](text),
  };
}
