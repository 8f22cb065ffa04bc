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
  content: z.string().describe("The complete new content."),
});

/** Creates a file or gives it wholly new content. */
export function writeFileTool(room: FileAccess): Tool<z.infer<typeof input>> {
  return {
    name: "Write",
    description:
      "Creates a file and its folders, or replaces all of a file that you have read. To change part " +
      "of a file, use Edit.",
    schema: input,
    aliases: filePathAliases,
    readOnly: false,
    async intent({ file_path, content }) {
      const place = await room.workspace.locate(file_path);
      return {
        access: { kind: "write", path: place.path },
        title: `Write ${place.shown}`,
        detail: async () => {
          const old = await existing(room, place);
          return showDiff(place.shown, old?.text ?? "", content);
        },
        detailKind: "diff",
      };
    },
    async run({ content }, run) {
      const place = room.workspace.at(judgedPath(run));
      const old = await existing(room, place);
      const bytes = Buffer.from(content, "utf8");
      await run.checkpoint(place.path);
      await replaceFile(place, bytes);
      const hash = hashBytes(bytes);
      const stamp = { path: place.path, does: "write", hash, bytes: bytes.length } as const;
      const done = old ? `Replaced ${place.shown}` : `Created ${place.shown}`;
      const diff = old ? `\n${showDiff(place.shown, old.text, content)}` : "";
      const text = `${done} (${countLines(content)} lines, ${bytes.length} bytes).${diff}`;
      return { content: [{ type: "text", text }], stamps: [stampFile(room, stamp)] };
    },
  };
}

/** The file that would be replaced; null when there is none. Throws unless it was read before. */
async function existing(room: FileAccess, place: WorkspacePath): Promise<WholeFile | null> {
  const there = await stat(place.path).catch(() => null);
  if (!there) return null;
  if (there.isFile() && room.ledger.lastSeen(place.path) === undefined) {
    throw new ToolError(
      `${place.shown} exists and was not read in this session. Read it first, then write it.`,
    );
  }
  const old = await readWhole(place);
  refuseIfChanged(place, old.hash, room.ledger);
  return old;
}
