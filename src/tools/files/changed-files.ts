/** Whether files changed since the session saw them. */

import type { FileStamp } from "../../protocol/entry.ts";
import { isMissing, openRegular, type OpenedFile } from "../../base/regular-file.ts";

/** Larger files are known by size and time of change: hashing would take seconds. */
const maxHashedBytes = 64 * 1024 * 1024;

/** SHA-256 in hex. */
export const hashBytes = (bytes: Uint8Array): string =>
  Bun.CryptoHasher.hash("sha256", bytes, "hex");

/** Identifies an open file, and returns its content; null: it is too large to be read at once. */
export async function fingerprint({
  handle,
  stat,
}: OpenedFile): Promise<{ hash: string; bytes: Buffer | null }> {
  if (stat.size > maxHashedBytes) return { hash: `stat:${stat.size}:${stat.mtimeNs}`, bytes: null };
  const bytes = await handle.readFile();
  return { hash: hashBytes(bytes), bytes };
}

export type StaleFile = { path: string; how: "changed" | "gone" };

/** Files that have changed since they were last seen. Of several stamps of a file the last counts. */
export async function changedSince(stamps: readonly FileStamp[]): Promise<StaleFile[]> {
  const last = new Map(stamps.map((stamp) => [stamp.path, stamp]));
  const changes = await Promise.all([...last.values()].map(findChange));
  return changes.filter((change) => change !== null);
}

async function findChange({ path, hash }: FileStamp): Promise<StaleFile | null> {
  // Imported sessions have no hash of the content, so nothing can be said about it.
  if (hash === "") return null;
  try {
    await using file = await openRegular(path);
    return (await fingerprint(file)).hash === hash ? null : { path, how: "changed" };
  } catch (error) {
    return { path, how: isMissing(error) ? "gone" : "changed" };
  }
}
