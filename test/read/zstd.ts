/**
 * A zstd frame by hand, because Node 20 has no compressor: magic number, header of a single segment with a content size of
 * four bytes, then blocks that hold their bytes as they are.
 */
export function rawZstd(content: Uint8Array): Uint8Array {
  const MOST = 128 * 1024;
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  header.writeUInt32LE(content.length, 5);
  const parts: Uint8Array[] = [header];
  for (let at = 0; at === 0 || at < content.length; at += MOST) {
    const block = content.subarray(at, at + MOST);
    const isLast = at + MOST >= content.length ? 1 : 0;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE(isLast | (block.length << 3), 0, 3);
    parts.push(blockHeader, block);
  }
  return Buffer.concat(parts);
}

/** Sixty records as the zstd program packed them (level 19, with its checksum). */
export const PACKED: Uint8Array = Buffer.from(
  "KLUv/WSIDXUFAMIJGxeQOwerADYuGtZ3ErS0iZQySZoCs6w4AUsltLq5X1zvUgmtauoV1bpUQquZ+cR0LpXQ6vM/3l8qoVVMPCIal5WTkdfq9O0j8KwrO6Z" +
    "pRmMuOMVIlmPXlAMxLrjC9mAzmxkJtJAsoPvHjmnnBD2oEcD19v8N8HXGEfz/CAFCoBAohP0BqYpoZIgkSqSZMoQSUUmREaKJdEaGEFFaIjIiIrnkiAiFr" +
    "bY1ewDIKp/gS2U=",
  "base64",
);

export const UNPACKED: string = Array.from({ length: 60 }, (_, i) =>
  JSON.stringify({
    ts: `2026-07-01T10:00:${String(i).padStart(2, "0")}.000Z`,
    agent: "plan",
    status: i % 5 === 0 ? 429 : 200,
  }),
)
  .map((line) => `${line}\n`)
  .join("");
