import { z } from "zod";
import type { FileStamp } from "../../protocol/entry.ts";
import type { Workspace } from "../workspace.ts";
import type { SeenFiles } from "./seen-files.ts";

/** A file that a tool changed. `before`: null when it was created. */
export type FileChange = { path: string; before: string | null; after: string };

/** What the file tools share. */
export type FileAccess = {
  workspace: Workspace;
  seenFiles: SeenFiles;
  onChange?: ((change: FileChange) => void) | undefined;
};

export const filePath = z.string().min(1).describe("Absolute or relative.");

/** Keys that models use for `file_path` by mistake. */
export const filePathAliases = { path: "file_path", filename: "file_path" };

/** Records what was seen of a file and returns its stamp for the result. */
export function stampFile(files: FileAccess, stamp: FileStamp): FileStamp {
  files.seenFiles.note(stamp);
  return stamp;
}
