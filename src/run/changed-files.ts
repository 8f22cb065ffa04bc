/** Files of the workspace as they are now: whether they changed since the session saw them, and their text. */

import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { openRegular } from "../base/regular-file.ts";
import { contextFact } from "../protocol/context-fact.ts";
import type { ContextFact, Entry, FileStamp } from "../protocol/entry.ts";
import { isOutcome } from "../protocol/outcome.ts";
import { changedSince, type StaleFile } from "../tools/files/changed-files.ts";
import { holds } from "../tools/workspace.ts";

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
