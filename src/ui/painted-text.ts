/** Styled text as lines of a width, each of which opens and closes its own styles (SGR codes). */

import { fit } from "../base/fit.ts";
import type { Role, Theme } from "./theme.ts";

export { fit };

/** Prose: breaks between words, where a word fits. */
export const wrapWords = (text: string, width: number): string[] =>
  closed(Bun.wrapAnsi(text, Math.max(1, width), { hard: true }));

/** Prose after a prefix; further lines are indented as deep. */
export function hang(prefix: string, text: string, width: number): string[] {
  const indent = " ".repeat(Bun.stringWidth(prefix));
  return wrapWords(text, width - indent.length).map(
    (line, index) => (index === 0 ? prefix : indent) + line,
  );
}

/** Code and output, with all styles closed: breaks anywhere, keeps spaces. */
export const wrapAnywhere = (text: string, width: number): string[] =>
  !text.includes("\n") && Bun.stringWidth(text) <= width
    ? [text]
    : closed(Bun.wrapAnsi(text, Math.max(1, width), { hard: true, trim: false, wordWrap: false }));

/** The first text that fits, given longest first; if none fits, the last one truncated. */
export const firstThatFits = (texts: readonly string[], width: number): string =>
  texts.find((text) => Bun.stringWidth(text) <= width) ?? fit(texts.at(-1) ?? "", width);

export const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));

/** Left- and right-aligned parts; the left one is truncated if too long. */
export function spread(left: string, right: string, width: number): string {
  const room = width - Bun.stringWidth(right);
  return room < 4 ? fit(left, width) : pad(fit(left, room - 1), room) + right;
}

/** Restyles ranges of columns of a styled line with a role. */
export function restyled(
  line: string,
  ranges: readonly (readonly [from: number, to: number])[],
  role: Role,
  theme: Theme,
): string {
  let text = "";
  let column = 0;
  for (const [from, to] of ranges) {
    const inside = Bun.stripANSI(Bun.sliceAnsi(line, from, to));
    text += Bun.sliceAnsi(line, column, from) + theme.paint(role, inside);
    column = to;
  }
  return text + Bun.sliceAnsi(line, column);
}

/** At most `most` lines, and below them what `more` says for the number of lines left out. */
export const atMost = (
  lines: readonly string[],
  most: number,
  more: (count: number) => string,
): readonly string[] =>
  lines.length > most ? [...lines.slice(0, most), more(lines.length - most)] : lines;

function closed(text: string): string[] {
  const lines = text.split("\n");
  if (!text.includes("\x1b")) return lines;
  let styles = "";
  return lines.map((line) => {
    const styled = styles + line;
    styles = stylesAfter(styled);
    return styles === "" ? styled : `${styled}\x1b[0m`;
  });
}

// eslint-disable-next-line no-control-regex -- the codes themselves
const codes = /\x1b\[([\d;]*)m/g;

/** The parameters of an SGR code; the indexed and direct colors take several numbers. */
export const readParameters = (code: string): readonly string[] =>
  code.match(/[34]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+/g) ?? ["0"];

const ends: Record<string, readonly string[]> = {
  "22": ["1", "2"],
  "23": ["3"],
  "24": ["4"],
  "27": ["7"],
  "29": ["9"],
  "39": ["text"],
  "49": ["ground"],
};

/** The code that opens the styles in effect at the end of `text`; empty if there are none. */
export function stylesAfter(text: string): string {
  if (!text.includes("\x1b")) return "";
  const on = new Map<string, string>();
  for (const [, params = ""] of text.matchAll(codes)) {
    for (const code of readParameters(params)) {
      if (Number(code) === 0) on.clear();
      else if (ends[code]) for (const kind of ends[code]) on.delete(kind);
      else on.set(classifyCode(code), code);
    }
  }
  return on.size === 0 ? "" : `\x1b[${[...on.values()].join(";")}m`;
}

/** Two codes of a kind replace each other. */
function classifyCode(parameter: string): string {
  if (/^(?:3[0-8]|9[0-7])/.test(parameter)) return "text";
  if (/^(?:4[0-8]|10[0-7])/.test(parameter)) return "ground";
  return parameter;
}

/** Maximum width of a row with parts at both ends; in a wider row the eye loses the line. */
export const rowColumns = 120;
