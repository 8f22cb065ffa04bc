import { z } from "zod";
import { ToolError, type Tool } from "../tool.ts";
import { changingTool } from "./change-file.ts";
import description from "./edit.md" with { type: "text" };
import { filePath, type FileAccess } from "./file-access.ts";
import { readWhole, refuseIfChanged } from "./judged-file.ts";
import { replaceText } from "./replace-text.ts";
import { encodeText } from "./text.ts";

const replacement = {
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
};

const schema = z.strictObject({
  file_path: filePath,
  old_string: replacement.old_string.optional(),
  new_string: replacement.new_string.optional(),
  replace_all: replacement.replace_all,
  edits: z
    .array(z.strictObject(replacement))
    .optional()
    .describe("Several changes, instead of the three above."),
});

type Edit = z.infer<typeof schema>;

/** Replaces text in a file; line endings, byte order mark and mode are preserved. */
export const editFileTool = (files: FileAccess): Tool<Edit> =>
  changingTool(
    files,
    { name: "Edit", description: description.trim(), schema },
    async (file, edit) => {
      const edits = listReplacements(edit);
      const before = await readWhole(file);
      refuseIfChanged(file, before.hash, files.seenFiles);
      let { text } = before;
      const lines: number[] = [];
      for (const [at, { old_string, new_string, replace_all = false }] of edits.entries()) {
        const options = { all: replace_all, shown: file.shown };
        try {
          const after = replaceText(text, old_string, new_string, options);
          ({ text } = after);
          lines.push(...after.lines);
        } catch (error) {
          if (!(error instanceof ToolError) || edits.length === 1) throw error;
          throw new ToolError(`Nothing was changed. Change ${at + 1}: ${error.message}`);
        }
      }
      const said = `Changed ${file.shown} at ${placesInWords(lines)}.`;
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
