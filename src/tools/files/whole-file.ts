import { ToolError } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { hashBytes } from "./fingerprint.ts";
import type { SeenFiles } from "./seen-files.ts";
import { openFile } from "./open-file.ts";
import { decodeText, type DecodedText } from "./text.ts";

/** Larger files are better changed by a program. */
const maxChangedBytes = 32 * 1024 * 1024;

export type WholeFile = DecodedText & { hash: string };

/** A text file before a change. Throws `ToolError` if it is missing, binary or too large. */
export async function readWhole(target: WorkspacePath): Promise<WholeFile> {
  await using file = await openFile(target);
  const { size } = file.stat;
  if (size > maxChangedBytes)
    throw new ToolError(`${target.shown} has ${size} bytes, too large to edit; use Bash.`);
  const bytes = await file.handle.readFile();
  const decoded = decodeText(bytes);
  if (!decoded)
    throw new ToolError(`${target.shown} is a binary file; it cannot be edited as text.`);
  return { ...decoded, hash: hashBytes(bytes) };
}

/** Throws `ToolError` if the file changed since this session last saw it. */
export function refuseIfChanged(target: WorkspacePath, hash: string, seenFiles: SeenFiles): void {
  const seen = seenFiles.lastSeen(target.path);
  if (seen === undefined || seen === hash) return;
  throw new ToolError(
    `${target.shown} changed on disk since you last read it. Read it again, then make the change.`,
  );
}
