/**
 * Lines of the chrome (panels, questions, notices, meter): pieces of text with roles, which components
 * turn into props of `<Text>`, never escape codes. And styled text as lines of a width, each of which
 * opens and closes its own styles (SGR codes).
 */

import { fit } from "../base/fit.ts";
import type { Role, Theme } from "./theme.ts";

export { fit };

/** Prose: breaks between words, where a word fits. */
export const wrapWords = (text: string, width: number): string[] =>
  closed(Bun.wrapAnsi(text, Math.max(1, width), { hard: true }));

/** Code and output, with all styles closed: breaks anywhere, keeps spaces. */
export const wrapAnywhere = (text: string, width: number): string[] =>
  !text.includes("\n") && Bun.stringWidth(text) <= width
    ? [text]
    : closed(Bun.wrapAnsi(text, Math.max(1, width), { hard: true, trim: false, wordWrap: false }));

/** The first of the texts that fits, the longest of which comes first; the last one cut, if none does. */
export const firstThatFits = (texts: readonly string[], width: number): string =>
  texts.find((text) => Bun.stringWidth(text) <= width) ?? fit(texts.at(-1) ?? "", width);

export const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));

/** A left and a right part at the ends of a line; the left one is cut if it is too long. */
export const spread = (left: string, right: string, width: number): string =>
  plainText(spreadLine(left, right, width));

/** A styled line with its text between some columns, in order, in the style of a role alone. */
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

/** A piece of a line, in the style of a role; a string alone has none. */
export type Span = string | { readonly role: Role; readonly text: string };

export type Line = Span | readonly Span[];

export const span = (role: Role, text: string): Span => ({ role, text });

/** A text in one role or none, in which all places that contain one of the words are marked. */
export function markFound(text: string, words: readonly string[], role?: Role): readonly Span[] {
  const plain = (piece: string): Span => (role ? span(role, piece) : piece);
  const wanted = words.filter((word) => word !== "").map(RegExp.escape);
  if (wanted.length === 0) return [plain(text)];
  return text
    .split(new RegExp(`(${wanted.join("|")})`, "gi"))
    .map((piece, index) => (index % 2 === 0 ? plain(piece) : span("match", piece)))
    .filter((piece) => plainText(piece) !== "");
}

/** A text in one role, wrapped; no text takes no line. */
export const wrapSpans = (role: Role, text: string, width: number): Line[] =>
  text === "" ? [] : wrapWords(text, width).map((line) => span(role, line));

export const toSpans = (line: Line): readonly Span[] => (isSpans(line) ? line : [line]);

/** A type guard: `Array.isArray` does not narrow readonly arrays. */
const isSpans = (line: Line): line is readonly Span[] => Array.isArray(line);

/** A rule, or a row of a picture: to be seen, not read out. */
const picture = /([^\s\d])\1{9}/u;

/** Bars of a chart, and the colors of a legend. */
const blocks = /[▁-█░▒▓]+/g;

/** The words of a line, to be read out. */
export function spokenText(line: Line): string {
  const text = plainText(line);
  return picture.test(text) ? "" : text.replace(blocks, "");
}

export const plainText = (line: Line): string =>
  toSpans(line)
    .map((piece) => (typeof piece === "string" ? piece : piece.text))
    .join("");

export const lineWidth = (line: Line): number => Bun.stringWidth(plainText(line));

/** At most `columns` of a line, with an ellipsis where it was cut. */
export function fitLine(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  const fitted: Span[] = [];
  let left = columns;
  for (const piece of toSpans(line)) {
    const text = typeof piece === "string" ? piece : piece.text;
    const width = Bun.stringWidth(text);
    // The piece that does not fit, or the one after which nothing else does, ends the line.
    const isLast = width >= left;
    const shown = isLast ? fit(`${text}…`, left) : text;
    fitted.push(typeof piece === "string" ? shown : { role: piece.role, text: shown });
    left -= width;
    if (isLast) break;
  }
  return fitted;
}

/** A left and a right part at the ends of a line; the left one is cut if it is too long. */
export function spreadLine(left: Line, right: Line, columns: number): Line {
  const room = columns - lineWidth(right);
  if (room < 4) return fitLine(left, columns);
  const start = fitLine(left, room - 1);
  return [...toSpans(start), " ".repeat(room - lineWidth(start)), ...toSpans(right)];
}

/** The widest line whose ends belong together: further apart, the eye loses the row. */
export const rowColumns = 120;

const betweenColumns = 4;

/** A column of blocks is at least this wide. */
const minBlockColumns = 52;

/**
 * Blocks below each other with an empty line between them, in as many columns of about the same height
 * as there is room for. `layout` makes the blocks for the width of a column.
 */
export function inColumns(
  columns: number,
  layout: (width: number) => readonly (readonly Line[])[],
): Line[] {
  const fitting = Math.floor((columns + betweenColumns) / (minBlockColumns + betweenColumns));
  const count = Math.max(1, fitting);
  const width = Math.floor((columns + betweenColumns) / count) - betweenColumns;
  const blocks = layout(width);
  const share = blocks.reduce((sum, { length }) => sum + length + 1, 0) / count;
  const stacks = Array.from({ length: count }, (): Line[] => []);
  let above = 0;
  for (const block of blocks) {
    const stack = stacks[Math.min(count - 1, Math.floor((above + block.length / 3) / share))];
    stack?.push(...(stack.length === 0 ? [] : [""]), ...block);
    above += block.length + 1;
  }
  return Array.from({ length: Math.max(...stacks.map(({ length }) => length)) }, (_, row) =>
    stacks.flatMap((stack, at): readonly Span[] => {
      const line = fitLine(stack[row] ?? "", width);
      const rest = at === count - 1 ? 0 : width + betweenColumns - lineWidth(line);
      return [...toSpans(line), " ".repeat(rest)];
    }),
  );
}
