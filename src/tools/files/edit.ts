import { z } from "zod";
import { judgedPath, textOutput, ToolError, type Tool } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { changeFile, showDiff } from "./change-file.ts";
import description from "./edit.md" with { type: "text" };
import { filePath, type FileAccess } from "./file-access.ts";
import { readWhole, refuseIfChanged, type WholeFile } from "./judged-file.ts";
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
export function editFileTool(files: FileAccess): Tool<Edit> {
  return {
    name: "Edit",
    description: description.trim(),
    schema,
    readOnly: false,
    async intent(edit) {
      const file = await files.workspace.locate(edit.file_path);
      return {
        access: { kind: "write", path: file.path },
        title: `Edit ${file.shown}`,
        detail: async () => {
          const { before, text } = await plan(files, file, edit);
          return showDiff(file.shown, before.text, text);
        },
        detailKind: "diff",
      };
    },
    async run(edit, run) {
      const file = files.workspace.at(judgedPath(run));
      const { before, text, lines } = await plan(files, file, edit);
      const bytes = encodeText({ ...before, text });
      const stamp = await changeFile(files, file, run, { before, after: text, bytes });
      return {
        ...textOutput(`Changed ${file.shown} at ${placesInWords(lines)}.`),
        diff: showDiff(file.shown, before.text, text),
        stamps: [stamp],
      };
    },
  };
}

type Planned = { before: WholeFile; text: string; lines: readonly number[] };

async function plan(files: FileAccess, file: WorkspacePath, edit: Edit): Promise<Planned> {
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
  return { before, text, lines };
}

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
