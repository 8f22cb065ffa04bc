import type { FileStamp } from "../../protocol/entry.ts";
import type { Workspace } from "../workspace.ts";
import type { SeenFiles } from "./seen-files.ts";

/** What the file tools share. */
export type FileAccess = { workspace: Workspace; ledger: SeenFiles };

/** A stamp for the result, noted in the ledger as well. */
export function stampFile(room: FileAccess, stamp: FileStamp): FileStamp {
  room.ledger.note(stamp);
  return stamp;
}
