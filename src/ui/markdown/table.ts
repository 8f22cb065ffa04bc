/** Lays out a Markdown table, wrapping cells where the screen is too narrow. */

import type { Theme } from "../theme.ts";
import { pad, wrapWords } from "../wrap.ts";

export type Cell = { text: string; isHead: boolean; align: "left" | "right" | "center" };

const gap = 3;

export function layoutTable(
  rows: readonly (readonly Cell[])[],
  width: number,
  theme: Theme,
): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  if (count === 0) return [];
  const wanted = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map((row) => Bun.stringWidth(row[column]?.text ?? ""))),
  );
  const widths = share(wanted, width - gap * (count - 1));
  const bar = theme.paint("dim", " │ ");
  const lines: string[] = [];
  for (const row of rows) {
    const wrapped = widths.map((w, column) => wrapWords(row[column]?.text ?? "", w));
    const height = Math.max(...wrapped.map((cell) => cell.length));
    const isHead = row.some((cell) => cell.isHead);
    for (let line = 0; line < height; line++) {
      const pieces = widths.map((w, column) => {
        const text = wrapped[column]?.[line] ?? "";
        return aligned(
          isHead ? theme.paint("strong", text) : text,
          w,
          row[column]?.align ?? "left",
        );
      });
      lines.push(pieces.join(bar).trimEnd());
    }
    if (isHead) lines.push(theme.paint("dim", widths.map((w) => "─".repeat(w)).join("─┼─")));
  }
  return lines;
}

/** Shrinks the widest columns first, until the row fits or every column is one cell wide. */
function share(wanted: number[], room: number): number[] {
  const widths = [...wanted];
  for (let over = widths.reduce((sum, w) => sum + w, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 1) <= 1) break;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function aligned(text: string, width: number, align: Cell["align"]): string {
  const room = Math.max(0, width - Bun.stringWidth(text));
  if (align === "right") return " ".repeat(room) + text;
  if (align === "center") return pad(" ".repeat(room >> 1) + text, width);
  return pad(text, width);
}
