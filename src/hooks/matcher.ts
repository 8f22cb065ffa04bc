/**
 * The test of a matcher such as `Bash`, `Edit|Write` or `mcp__.*`; null when it is not a regular
 * expression. Plain names must be equal; anything else is a regular expression. Empty and `*` match all.
 */
export function matcherOf(text: string | undefined): ((subject: string) => boolean) | null {
  if (text === undefined || text === "" || text === "*") return () => true;
  if (/^[\w|-]+$/.test(text)) {
    const names = text.split("|");
    return (subject) => names.includes(subject);
  }
  try {
    const pattern = new RegExp(text);
    return (subject) => pattern.test(subject);
  } catch {
    return null;
  }
}
