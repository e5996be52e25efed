/** An agent's name in a sentence; attempts without a tag have an empty one. */
export function agentLabel(name: string): string {
  return name === "" ? "(untagged)" : name;
}

/** `a`, `a and b`, `a, b and c`; beyond `most` names `a, b and 7 others`. */
export function joinNames(names: readonly string[], most: number = names.length): string {
  const others = names.length - most;
  const parts = others > 1 ? [...names.slice(0, most), `${others} others`] : names;
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}
