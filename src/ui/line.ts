/**
 * Lines of the chrome (panels, questions, notices, meter): pieces of text, each with the role that
 * gives it its style. Components turn roles into props of `<Text>`; no line holds escape codes.
 */

import type { Role } from "./theme.ts";
import { fit } from "./wrap.ts";

/** A piece of a line, in the style of a role; a string alone has none. */
export type Span = string | { readonly role: Role; readonly text: string };

export type Line = Span | readonly Span[];

export const span = (role: Role, text: string): Span => ({ role, text });

export const spansOf = (line: Line): readonly Span[] => (isSpans(line) ? line : [line]);

/** A type guard: `Array.isArray` does not narrow readonly arrays. */
const isSpans = (line: Line): line is readonly Span[] => Array.isArray(line);

export const plainText = (line: Line): string =>
  spansOf(line)
    .map((piece) => (typeof piece === "string" ? piece : piece.text))
    .join("");

export const lineWidth = (line: Line): number => Bun.stringWidth(plainText(line));

/** At most `columns` of a line, with an ellipsis where it was cut. */
export function fitLine(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  const fitted: Span[] = [];
  let left = columns;
  for (const piece of spansOf(line)) {
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
  return [...spansOf(start), " ".repeat(room - lineWidth(start)), ...spansOf(right)];
}

/** Both parts at the ends of one line, or each on its own line; an empty part takes no line. */
export function besideOrBelow(left: Line, right: Line, columns: number): Line[] {
  const parts = [left, right].filter((part) => lineWidth(part) > 0);
  const isWide = lineWidth(left) + lineWidth(right) + 2 <= columns;
  return parts.length === 2 && isWide
    ? [spreadLine(left, right, columns)]
    : parts.map((part) => fitLine(part, columns));
}
