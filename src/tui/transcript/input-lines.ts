/** Lays out the input of a call. */

import type { ToolInput } from "../../protocol/block.ts";
import { highlight } from "../code/highlight.ts";
import { languageOf } from "../code/languages.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { wrapAnywhere } from "../wrap.ts";

/** Lines shown of an input. */
const maxLines = 60;

/** What the diff of a change shows, too. */
const inDiff: ReadonlySet<string> = new Set(["old_string", "new_string", "content"]);

export function inputLines(
  input: ToolInput,
  hasDiff: boolean,
  { width, theme }: { width: number; theme: Theme },
): string[] {
  const path = input["file_path"];
  const languageIn = (name: string): string =>
    name === "command"
      ? "bash"
      : typeof path === "string" && name !== "file_path"
        ? languageOf(path)
        : "";
  return Object.entries(input)
    .filter(([name]) => !hasDiff || !inDiff.has(name))
    .flatMap(([name, value]) => {
      const text = sanitize(typeof value === "string" ? value : JSON.stringify(value));
      const lines = highlight(text, languageIn(name), theme);
      const label = theme.paint("dim", `${sanitizeLine(name)}: `);
      return lines.length > 1 ? [label, ...lines] : lines.map((line) => label + line);
    })
    .slice(0, maxLines)
    .flatMap((line) => wrapAnywhere(line, width - 4))
    .map((line) => `  ${theme.paint("dim", "│")} ${line}`);
}
