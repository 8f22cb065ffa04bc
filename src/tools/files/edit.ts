import { z } from "zod";
import { filePath } from "../inputs.ts";
import { type Tool, ToolError } from "../tool.ts";
import { changingTool } from "./change-file.ts";
import type { FileAccess } from "./file-access.ts";
import { readWhole, refuseIfChanged } from "./judged-file.ts";
import { findEquivalent, inFormOf, nameLookalikes } from "./lookalikes.ts";
import { changeCell, editCells, isNotebook } from "./notebook-edit.ts";
import { encodeText, findLineEnding, withLineEnding } from "./text.ts";
import { editDistance } from "../../base/edit-distance.ts";
import description from "./edit.md" with { type: "text" };

const replacement = {
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
};

/** Of NotebookEdit: taken, not offered. */
const hidden = <T extends z.ZodType>(type: T) => type.optional().meta({ deprecated: true });

const schema = z.strictObject({
  file_path: filePath,
  old_string: replacement.old_string.optional(),
  new_string: replacement.new_string.optional(),
  replace_all: replacement.replace_all,
  edits: z
    .array(z.strictObject(replacement))
    .optional()
    .describe("Several changes, instead of the three above."),
  cell_id: hidden(z.string()),
  cell_number: hidden(z.number().int()),
  cell_type: hidden(z.enum(["code", "markdown", "raw"])),
  edit_mode: hidden(z.enum(["replace", "insert", "delete"])),
  new_source: hidden(z.string()),
});

type Edit = z.infer<typeof schema>;

/** Replaces text in a file; line endings, byte order mark and mode are preserved. */
export const editFileTool = (files: FileAccess): Tool<Edit> =>
  changingTool(
    files,
    { name: "Edit", description: description.trim(), schema },
    async (file, edit) => {
      const { new_source, edit_mode } = edit;
      const before = await readWhole(file);
      refuseIfChanged(file, before.hash, files.seenFiles);
      let { text } = before;
      if (new_source !== undefined || edit_mode !== undefined) {
        const changed = changeCell(text, edit);
        const bytes = encodeText({ ...before, text: changed.text });
        return { before, after: changed.text, bytes, said: `${changed.said} of ${file.shown}.` };
      }
      const edits = listReplacements(edit);
      const cells: number[] = [];
      const lines: number[] = [];
      for (const [at, { old_string, new_string, replace_all = false }] of edits.entries()) {
        const options = { all: replace_all, shown: file.shown };
        try {
          const inCells = isNotebook(file.path)
            ? editCells(
                text,
                { ...options, old: old_string },
                (source, shown) =>
                  replaceText(source, old_string, new_string, { ...options, shown }).text,
              )
            : null;
          if (inCells) {
            ({ text } = inCells);
            cells.push(...inCells.cells);
            continue;
          }
          const after = replaceText(text, old_string, new_string, options);
          ({ text } = after);
          lines.push(...after.lines);
        } catch (error) {
          if (!(error instanceof ToolError) || edits.length === 1) throw error;
          throw new ToolError(`Nothing was changed. Change ${at + 1}: ${error.message}`);
        }
      }
      const places = lines.length > 0 || cells.length === 0 ? [placesInWords(lines)] : [];
      if (cells.length > 0) places.unshift(`cell ${cells.join(", ")}`);
      const said = `Changed ${file.shown} at ${places.join(" and ")}.`;
      return { before, after: text, bytes: encodeText({ ...before, text }), said };
    },
  );

function listReplacements({ old_string, new_string, replace_all, edits = [] }: Edit) {
  if (edits.length > 0) return edits;
  if (old_string === undefined || new_string === undefined)
    throw new ToolError(
      "Edit needs `old_string` and `new_string`, or `edits`. Parameters: file_path, old_string, new_string, replace_all, edits.",
    );
  return [{ old_string, new_string, replace_all }];
}

const maxPlaces = 5;

function placesInWords(lines: readonly number[]): string {
  const [only = 1] = lines;
  if (lines.length === 1) return `line ${only}`;
  const more = lines.length > maxPlaces ? ", …" : "";
  return `${lines.length} places (lines ${lines.slice(0, maxPlaces).join(", ")}${more})`;
}

/** `lines`: where each change begins, in the text before it. */
type EditResult = { text: string; lines: number[] };

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
      return replaceText(text, own, inFormOf(own, next), { all, shown });
    const why = isNumbered(wanted)
      ? " Remove the line numbers from old_string."
      : (nameLookalikes(text, wanted) ?? nearestLines(text.replaceAll("\r\n", "\n"), wanted));
    throw new ToolError(`${shown} does not contain old_string.${why}`);
  }
  const lines = lineNumbers(text, places);
  if (places.length > 1 && !all) {
    const more = places.length > 10 ? ", ..." : "";
    throw new ToolError(
      `old_string occurs ${places.length} times in ${shown} (lines ${lines.slice(0, 10).join(", ")}${more}). Add ` +
        "surrounding lines to select one, or set replace_all.",
    );
  }
  const ending = findLineEnding(text);
  return {
    text: text.replace(matcher(wanted), (old) => withOwnEndings(inserted, old, ending)),
    lines,
  };
}

/** Lines that stay keep their endings; others get that of the line in their place, or of the file. */
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
      // A line far ahead is another one with the same text.
      if (same !== -1 && before[at]?.text === line && at >= from && at < breaks) same = at;
      if (same !== -1) from = same + 1;
      const place = same !== -1 ? same : shift === 0 ? at : -1;
      return line + (before[place]?.ending ?? ending);
    })
    .join("");
}

/** A much longer text is too large for a regular expression. */
const maxWantedChars = 200_000;

/** A line break may have a carriage return before it; any other carriage return stands for itself. */
const matcher = (wanted: string): RegExp =>
  new RegExp(
    wanted
      .split("\n")
      .map((line) => line.split("\r").map(RegExp.escape).join("\\r(?!\\n)"))
      .join("\\r?\\n"),
    "g",
  );

/** Every line begins with a number, as Read shows them. */
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

const maxComparedLines = 20_000;
const maxShownLines = 12;

/** A sentence with the lines most similar to `wanted`. */
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
