import { stat } from "node:fs/promises";
import { z } from "zod";
import { filePath } from "../inputs.ts";
import { counted } from "../../base/format.ts";
import { countLines } from "../../base/clip.ts";
import { ToolError, type Tool } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { changingTool } from "./change-file.ts";
import type { FileAccess } from "./file-access.ts";
import { readWhole, refuseIfChanged, type WholeFile } from "./judged-file.ts";
import { encodeText } from "./text.ts";
import description from "./write.md" with { type: "text" };

const schema = z.strictObject({ file_path: filePath, content: z.string() });

/** Creates a file or replaces all of its content. */
export const writeFileTool = (files: FileAccess): Tool<z.infer<typeof schema>> =>
  changingTool(files, { name: "Write", description, schema }, async (file, { content }) => {
    const before = await existing(files, file);
    const plain = { encoding: "utf8", bom: false } as const;
    const text = content.replace(/^\uFEFF/, "");
    const mark = text === content ? {} : { bom: true };
    const bytes = encodeText({ ...(before ?? plain), ...mark, text });
    const size = `${counted(countLines(content), "line")}, ${counted(bytes.length, "byte")}`;
    const said = `${before ? "Replaced" : "Created"} ${file.shown} (${size}).`;
    return { before, after: content, bytes, said };
  });

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
