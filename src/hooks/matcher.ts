import { attempt } from "../protocol/attempt.ts";

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
  const pattern = attempt(() => new RegExp(text), null);
  return pattern && ((subject) => pattern.test(subject));
}
