import { stat } from "node:fs/promises";
import { z } from "zod";
import { countLines } from "../cut-text.ts";
import { ToolError, type Tool } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { showDiff } from "./diff.ts";
import { hashBytes } from "./fingerprint.ts";
import { stampFile, type FileAccess } from "./file-access.ts";
import { replaceFile } from "./replace-file.ts";
import { readWhole, refuseIfChanged, type WholeFile } from "./whole-file.ts";

const input = z.strictObject({
  path: z.string().min(1).describe("File to write, relative to the workspace or absolute."),
  content: z.string().describe("The whole new content."),
});

/** Creates a file or gives it wholly new content. */
export function writeFileTool(room: FileAccess): Tool<z.infer<typeof input>> {
  return {
    name: "write_file",
    description:
      "Creates a file with its folders, or replaces the whole content of one that you have read " +
      "before. For a change inside a file use edit_file.",
    schema: input,
    readOnly: false,
    async intent({ path, content }) {
      const place = await room.workspace.locate(path);
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
    async run({ path, content }, run) {
      const place = await room.workspace.locate(path);
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
