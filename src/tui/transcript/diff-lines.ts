/** Lays out a unified diff with line numbers instead of headers, and marks the words that changed. */

import { counted } from "../../protocol/in-words.ts";
import type { Role, Theme } from "../theme.ts";
import { wrapAnywhere } from "../wrap.ts";
import { changedWords, type Part } from "./changed-words.ts";

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** What comes before a file's first hunk. In a hunk, such a line is a removed or added one. */
const header = /^(?:--- |\+\+\+ |Index: |={10,})/;

export const isDiff = (text: string): boolean => /^@@ -\d/m.test(text);

/** Lines added and removed by a diff. */
export function diffSize(text: string): { added: number; removed: number } {
  const lines = parse(text);
  const count = (kind: Line["kind"]): number => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

/** `number` is that of the new file, but of the old one for a removed line. */
type Line =
  | { kind: "added" | "removed" | "same"; number: number; text: string; parts?: Part[] }
  /** Text around the hunks. */
  | { kind: "other"; text: string }
  | { kind: "gap" };

function parse(text: string): Line[] {
  const lines: Line[] = [];
  let numbers: { old: number; now: number } | null = null;
  for (const line of text.split("\n")) {
    const [, old, now] = hunk.exec(line) ?? [];
    if (line.startsWith("diff --git ")) numbers = null;
    if (old !== undefined) {
      if (numbers) lines.push({ kind: "gap" });
      numbers = { old: Number(old), now: Number(now) };
    } else if (numbers === null || line.startsWith("\\")) {
      if (!header.test(line)) lines.push({ kind: "other", text: line });
    } else {
      const rest = line.slice(1);
      if (line.startsWith("+")) lines.push({ kind: "added", number: numbers.now++, text: rest });
      else if (line.startsWith("-"))
        lines.push({ kind: "removed", number: numbers.old++, text: rest });
      else {
        lines.push({ kind: "same", number: numbers.now++, text: rest });
        numbers.old++;
      }
    }
  }
  return lines;
}

/** Compares removed lines with the same number of added lines right after them. */
function withChangedWords(lines: Line[]): Line[] {
  const marked = [...lines];
  for (let start = 0; start < lines.length; start++) {
    const removed = runOf(lines, start, "removed");
    if (removed === 0) continue;
    const added = runOf(lines, start + removed, "added");
    for (let pair = 0; removed === added && pair < removed; pair++) {
      const old = lines[start + pair];
      const now = lines[start + removed + pair];
      if (old?.kind !== "removed" || now?.kind !== "added") continue;
      const words = changedWords(old.text, now.text);
      if (!words) continue;
      marked[start + pair] = { ...old, parts: words.old };
      marked[start + removed + pair] = { ...now, parts: words.now };
    }
    start += removed - 1;
  }
  return marked;
}

function runOf(lines: readonly Line[], start: number, kind: Line["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end - start;
}

const looks = {
  added: { sign: "+", role: "added", word: "addedWord" },
  removed: { sign: "-", role: "removed", word: "removedWord" },
} as const satisfies Record<string, { sign: string; role: Role; word: Role }>;

/** Columns of the line numbers and the bar beside them. */
const gutterColumns = 9;

/** At most `most` lines; what is left out is counted. */
export function diffLines(
  text: string,
  { width, theme }: { width: number; theme: Theme },
  most: number,
): string[] {
  // More lines than are shown are only counted.
  const parsed = parse(text);
  const shown = withChangedWords(parsed.slice(0, most));
  const lines = shown.flatMap((line) => layoutLine(line, width, theme));
  const rest = lines.length - most + Math.max(0, parsed.length - most);
  return rest > 0
    ? [...lines.slice(0, most), theme.paint("dim", `       │ ${counted(rest, "more line")}`)]
    : lines;
}

function layoutLine(line: Line, width: number, theme: Theme): string[] {
  if (line.kind === "gap") return [theme.paint("dim", "       ⋮")];
  const gutter = (index: number): string => {
    const number = line.kind === "other" || index > 0 ? "" : String(line.number);
    return theme.paint("dim", `${number.padStart(6)} │`);
  };
  const room = Math.max(1, width - gutterColumns);
  if (line.kind === "other" || line.kind === "same") {
    const indent = line.kind === "same" ? "  " : "";
    return wrapAnywhere(indent + line.text, room).map(
      (piece, index) => `${gutter(index)} ${piece}`,
    );
  }
  const { sign, role, word } = looks[line.kind];
  const words = (line.parts ?? [{ text: line.text, isChanged: false }])
    .map(({ text, isChanged }) => (isChanged ? theme.paint(word, text) : text))
    .join("");
  return wrapAnywhere(`${sign} ${words}`, room).map(
    (piece, index) => `${gutter(index)} ${theme.paint(role, piece)}`,
  );
}
