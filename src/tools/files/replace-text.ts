import { editDistance } from "../../base/edit-distance.ts";
import { ToolError } from "../tool.ts";
import { findLineEnding, withLineEnding } from "./text.ts";

/** `lines`: where each change begins, in the text before it. */
export type EditResult = { text: string; lines: number[] };

/**
 * Replaces `old` in `text`. All line endings match each other; inserted lines get the file's own, and
 * the rest is unchanged. Throws `ToolError` unless `old` occurs once, or at least once with `all`.
 */
export function replaceText(
  text: string,
  old: string,
  next: string,
  { all, shown }: { all: boolean; shown: string },
): EditResult {
  const plain = text.replaceAll("\r\n", "\n");
  const wanted = old.replaceAll("\r\n", "\n");
  const inserted = next.replaceAll("\r\n", "\n");
  if (wanted === "") {
    throw new ToolError("old_string is empty. To create a file or replace all of it, use Write.");
  }
  if (wanted === inserted) throw new ToolError("old_string and new_string are the same.");
  const found = occurrences(plain, wanted);
  if (found.length === 0) {
    const why = isNumbered(wanted)
      ? " Remove the line numbers from old_string."
      : nearestLines(plain, wanted);
    throw new ToolError(`${shown} does not contain old_string.${why}`);
  }
  if (found.length > 1 && !all) {
    const lines = lineNumbers(plain, found.slice(0, 10));
    const more = found.length > 10 ? ", ..." : "";
    throw new ToolError(
      `old_string occurs ${found.length} times in ${shown} (lines ${lines.join(", ")}${more}). Add ` +
        "surrounding lines to select one, or set replace_all.",
    );
  }
  const raw = rawOffsets(
    text,
    found.flatMap((at) => [at, at + wanted.length]),
  );
  const ending = findLineEnding(text);
  const insertion = withLineEnding(inserted, ending);
  let result = "";
  let from = 0;
  for (let index = 0; index < raw.length; index += 2) {
    result += text.slice(from, raw[index] ?? 0) + insertion;
    from = raw[index + 1] ?? 0;
  }
  return { text: result + text.slice(from), lines: lineNumbers(plain, found) };
}

/** Every line begins with a number, as Read shows them. */
const isNumbered = (text: string): boolean =>
  text.split("\n").every((line) => line.trim() === "" || /^\s*\d+\t/.test(line));

/** The numbers of the lines at these positions, which ascend. */
function lineNumbers(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return positions.map((at) => {
    for (
      let end = text.indexOf("\n", from);
      end !== -1 && end < at;
      end = text.indexOf("\n", from)
    ) {
      line += 1;
      from = end + 1;
    }
    return line;
  });
}

function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    found.push(at);
  }
  return found;
}

/** Positions in a text without carriage returns, ascending, as positions in the text itself. */
function rawOffsets(text: string, offsets: readonly number[]): number[] {
  let removed = 0;
  let next = text.indexOf("\r\n");
  return offsets.map((offset) => {
    while (next !== -1 && next - removed < offset) {
      removed += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return offset + removed;
  });
}

const maxComparedLines = 20_000;
const maxShownLines = 12;

/** A sentence on where the text comes closest to what was wanted, with those lines. */
export function nearestLines(text: string, wanted: string): string {
  const lines = text.split("\n");
  const wantedLines = wanted.split("\n").filter((line) => line.trim() !== "");
  const first = wantedLines[0]?.trim();
  if (first === undefined || lines.length > maxComparedLines) return "";
  const at = bestStart(lines, first);
  if (at === null) return " No line is similar; read the file again.";
  const count = Math.min(wanted.split("\n").length, maxShownLines);
  const shown = lines.slice(at, at + count).join("\n");
  const onlyWhitespace = shown.replace(/\s+/g, "") === wanted.replace(/\s+/g, "");
  const why = onlyWhitespace ? " It differs only in whitespace." : "";
  return `${why} The closest text is at line ${at + 1}:\n${shown}`;
}

function bestStart(lines: readonly string[], first: string): number | null {
  let best: { at: number; distance: number } | null = null;
  for (const [at, line] of lines.entries()) {
    const other = line.trim();
    if (other === "") continue;
    const limit = Math.min(first.length * 0.4, best ? best.distance - 1 : Infinity);
    const distance = other === first ? 0 : editDistance(other, first, limit);
    if (distance === 0) return at;
    if (distance !== null) best = { at, distance };
  }
  return best?.at ?? null;
}
