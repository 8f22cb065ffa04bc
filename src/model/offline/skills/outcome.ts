import { clipLine } from "../../../base/clip.ts";
import { counted } from "../../../base/in-words.ts";
import type { Step } from "../conversation.ts";
import { changedLines } from "../results.ts";

/**
 * An edit's outcome in a sentence. `from`: what the tool's message calls the old text. `at`: the line, where
 * the edit begins before it.
 */
export function outcome(
  path: string,
  { text, failed, cleared }: Step,
  { from = "the text", at }: { from?: string; at?: number } = {},
): string {
  if (failed)
    return `\`${path}\` was not changed: ${clipLine(text.replace(/\bold_(?:text|string)\b/g, from), 400)}`;
  if (cleared) return `\`${path}\` was changed.`;
  const { places, line } = changedLines(text);
  const first = at ?? line;
  const where = first === null ? "" : ` (\`${path}:${first}\`)`;
  const verb = text.startsWith("Created ") ? "is created" : "is changed";
  return `Done: \`${path}\` ${verb}${places > 0 && at === undefined ? ` in ${counted(places, "place")}` : ""}${where}.`;
}
