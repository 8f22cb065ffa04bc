/** The tools that change files: Edit replaces text in one, Write all of it. */

import { stat } from "node:fs/promises";
import { z } from "zod";
import type { FileStamp } from "../../protocol/entry.ts";
import { counted } from "../../base/in-words.ts";
import { countLines } from "../cut-text.ts";
import { judgedPath, textOutput, ToolError, type Tool, type ToolRun } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { hashBytes } from "./changed-files.ts";
import { showDiff } from "./diff.ts";
import { filePath, filePathAliases, stampFile, type FileAccess } from "./file-access.ts";
import { readWhole, refuseIfChanged, replaceFile, type WholeFile } from "./judged-file.ts";
import { replaceText, type EditResult } from "./replace-text.ts";
import { encodeText } from "./text.ts";

const editInput = z.strictObject({
  file_path: filePath,
  old_string: z.string().min(1).describe("Exact text to replace, without line numbers."),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});

type Edit = z.infer<typeof editInput>;

/** Replaces text in a file; line endings, byte order mark and mode are preserved. */
export function editFileTool(files: FileAccess): Tool<Edit> {
  return {
    name: "Edit",
    description:
      "Replaces old_string with new_string in a file. old_string must match exactly, whitespace " +
      "included, and occur once: add surrounding lines to make it unique, or set replace_all.",
    schema: editInput,
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
      const stamp = await change(files, file, run, { before, after: after.text, bytes });
      const diff = showDiff(file.shown, before.text, after.text);
      const text = `Changed ${file.shown} in ${counted(after.times, "place")}.\n${diff}`;
      return { ...textOutput(text), stamps: [stamp] };
    },
  };
}

async function plan(
  files: FileAccess,
  file: WorkspacePath,
  edit: Edit,
): Promise<{ before: WholeFile; after: EditResult }> {
  const before = await readWhole(file);
  refuseIfChanged(file, before.hash, files.seenFiles);
  const after = replaceText(before.text, edit.old_string, edit.new_string, {
    all: edit.replace_all ?? false,
    shown: file.shown,
  });
  return { before, after };
}

const writeInput = z.strictObject({
  file_path: filePath,
  content: z.string(),
});

/** Creates a file or replaces all of its content. */
export function writeFileTool(files: FileAccess): Tool<z.infer<typeof writeInput>> {
  return {
    name: "Write",
    description:
      "Creates a file and its folders, or replaces all of a file that you have read. To change part " +
      "of a file, use Edit.",
    schema: writeInput,
    aliases: filePathAliases,
    readOnly: false,
    async intent({ file_path, content }) {
      const file = await files.workspace.locate(file_path);
      return {
        access: { kind: "write", path: file.path },
        title: `Write ${file.shown}`,
        detail: async () => {
          const old = await existing(files, file);
          return showDiff(file.shown, old?.text ?? "", content);
        },
        detailKind: "diff",
      };
    },
    async run({ content }, run) {
      const file = files.workspace.at(judgedPath(run));
      const old = await existing(files, file);
      const bytes = Buffer.from(content, "utf8");
      const stamp = await change(files, file, run, { before: old, after: content, bytes });
      const size = `${counted(countLines(content), "line")}, ${bytes.length} bytes`;
      const diff = old ? `\n${showDiff(file.shown, old.text, content)}` : "";
      const text = `${old ? "Replaced" : "Created"} ${file.shown} (${size}).${diff}`;
      return { ...textOutput(text), stamps: [stamp] };
    },
  };
}

/** The file that would be replaced; null if there is none. Throws unless it was read before. */
async function existing(files: FileAccess, file: WorkspacePath): Promise<WholeFile | null> {
  const there = await stat(file.path).catch(() => null);
  if (!there) return null;
  if (there.isFile() && files.seenFiles.lastSeen(file.path) === undefined) {
    throw new ToolError(
      `${file.shown} exists and was not read in this session. Read it first, then write it.`,
    );
  }
  const old = await readWhole(file);
  refuseIfChanged(file, old.hash, files.seenFiles);
  return old;
}

/** `before`: null when the file is created. */
async function change(
  files: FileAccess,
  file: WorkspacePath,
  run: ToolRun,
  { before, after, bytes }: { before: WholeFile | null; after: string; bytes: Uint8Array },
): Promise<FileStamp> {
  await run.checkpoint(file.path);
  await replaceFile(file, bytes);
  files.onChange?.({ path: file.path, before: before?.text ?? null, after });
  const hash = hashBytes(bytes);
  return stampFile(files, { path: file.path, does: "write", hash, bytes: bytes.length });
}
