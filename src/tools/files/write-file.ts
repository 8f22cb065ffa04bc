import { counted } from "../../protocol/in-words.ts";
import { stat } from "node:fs/promises";
import { z } from "zod";
import { countLines } from "../cut-text.ts";
import { judgedPath, ToolError, type Tool } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { showDiff } from "./diff.ts";
import { hashBytes } from "./fingerprint.ts";
import { filePath, filePathAliases, stampFile, type FileAccess } from "./file-access.ts";
import { replaceFile } from "./replace-file.ts";
import { readWhole, refuseIfChanged, type WholeFile } from "./whole-file.ts";

const input = z.strictObject({
  file_path: filePath,
  content: z.string(),
});

/** Creates a file or replaces all of its content. */
export function writeFileTool(files: FileAccess): Tool<z.infer<typeof input>> {
  return {
    name: "Write",
    description:
      "Creates a file and its folders, or replaces all of a file that you have read. To change part " +
      "of a file, use Edit.",
    schema: input,
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
      await run.checkpoint(file.path);
      await replaceFile(file, bytes);
      files.onChange?.({ path: file.path, before: old?.text ?? null, after: content });
      const hash = hashBytes(bytes);
      const stamp = { path: file.path, does: "write", hash, bytes: bytes.length } as const;
      const done = old ? `Replaced ${file.shown}` : `Created ${file.shown}`;
      const diff = old ? `\n${showDiff(file.shown, old.text, content)}` : "";
      const text = `${done} (${counted(countLines(content), "line")}, ${bytes.length} bytes).${diff}`;
      return { content: [{ type: "text", text }], stamps: [stampFile(files, stamp)] };
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
