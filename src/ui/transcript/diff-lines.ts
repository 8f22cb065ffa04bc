/** A unified diff with line numbers, the colors of its language, and changed words marked. */

import { counted } from "../../base/format.ts";
import { type Highlighter, makeHighlighter, readLanguage } from "../code/highlight.ts";
import type { Role, Theme } from "../theme.ts";
import { pad, restyled, wrapAnywhere } from "../painted-text.ts";

/** Columns of the line numbers and the bar beside them. */
export const gutterColumns = 9;

export const formatGutter = (number: string): string => `${number.padStart(6)} │`;

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** A line before a file's first hunk. In a hunk, such a line is removed or added code. */
const header = /^(?:--- |\+\+\+ |Index: |={10,})/;

/** The name of a file before its first hunk. */
const fileHead = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/;

export type Canvas = { width: number; theme: Theme };

export const isDiff = (text: string): boolean => /^@@ -\d/m.test(text);

export function diffSize(text: string): { added: number; removed: number } {
  const lines = parse(text);
  const count = (kind: DiffLine["kind"]): number =>
    lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

type Hunk = { language: string };

/** `number` is that of the new file, but of the old one for a removed line. */
type CodeLine = {
  kind: "added" | "removed" | "same";
  hunk: Hunk;
  number: number;
  text: string;
  parts?: WordPart[];
};

type DiffLine =
  | CodeLine
  /** Text around the hunks. */
  | { kind: "other"; text: string }
  | { kind: "gap" };

function parse(text: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let language = "";
  let at: { hunk: Hunk; old: number; now: number } | null = null;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const [, old, now] = hunkHead.exec(line) ?? [];
    if (line.startsWith("diff --git ")) at = null;
    if (old !== undefined) {
      if (at) lines.push({ kind: "gap" });
      at = { hunk: { language }, old: Number(old), now: Number(now) };
    } else if (at === null || line.startsWith("\\")) {
      const [, file] = fileHead.exec(line) ?? [];
      if (file !== undefined && file !== "/dev/null") language = readLanguage(file);
      if (!header.test(line)) lines.push({ kind: "other", text: line });
    } else {
      const rest = { hunk: at.hunk, text: line.slice(1) };
      if (line.startsWith("+")) lines.push({ kind: "added", number: at.now++, ...rest });
      else if (line.startsWith("-")) lines.push({ kind: "removed", number: at.old++, ...rest });
      else {
        lines.push({ kind: "same", number: at.now++, ...rest });
        at.old++;
      }
    }
  }
  return lines;
}

const jsdiff = (): typeof import("diff") => require("diff");

const maxComparedChars = 500;

/** If the lines share less than this, marking words would only be noise. */
const minShared = 0.4;

type WordPart = { text: string; isChanged: boolean };

/** The words that changed; null: the lines have too little in common, or are too long. Pure. */
function changedWords(old: string, now: string): { old: WordPart[]; now: WordPart[] } | null {
  if (Math.max(old.length, now.length) > maxComparedChars) return null;
  const parts = jsdiff().diffWordsWithSpace(old, now);
  const shared = parts.reduce(
    (sum, { value, added, removed }) => (added || removed ? sum : sum + value.trim().length),
    0,
  );
  if (shared < Math.max(old.trim().length, now.trim().length) * minShared) return null;
  const side = (skip: "added" | "removed"): WordPart[] =>
    parts
      .filter((part) => !part[skip])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { old: side("added"), now: side("removed") };
}

function markChangedWords(lines: readonly DiffLine[]): void {
  for (let start = 0; start < lines.length; start++) {
    const removed = countRun(lines, start, "removed");
    if (removed === 0) continue;
    const added = countRun(lines, start + removed, "added");
    for (let pair = 0; removed === added && pair < removed; pair++) {
      const old = lines[start + pair];
      const now = lines[start + removed + pair];
      if (old?.kind !== "removed" || now?.kind !== "added") continue;
      const words = changedWords(old.text, now.text);
      if (!words) continue;
      old.parts = words.old;
      now.parts = words.now;
    }
    start += removed - 1;
  }
}

function countRun(lines: readonly DiffLine[], start: number, kind: DiffLine["kind"]): number {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return end - start;
}

export function diffLines(text: string, { width, theme }: Canvas, most: number): string[] {
  // More lines than are shown are only counted.
  const parsed = parse(text);
  const shown = parsed.slice(0, most);
  markChangedWords(shown);
  const paint = painter(shown, theme);
  const lines = shown.flatMap((line) => layoutLine(line, width, theme, paint));
  const rest = lines.length - most + Math.max(0, parsed.length - most);
  return rest > 0
    ? [...lines.slice(0, most), theme.paint("dim", `       │ ${counted(rest, "more line")}`)]
    : lines;
}

type Paint = (line: CodeLine) => string;

/** Paints the code of the lines, in their order; the old and the new file each have a highlighter. */
function painter(lines: readonly DiffLine[], theme: Theme): Paint {
  const code = lines.filter((line) => line.kind !== "other" && line.kind !== "gap");
  const start = (hunk: Hunk, other: "added" | "removed"): Highlighter => {
    const first = code.find((line) => line.hunk === hunk && line.kind !== other);
    const highlighter = makeHighlighter(hunk.language, theme);
    // A hunk may begin inside a comment.
    if (/^\s*\*(?:\s|\/|$)/.test(first?.text ?? "")) highlighter.line("/*");
    return highlighter;
  };
  let at: { hunk: Hunk; old: Highlighter; now: Highlighter } | null = null;
  return ({ hunk, kind, text }) => {
    if (at?.hunk !== hunk) at = { hunk, old: start(hunk, "added"), now: start(hunk, "removed") };
    if (kind === "removed") return at.old.line(text);
    if (kind === "same") at.old.line(text);
    return at.now.line(text);
  };
}

function layoutLine(line: DiffLine, width: number, theme: Theme, paint: Paint): string[] {
  if (line.kind === "gap") return [theme.paint("dim", "       ⋮")];
  const room = Math.max(1, width - gutterColumns);
  if (line.kind === "other") {
    const gutter = theme.paint("dim", formatGutter(""));
    return wrapAnywhere(line.text, room).map((piece) => `${gutter} ${piece}`);
  }
  const { kind, number, parts } = line;
  const isSame = kind === "same";
  const code = isSame ? paint(line) : markWords(paint(line), parts, `${kind}Word`, theme);
  const sign = isSame ? " " : theme.paint(kind, kind === "added" ? "+" : "-");
  // After the sign and a space, so that what is wrapped stays below the code.
  return wrapAnywhere(code, Math.max(1, room - 2)).map((piece, index) => {
    const gutter = formatGutter(index === 0 ? String(number) : "");
    const row = ` ${index === 0 ? sign : " "} ${piece}`;
    const body = isSame ? row : theme.paint(`${kind}Line`, pad(row, room + 1));
    return theme.paint(isSame ? "dim" : kind, gutter) + body;
  });
}

function markWords(
  line: string,
  parts: readonly WordPart[] = [],
  word: Role,
  theme: Theme,
): string {
  let column = 0;
  const ranges = parts.flatMap(({ text, isChanged }) => {
    const from = column;
    column += Bun.stringWidth(text);
    return isChanged ? [[from, column] as const] : [];
  });
  // On a colored background, the colors of the language are hard to read.
  return restyled(line, ranges, word, theme);
}
