/** Lays out a tool's output. */

import { counted } from "../../protocol/in-words.ts";
import { textOf } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import { sanitize, sanitizeLine } from "../sanitize.ts";
import { fit, wrapAnywhere } from "../wrap.ts";
import { diffLines, isDiff } from "./diff-lines.ts";
import { showBytes } from "./format.ts";
import type { ItemLayout } from "./item-layout.ts";
import { isInBackground } from "./outcome.ts";

/** Lines of a result that an open item shows. */
const shownLines = 400;

/** A result, or the current page of it. */
export function resultLines(result: EntryOf<"result">, layout: ItemLayout): string[] {
  const { width, theme, page } = layout;
  if (result.file === undefined) return outputLines(textOf(result.content), layout);
  const full = theme.paint("dim", fit(`  full output: ${sanitizeLine(result.file)}`, width));
  if (!page) return [full, ...outputLines(textOf(result.content), layout)];
  const { text, from, lines } = page;
  const where = `lines ${count(from + 1)}-${count(from + lines.length)} of ${count(text.lines)}`;
  const size = `  ${where}, ${showBytes(text.bytes)} · [ ] { } page`;
  const note = theme.paint("badge", fit(size, width));
  return [full, note, ...outputLines(lines.join("\n"), layout), note];
}

const count = (lines: number): string => lines.toLocaleString("en");

/** At most `most` lines of a text, beside the bar that marks output. */
export function outputLines(text: string, layout: ItemLayout, most = shownLines): string[] {
  const { width, theme } = layout;
  if (isInBackground(text)) return [theme.paint("dim", "  │ In the background. /tasks shows it.")];
  const clean = sanitize(text);
  if (isDiff(clean)) return diffLines(clean, layout, most);
  const all = clean.split("\n");
  const lines = all
    .slice(0, most)
    .flatMap((line) => wrapAnywhere(line, width - 4))
    .map((line) => `  ${theme.paint("dim", "│")} ${line}`);
  if (all.length > most)
    lines.push(theme.paint("dim", `  │ ${counted(all.length - most, "more line")}`));
  return lines;
}
