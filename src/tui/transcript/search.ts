/** Finds text in the transcript and highlights it. */

import type { Theme } from "../theme.ts";

/** Matches `needle` literally, ignoring case. */
export const patternOf = (needle: string): RegExp => new RegExp(RegExp.escape(needle), "gi");

/** Characters that are searched before other work has its turn. */
const pieceChars = 2_000_000;

/** Looks for items that contain a text, from the newest to the oldest, a piece at a time. */
export class Scan {
  readonly pattern: RegExp;
  readonly #text: (item: number) => string;
  /** The items found, newest first. */
  readonly found: number[] = [];
  /** The next item to search. */
  #next: number;

  constructor(needle: string, count: number, text: (item: number) => string) {
    this.pattern = patternOf(needle);
    this.#text = text;
    this.#next = count - 1;
  }

  get isDone(): boolean {
    return this.#next < 0;
  }

  /** Searches the next piece. */
  step(): void {
    for (let chars = 0; this.#next >= 0 && chars < pieceChars; this.#next--) {
      const text = this.#text(this.#next);
      if (text.search(this.pattern) >= 0) this.found.push(this.#next);
      chars += text.length;
    }
  }
}

/** The nearest matching line of an item; null if it is folded away or split over two lines. */
export function findLine(
  lines: readonly string[],
  from: number,
  step: 1 | -1,
  pattern: RegExp,
): number | null {
  for (let index = from; index >= 0 && index < lines.length; index += step) {
    if (Bun.stripANSI(lines[index] ?? "").search(pattern) >= 0) return index;
  }
  return null;
}

/** Highlights every match in a painted line. */
export function markMatches(line: string, pattern: RegExp, theme: Theme): string {
  const plain = Bun.stripANSI(line);
  if (plain.search(pattern) < 0) return line;
  let marked = "";
  let column = 0;
  for (const match of plain.matchAll(pattern)) {
    if (match[0] === "") continue;
    const start = Bun.stringWidth(plain.slice(0, match.index));
    marked += Bun.sliceAnsi(line, column, start) + theme.paint("match", match[0]);
    column = start + Bun.stringWidth(match[0]);
  }
  return marked + Bun.sliceAnsi(line, column);
}
