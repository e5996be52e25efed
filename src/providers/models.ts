const VENDORS =
  /^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|openai|meta|mistral|amazon|cohere|deepseek)\./;
/** A release date, `-latest`, and what one cloud hangs behind both. */
const RELEASE = /(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|[-@]latest|@default)?(?:-v\d{1,2}(?::\d{1,3})?)?$/;
const LONGEST_NAME = 200;

/**
 * A model name without what does not change its limit: the vendor before it, a release date at the end, `-latest`, case.
 * `anthropic/claude-sonnet-4-5-20250929` and `claude-sonnet-4-5` are one, `gpt-4o-2024-08-06` and `gpt-4o` too.
 */
export function bareModel(model: string): string {
  const name = model.slice(0, LONGEST_NAME).toLowerCase().trim();
  return name
    .slice(name.lastIndexOf("/") + 1)
    .replace(VENDORS, "")
    .replace(RELEASE, "");
}
