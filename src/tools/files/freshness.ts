import { stat } from "node:fs/promises";
import type { FileStamp } from "../../protocol/entry.ts";
import { hashBytes, hashedBytesAtMost, hashOfStat } from "./fingerprint.ts";

export type Change = { path: string; how: "changed" | "gone" };

/** Files that are no longer as they were last seen; the later of two stamps of a file counts. */
export async function changedSince(stamps: readonly FileStamp[]): Promise<Change[]> {
  const last = new Map(stamps.map((stamp) => [stamp.path, stamp]));
  const changes = await Promise.all([...last.values()].map(changeOf));
  return changes.filter((change) => change !== null);
}

async function changeOf({ path, hash }: FileStamp): Promise<Change | null> {
  // Another agent's session did not note what was in the file: nothing can be said of it.
  if (hash === "") return null;
  try {
    const found = await stat(path, { bigint: true });
    const now =
      found.size <= hashedBytesAtMost ? hashBytes(await Bun.file(path).bytes()) : hashOfStat(found);
    return now === hash ? null : { path, how: "changed" };
  } catch {
    return { path, how: "gone" };
  }
}
