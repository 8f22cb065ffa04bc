import { ToolError } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { hashBytes } from "./fingerprint.ts";
import type { SeenFiles } from "./seen-files.ts";
import { openFile } from "./open-file.ts";
import { decodeText, type DecodedText } from "./text.ts";

/** Larger files are for a program to change, not for an exchange of words. */
const changedBytesAtMost = 32 * 1024 * 1024;

export type WholeFile = DecodedText & { hash: string };

/** A text file as it is before a change. Throws `ToolError` for what is missing, binary or too large. */
export async function readWhole(place: WorkspacePath): Promise<WholeFile> {
  const { handle, stat } = await openFile(place);
  try {
    if (stat.size > changedBytesAtMost) {
      throw new ToolError(`${place.shown} has ${stat.size} bytes, too large to edit; use Bash.`);
    }
    const bytes = await handle.readFile();
    const decoded = decodeText(bytes);
    if (!decoded)
      throw new ToolError(`${place.shown} is a binary file; it cannot be edited as text.`);
    return { ...decoded, hash: hashBytes(bytes) };
  } finally {
    await handle.close();
  }
}

/** Throws `ToolError` when somebody else changed the file since it was seen here. */
export function refuseIfChanged(place: WorkspacePath, hash: string, ledger: SeenFiles): void {
  const seen = ledger.lastSeen(place.path);
  if (seen === undefined || seen === hash) return;
  throw new ToolError(
    `${place.shown} changed on disk since you last read it. Read it again, then make the change.`,
  );
}
