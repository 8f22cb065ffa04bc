/** Lays out a tool's output. */

import { counted } from "../../protocol/in-words.ts";
import { textOf, type ToolInput } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { atMost, fit, wrapAnywhere } from "../wrap.ts";
import { diffLines, isDiff } from "./diff-lines.ts";
import { fileLines, gutterOf, isNumbered } from "./file-lines.ts";
import { showBytes } from "./format.ts";
import type { ItemLayout } from "./item-layout.ts";
import { isInBackground } from "./outcome.ts";

/** Lines of a result that an open item shows. */
const shownLines = 400;

/** A result, or the current page of it. */
export function resultLines(
  result: EntryOf<"result">,
  layout: ItemLayout,
  input: ToolInput = {},
): string[] {
  const { width, theme, page } = layout;
  const path = input["file_path"];
  const output = (text: string): string[] =>
    typeof path === "string" && isNumbered(text)
      ? openedFile(text, path, layout)
      : outputLines(text, layout);
  if (result.file === undefined) return output(textOf(result.content));
  const full = theme.paint("dim", fit(`  full output: ${sanitizeLine(result.file)}`, width));
  if (!page) return [full, ...output(textOf(result.content))];
  const { text, from, lines } = page;
  const where = `lines ${count(from + 1)}-${count(from + lines.length)} of ${count(text.lines)}`;
  const size = `  ${where}, ${showBytes(text.bytes)} · [ ] { } page`;
  const note = theme.paint("badge", fit(size, width));
  return [full, note, ...output(lines.join("\n")), note];
}

/** The numbered lines of a file, in its colors. */
function openedFile(text: string, path: string, layout: ItemLayout): string[] {
  const lines = text.split("\n");
  const rest = lines.length - shownLines;
  const shown = fileLines(lines.slice(0, shownLines), path, layout);
  return rest > 0
    ? [...shown, layout.theme.paint("dim", gutterOf("") + ` ${counted(rest, "more line")}`)]
    : shown;
}

const count = (lines: number): string => lines.toLocaleString("en");

/** At most `most` lines of a text, beside the bar that marks output. */
export function outputLines(text: string, layout: ItemLayout, most = shownLines): string[] {
  const { width, theme } = layout;
  if (isInBackground(text)) return [theme.paint("dim", "  │ In the background. /tasks shows it.")];
  const clean = sanitize(text);
  if (isDiff(clean)) return diffLines(clean, layout, most);
  const more = (rest: number): string => theme.paint("dim", counted(rest, "more line"));
  return atMost(clean.split("\n"), most, more)
    .flatMap((line) => wrapAnywhere(line, width - 4))
    .map((line) => `  ${theme.paint("dim", "│")} ${line}`);
}
