import type { FileStamp } from "../../protocol/entry.ts";
import type { Workspace } from "../workspace.ts";
import type { Ledger } from "./ledger.ts";

/** What the file tools share. */
export type FileRoom = { workspace: Workspace; ledger: Ledger };

/** A stamp for the result, noted in the ledger as well. */
export function stampFile(room: FileRoom, stamp: FileStamp): FileStamp {
  room.ledger.note(stamp);
  return stamp;
}
