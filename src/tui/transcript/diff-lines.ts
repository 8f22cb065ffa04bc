/** Lays out a unified diff with line numbers instead of headers. */

import { counted } from "../../protocol/in-words.ts";
import { wrapAnywhere } from "../wrap.ts";
import type { ItemLayout } from "./item-layout.ts";

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export const isDiff = (text: string): boolean => /^@@ -\d/m.test(text);

/** Lines added and removed by a diff. */
export function diffSize(text: string): { added: number; removed: number } {
  let [added, removed, isInside] = [0, 0, false];
  for (const line of text.split("\n")) {
    if (hunk.test(line)) isInside = true;
    else if (isInside && line.startsWith("+")) added++;
    else if (isInside && line.startsWith("-")) removed++;
  }
  return { added, removed };
}

/** At most `most` lines. Text before the diff is kept. */
export function diffLines(
  text: string,
  { width, theme }: Pick<ItemLayout, "width" | "theme">,
  most: number,
): string[] {
  const lines: string[] = [];
  let numbers: { old: number; now: number } | null = null;
  const add = (number: string, line: string, paint: (text: string) => string): void => {
    const gutter = theme.paint("dim", `${number.padStart(6)} │`);
    for (const piece of wrapAnywhere(line, Math.max(1, width - 9)))
      lines.push(`${gutter} ${paint(piece)}`);
  };
  const all = text.split("\n").filter((line) => !/^(?:--- |\+\+\+ )/.test(line));
  for (const line of all) {
    const [, old, now] = hunk.exec(line) ?? [];
    if (old !== undefined) {
      if (numbers) lines.push(theme.paint("dim", "       ⋮"));
      numbers = { old: Number(old), now: Number(now) };
    } else if (!numbers) add("", line, (piece) => piece);
    else if (line.startsWith("+"))
      add(String(numbers.now++), `+ ${line.slice(1)}`, (piece) => theme.paint("added", piece));
    else if (line.startsWith("-"))
      add(String(numbers.old++), `- ${line.slice(1)}`, (piece) => theme.paint("removed", piece));
    else {
      add(String(numbers.now), `  ${line.slice(1)}`, (piece) => piece);
      numbers.old++;
      numbers.now++;
    }
  }
  const rest = lines.length - most;
  return rest > 0
    ? [...lines.slice(0, most), theme.paint("dim", `       │ ${counted(rest, "more line")}`)]
    : lines;
}
