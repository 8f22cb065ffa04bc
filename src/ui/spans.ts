/** Lines of the chrome: pieces of text with roles, which components turn into props of `<Text>`. */

import { fit, wrapWords } from "./painted-text.ts";
import type { Role } from "./theme.ts";

/** Part of a line, styled by role; a plain string is unstyled. */
export type Span = string | { readonly role: Role; readonly text: string };

export type Line = Span | readonly Span[];

export const span = (role: Role, text: string): Span => ({ role, text });

/** Text with all occurrences of the words highlighted. */
export function markFound(text: string, words: readonly string[], role?: Role): readonly Span[] {
  const plain = (piece: string): Span => (role ? span(role, piece) : piece);
  const wanted = words.filter((word) => word !== "").map(RegExp.escape);
  if (wanted.length === 0) return [plain(text)];
  return text
    .split(new RegExp(`(${wanted.join("|")})`, "gi"))
    .map((piece, index) => (index % 2 === 0 ? plain(piece) : span("match", piece)))
    .filter((piece) => plainText(piece) !== "");
}

/** Wrapped text in one role; empty text takes no line. */
export const wrapSpans = (role: Role, text: string, width: number): Line[] =>
  text === "" ? [] : wrapWords(text, width).map((line) => span(role, line));

export const toSpans = (line: Line): readonly Span[] => (isSpans(line) ? line : [line]);

/** A type guard: `Array.isArray` does not narrow readonly arrays. */
const isSpans = (line: Line): line is readonly Span[] => Array.isArray(line);

/** Decorative line, skipped by screen readers. */
const picture = /([^\s\d])\1{9}/u;

/** Bars of a chart, and the colors of a legend. */
const blocks = /[▁-█░▒▓]+/g;

/** The words of a line, for screen readers. */
export function spokenText(line: Line): string {
  const text = plainText(line);
  return picture.test(text) ? "" : text.replace(blocks, "");
}

export const plainText = (line: Line): string =>
  toSpans(line)
    .map((piece) => (typeof piece === "string" ? piece : piece.text))
    .join("");

export const lineWidth = (line: Line): number => Bun.stringWidth(plainText(line));

/** Fits a line into `columns`, with an ellipsis if truncated. */
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

const betweenColumns = 4;

/** A column of blocks is at least this wide. */
const minBlockColumns = 52;

/**
 * Stacks blocks with a blank line between them, balanced over as many columns as fit. `layout` makes the blocks for
 * the width of a column.
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
