/** Replaces text regardless of line endings, which are kept. */

import { editDistance } from "../../base/edit-distance.ts";
import { ToolError } from "../tool.ts";
import { findEquivalent, inFormOf, nameLookalikes } from "./lookalikes.ts";
import { findLineEnding, withLineEnding } from "./text.ts";

export type Replacement = {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
};

/** `lines`: where each change begins, in the text before it. */
type EditResult = { text: string; lines: number[] };

/**
 * Replaces a string in `text`. All line endings match each other; inserted lines get the file's own, and
 * the rest is unchanged. Throws `ToolError` unless it occurs once, or at least once with `replace_all`.
 */
export function replaceText(
  text: string,
  { old_string: old, new_string: next, replace_all: all = false }: Replacement,
  shown: string,
): EditResult {
  const wanted = old.replaceAll("\r\n", "\n");
  const inserted = next.replaceAll("\r\n", "\n");
  if (wanted === "") {
    throw new ToolError("old_string is empty. To create a file or replace all of it, use Write.");
  }
  if (wanted === inserted) throw new ToolError("old_string and new_string are the same.");
  if (wanted.length > maxWantedChars)
    throw new ToolError("old_string is too long; select less, or replace the file with Write.");
  const places = [...text.matchAll(matcher(wanted))].map(({ index }) => index);
  if (places.length === 0) {
    const own = findEquivalent(text, wanted);
    if (own !== null && own !== wanted && text.includes(own))
      return replaceText(
        text,
        { old_string: own, new_string: inFormOf(own, next), replace_all: all },
        shown,
      );
    const why = isNumbered(wanted)
      ? " Remove the line numbers from old_string."
      : (nameLookalikes(text, wanted) ?? nearestLines(text.replaceAll("\r\n", "\n"), wanted));
    throw new ToolError(`${shown} does not contain old_string.${why}`);
  }
  const lines = lineNumbers(text, places);
  if (places.length > 1 && !all) {
    throw new ToolError(
      `old_string occurs ${places.length} times in ${shown} (${nameLines(lines, 10)}). Add surrounding lines to ` +
        "select one, or set replace_all.",
    );
  }
  const ending = findLineEnding(text);
  return {
    text: text.replace(matcher(wanted), (old) => withOwnEndings(inserted, old, ending)),
    lines,
  };
}

/** Unchanged lines keep their endings; new lines take the ending of the line they replace, or of the file. */
function withOwnEndings(inserted: string, old: string, ending: "\n" | "\r\n"): string {
  const before = old.split("\n").map((line) => ({
    text: line.replace(/\r$/, ""),
    ending: line.endsWith("\r") ? "\r\n" : "\n",
  }));
  const after = inserted.split("\n");
  const shift = before.length - after.length;
  const breaks = before.length - 1;
  const isEven = before.slice(0, -1).every((line) => line.ending === before[0]?.ending);
  if (breaks === 0 || isEven)
    return withLineEnding(
      inserted,
      breaks === 0 ? ending : before[0]?.ending === "\n" ? "\n" : "\r\n",
    );
  let from = 0;
  return after
    .map((line, at) => {
      if (at === after.length - 1) return line;
      let same = before.findIndex(
        (own, index) => index >= from && index < breaks && own.text === line,
      );
      // A match far ahead is probably a different line with the same text.
      if (same !== -1 && before[at]?.text === line && at >= from && at < breaks) same = at;
      if (same !== -1) from = same + 1;
      const place = same !== -1 ? same : shift === 0 ? at : -1;
      return line + (before[place]?.ending ?? ending);
    })
    .join("");
}

/** A much longer text is too large for a regular expression. */
const maxWantedChars = 200_000;

/** Matches \n as \r?\n; other carriage returns are literal. */
const matcher = (wanted: string): RegExp =>
  new RegExp(
    wanted
      .split("\n")
      .map((line) => line.split("\r").map(RegExp.escape).join("\\r(?!\\n)"))
      .join("\\r?\\n"),
    "g",
  );

/** Every line starts with a line number, as in Read's output. */
const isNumbered = (text: string): boolean =>
  text.split("\n").every((line) => line.trim() === "" || /^\s*\d+(?:\t|\s*[→⇥│])/.test(line));

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

/** Each line once, up to `most` of them. */
export function nameLines(lines: readonly number[], most: number): string {
  const each = [...new Set(lines)];
  const more = each.length > most ? ", …" : "";
  return `line${each.length === 1 ? "" : "s"} ${each.slice(0, most).join(", ")}${more}`;
}

const maxComparedLines = 20_000;
const maxShownLines = 12;

/** A sentence with the lines most similar to `wanted`. */
function nearestLines(text: string, wanted: string): string {
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
