/**
 * A model name without what does not change its limit: the vendor before a slash, a release date at the end, `-latest`, case.
 * `anthropic/claude-sonnet-4-5-20250929` and `claude-sonnet-4-5` are one, `gpt-4o-2024-08-06` and `gpt-4o` too.
 */
export function bareModel(model: string): string {
  const name = model.toLowerCase().trim();
  const tail = name.slice(name.lastIndexOf("/") + 1);
  return tail
    .replace(/^(?:anthropic|us\.anthropic|eu\.anthropic)\./, "")
    .replace(/(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)(?:-v\d+(?::\d+)?)?$/, "");
}
