/** Files as they are on disk now: whether they changed since the session saw them, and their text. */

import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact, Entry, FileStamp } from "../../protocol/entry.ts";
import { isOutcome } from "../../protocol/outcome.ts";
import { isMissing, openRegular, type OpenedFile } from "../../base/regular-file.ts";
import { holds } from "../workspace.ts";

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

/** Larger files are not worth putting into a summary. */
const maxSummaryBytes = 2_000_000;

/**
 * A file of the workspace as text; `path` is absolute and without symlinks. Null if it is missing,
 * outside, not a regular file, binary or very large.
 */
export async function workspaceText(workspace: string, path: string): Promise<string | null> {
  if (!holds(await realpath(workspace), path)) return null;
  await using file = await openRegular(path).catch(() => null);
  if (file === null || file.stat.size > maxSummaryBytes) return null;
  const text = await file.handle.readFile("utf8");
  return text.includes("\0") ? null : text;
}

type StaleFile = { path: string; how: "changed" | "gone" };

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

/** Only the files seen last are checked. */
const maxFiles = 200;
const maxNamed = 5;

/** Files that the session read or wrote and that have changed since. */
export function changedFiles(path: readonly Entry[]): Promise<StaleFile[]> {
  const last = new Map<string, FileStamp>();
  for (const stamp of path.flatMap((entry) => (isOutcome(entry) ? (entry.stamps ?? []) : []))) {
    last.delete(stamp.path);
    last.set(stamp.path, stamp);
  }
  return changedSince([...last.values()].slice(-maxFiles));
}

/** One line for the user; none when nothing changed. */
export function changedNotice(changes: readonly StaleFile[], cwd: string): string[] {
  if (changes.length === 0) return [];
  const names = changes.slice(0, maxNamed).map((change) => showChange(change, cwd));
  const more = changes.length > maxNamed ? ` and ${changes.length - maxNamed} more` : "";
  return [`Changed on disk since this session last saw it: ${names.join(", ")}${more}.`];
}

/** For the model, with the next prompt. */
export function changedFact(changes: readonly StaleFile[], cwd: string): ContextFact[] {
  if (changes.length === 0) return [];
  const names = changes.map((change) => `- ${showChange(change, cwd)}`);
  const text = `These files changed since this session last saw them; read them again before you rely on them:\n${names.join("\n")}`;
  return [contextFact("reminder", "changed on disk", text)];
}

const showChange = ({ path, how }: StaleFile, cwd: string): string =>
  `${relative(cwd, path).replace(/[\p{Cc}]/gu, "?")}${how === "gone" ? " (deleted)" : ""}`;
