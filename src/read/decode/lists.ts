import { BYTE, createValueScanner, isSpace } from "./json-scan.ts";

const DEEPEST = 3;
const MOST = 8;

/**
 * Paths of keys that lead, through objects only, from the first object of a file to a list that begins with an object:
 * `[["data"]]` for `{"data":[{...}]}`. The list may be cut off.
 */
export function findLists(head: Uint8Array): (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const scanner = createValueScanner();
  const path: string[] = [];
  let key: string | null = null;
  let at = afterSpace(head, 0);
  if (head[at] !== BYTE.openObject) return [];
  let depth = 1;
  at++;
  while (at < head.length && depth > 0 && found.length < MOST) {
    at = afterSpace(head, at);
    const byte = head[at] ?? 0;
    if (byte === BYTE.colon || byte === BYTE.comma) at++;
    else if (byte === BYTE.closeObject) {
      depth--;
      path.pop();
      at++;
    } else if (key !== null && byte === BYTE.openObject && path.length < DEEPEST - 1) {
      path.push(key);
      depth++;
      key = null;
      at++;
    } else {
      if (key !== null && byte === BYTE.openList && head[afterSpace(head, at + 1)] === BYTE.openObject) {
        found.push([...path, key]);
      }
      scanner.begin(byte);
      if (scanner.scan(head, at) !== "done") break;
      key = key === null ? textOf(head.subarray(at, scanner.at)) : null;
      at = scanner.at;
    }
  }
  return found;
}

function afterSpace(head: Uint8Array, from: number): number {
  let at = from;
  while (at < head.length && isSpace(head[at] ?? 0)) at++;
  return at;
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}
