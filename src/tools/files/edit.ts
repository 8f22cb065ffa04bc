import { z } from "zod";
import { filePath } from "../inputs.ts";
import { type Tool, ToolError } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { changingTool } from "./change-file.ts";
import type { FileAccess } from "./file-access.ts";
import { readWhole, refuseIfChanged } from "./judged-file.ts";
import { changeCell, editCells, isNotebook } from "./notebook-edit.ts";
import { type Replacement, nameLines, replaceText } from "./replace-text.ts";
import { encodeText } from "./text.ts";
import description from "./edit.md" with { type: "text" };

const replacement = {
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
};

/** Fields of NotebookEdit: accepted, not offered. */
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
  changingTool(files, { name: "Edit", description, schema }, async (file, edit) => {
    const before = await readWhole(file);
    refuseIfChanged(file, before.hash, files.seenFiles);
    const isCellChange = edit.new_source !== undefined || edit.edit_mode !== undefined;
    const { text, said } = isCellChange
      ? changeCell(before.text, edit)
      : replaceAll(before.text, listReplacements(edit), file);
    const bytes = encodeText({ ...before, text });
    return { before, after: text, bytes, said: `${said(file.shown)}.` };
  });

function listReplacements({
  old_string,
  new_string,
  replace_all,
  edits = [],
}: Edit): Replacement[] {
  if (edits.length > 0) return edits;
  if (old_string === undefined || new_string === undefined)
    throw new ToolError(
      "Edit needs `old_string` and `new_string`, or `edits`. Parameters: file_path, old_string, new_string, replace_all, edits.",
    );
  return [{ old_string, new_string, replace_all }];
}

/** All replacements, or none. Throws `ToolError`. */
function replaceAll(before: string, edits: readonly Replacement[], { path, shown }: WorkspacePath) {
  let text = before;
  const cells: number[] = [];
  const lines: number[] = [];
  for (const [at, edit] of edits.entries()) {
    try {
      const replaced =
        (isNotebook(path) && replaceInCells(text, edit, shown)) || replaceText(text, edit, shown);
      ({ text } = replaced);
      if ("cells" in replaced) cells.push(...replaced.cells);
      else lines.push(...replaced.lines);
    } catch (error) {
      if (!(error instanceof ToolError) || edits.length === 1) throw error;
      throw new ToolError(`Nothing was changed. Change ${at + 1}: ${error.message}`);
    }
  }
  const places = [
    ...(cells.length > 0 ? [`cell ${cells.join(", ")}`] : []),
    ...(lines.length > 0 ? [describeLines(lines)] : []),
  ];
  return { text, said: (name: string) => `Changed ${name} at ${places.join(" and ")}` };
}

/** Null: no cell contains the text, which may then be elsewhere in the JSON. */
const replaceInCells = (text: string, edit: Replacement, shown: string) =>
  editCells(
    text,
    { old: edit.old_string, all: edit.replace_all ?? false, shown },
    (source, cell) => replaceText(source, edit, cell).text,
  );

const maxPlaces = 5;

function describeLines(lines: readonly number[]): string {
  const named = nameLines(lines, maxPlaces);
  return lines.length === 1 ? named : `${lines.length} places (${named})`;
}
