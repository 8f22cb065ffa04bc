import { counted } from "../../protocol/in-words.ts";
import { z } from "zod";
import { judgedPath, type Tool } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { showDiff } from "./diff.ts";
import { hashBytes } from "./fingerprint.ts";
import { filePath, filePathAliases, stampFile, type FileAccess } from "./file-access.ts";
import { replaceFile } from "./replace-file.ts";
import { replaceText, type EditResult } from "./replace-text.ts";
import { encodeText } from "./text.ts";
import { readWhole, refuseIfChanged, type WholeFile } from "./whole-file.ts";

const input = z.strictObject({
  file_path: filePath,
  old_string: z.string().min(1).describe("Exact text to replace, without line numbers."),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});

type Input = z.infer<typeof input>;

/** Replaces text in a file; line endings, byte order mark and mode are preserved. */
export function editFileTool(files: FileAccess): Tool<Input> {
  return {
    name: "Edit",
    description:
      "Replaces old_string with new_string in a file. old_string must match exactly, whitespace " +
      "included, and occur once: add surrounding lines to make it unique, or set replace_all.",
    schema: input,
    aliases: {
      ...filePathAliases,
      old_text: "old_string",
      old_str: "old_string",
      new_text: "new_string",
      new_str: "new_string",
    },
    readOnly: false,
    async intent(edit) {
      const file = await files.workspace.locate(edit.file_path);
      return {
        access: { kind: "write", path: file.path },
        title: `Edit ${file.shown}`,
        detail: async () => {
          const { before, after } = await plan(files, file, edit);
          return showDiff(file.shown, before.text, after.text);
        },
        detailKind: "diff",
      };
    },
    async run(edit, run) {
      const file = files.workspace.at(judgedPath(run));
      const { before, after } = await plan(files, file, edit);
      const bytes = encodeText({ ...before, text: after.text });
      await run.checkpoint(file.path);
      await replaceFile(file, bytes);
      files.onChange?.({ path: file.path, before: before.text, after: after.text });
      const hash = hashBytes(bytes);
      const stamp = { path: file.path, does: "write", hash, bytes: bytes.length } as const;
      const times = counted(after.times, "place");
      const diff = showDiff(file.shown, before.text, after.text);
      const text = `Changed ${file.shown} in ${times}.\n${diff}`;
      return { content: [{ type: "text", text }], stamps: [stampFile(files, stamp)] };
    },
  };
}

async function plan(
  files: FileAccess,
  file: WorkspacePath,
  edit: Input,
): Promise<{ before: WholeFile; after: EditResult }> {
  const before = await readWhole(file);
  refuseIfChanged(file, before.hash, files.seenFiles);
  const after = replaceText(before.text, edit.old_string, edit.new_string, {
    all: edit.replace_all ?? false,
    shown: file.shown,
  });
  return { before, after };
}
