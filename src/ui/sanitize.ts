/**
 * Makes text from models, tools and files harmless: any content is drawn as text in its
 * own cells and cannot move the cursor, clear, retitle, color, ring or reverse anything.
 */

import { takeStart } from "../base/clip.ts";
import { showCode, control, invisible, sequence } from "../base/escape-terminal.ts";

/** Longer lines are cut: a line of megabytes is useless on a screen and slow to lay out. */
const longestLine = 20_000;

const tabWidth = 4;

// eslint-disable-next-line no-control-regex -- anything that needs work at all
const suspicious = /[^\n\x20-\x7e\xa0-\xac\xae-\u0600\u3000-\ud7ff]/;

/** Several lines. Tabs become spaces; of a line that is overwritten, the last version is kept. */
export function sanitize(text: string): string {
  if (text.length <= longestLine && !suspicious.test(text)) return text;
  const bounded = text.includes("\n") ? text.split("\n").map(bound).join("\n") : bound(text);
  // Half a surrogate pair has no width here and one on the screen: the line would break.
  const whole = bounded.toWellFormed().replace(/\r\n/g, "\n");
  const lines = whole.replace(sequence, "").split("\n");
  return lines.map(cleanLine).join("\n");
}

/**
 * Several lines in which nothing is hidden: every control character but newline and tab is shown by
 * its sign or code. For questions, where what is left out could be what matters.
 */
export const showControls = (text: string): string =>
  text
    .toWellFormed()
    .replace(control, (character) => pictures[character] ?? showCode(character))
    .replace(invisible, showCode)
    .split("\n")
    .map(expandTabs)
    .join("\n");

const pictures: Record<string, string> = { "\r": "␍", "\x7f": "␡" };

/** One line with controls shown: text after a real line break could pass for part of the question. */
export const showInLine = (text: string): string => showControls(text).replaceAll("\n", "⏎");

/** One line: newlines are shown as a sign. */
export const sanitizeLine = (text: string): string => sanitize(text).replaceAll("\n", "⏎");

function cleanLine(line: string): string {
  // A progress bar rewrites its line; a terminal would show what it wrote last.
  const shown = line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1);
  return expandTabs(shown.replace(control, "")).replace(invisible, showCode);
}

function bound(line: string): string {
  if (line.length <= longestLine) return line;
  const left = line.length - longestLine;
  return `${takeStart(line, longestLine)} … ${left.toLocaleString("en")} more characters`;
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const [index, piece] of line.split("\t").entries()) {
    if (index > 0) out += " ".repeat(tabWidth - (Bun.stringWidth(out) % tabWidth));
    out += piece;
  }
  return out;
}
