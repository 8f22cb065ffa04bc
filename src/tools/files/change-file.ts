/** Replaces a file for Edit and Write, and shows what that changes. */

import type { FileStamp } from "../../protocol/entry.ts";
import { keepEnds } from "../../base/clip.ts";
import type { ToolRun } from "../tool.ts";
import type { WorkspacePath } from "../workspace.ts";
import { hashBytes } from "./changed-files.ts";
import { stampFile, type FileAccess } from "./file-access.ts";
import { replaceFile, type WholeFile } from "./judged-file.ts";

/** `before`: null when the file is created. Throws `ToolError`. */
export async function changeFile(
  files: FileAccess,
  file: WorkspacePath,
  run: ToolRun,
  { before, after, bytes }: { before: WholeFile | null; after: string; bytes: Uint8Array },
): Promise<FileStamp> {
  await run.checkpoint(file.path);
  await replaceFile(file, bytes);
  files.onChange?.({ path: file.path, before: before?.text ?? null, after });
  const hash = hashBytes(bytes);
  return stampFile(files, { path: file.path, does: "write", hash, bytes: bytes.length });
}

/** Only loaded for the first change. */
const jsdiff = (): typeof import("diff") => require("diff");

const maxDiffedChars = 2_000_000;

/** A readable unified diff, or a sentence if the change is too large for one. */
export function showDiff(shown: string, before: string, after: string): string {
  if (before === after) return "(no change)";
  if (before.length + after.length > maxDiffedChars) {
    return `${shown}: from ${before.length} to ${after.length} characters; too large for a diff.`;
  }
  const from = before === "" ? "/dev/null" : `a/${shown}`;
  const { createTwoFilesPatch } = jsdiff();
  const names = [from, `b/${shown}`] as const;
  const options = { context: 3, timeout: 2_000 };
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, options);
  if (patch === undefined) return `${shown}: changed almost everywhere; too large for a diff.`;
  return keepEnds(patch.replace(/^=+\n/, ""), 20_000);
}
