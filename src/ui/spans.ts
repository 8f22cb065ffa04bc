/** Lines of the chrome: pieces of text with roles, which components turn into props of `<Text>`. */

import { fit, wrapWords } from "./painted-text.ts";
import type { Role } from "./theme.ts";

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
