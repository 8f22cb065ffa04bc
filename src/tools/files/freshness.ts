import type { FileStamp } from "../../protocol/entry.ts";
import { hashBytes, maxHashedBytes, hashOfStat } from "./fingerprint.ts";
import { isMissing, openRegular } from "../../disk/regular-file.ts";

export type FileChange = { path: string; how: "changed" | "gone" };

/** Files that have changed since they were last seen. Of several stamps of a file the last counts. */
export async function changedSince(stamps: readonly FileStamp[]): Promise<FileChange[]> {
  const last = new Map(stamps.map((stamp) => [stamp.path, stamp]));
  const changes = await Promise.all([...last.values()].map(changeOf));
  return changes.filter((change) => change !== null);
}

async function changeOf({ path, hash }: FileStamp): Promise<FileChange | null> {
  // Imported sessions have no hash of the content, so nothing can be said about it.
  if (hash === "") return null;
  try {
    await using file = await openRegular(path);
    const isSmall = file.stat.size <= maxHashedBytes;
    const now = isSmall ? hashBytes(await file.handle.readFile()) : hashOfStat(file.stat);
    return now === hash ? null : { path, how: "changed" };
  } catch (error) {
    return { path, how: isMissing(error) ? "gone" : "changed" };
  }
}
