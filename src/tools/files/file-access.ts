import { z } from "zod";
import type { FileStamp } from "../../protocol/entry.ts";
import type { Workspace } from "../workspace.ts";
import type { SeenFiles } from "./seen-files.ts";

/** What the file tools share. */
export type FileAccess = { workspace: Workspace; ledger: SeenFiles };

export const filePath = z.string().min(1).describe("Absolute, or relative to the workspace.");

/** Keys that models use for `file_path` by mistake. */
export const filePathAliases = { path: "file_path", filename: "file_path" };

/** A stamp for the result, noted in the ledger as well. */
export function stampFile(room: FileAccess, stamp: FileStamp): FileStamp {
  room.ledger.note(stamp);
  return stamp;
}
