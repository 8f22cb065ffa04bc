import { relative } from "node:path";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact, Entry, FileStamp } from "../../protocol/entry.ts";
import { changedSince, type FileChange } from "./freshness.ts";

/** Only the most recently seen files are checked, because a long log has to be read to find them. */
const maxFiles = 200;
const maxResults = 1_000;
const maxNamed = 5;

/** Files that the session read or wrote and that have changed since. */
export function changedFiles(path: readonly Entry[]): Promise<FileChange[]> {
  const last = new Map<string, FileStamp>();
  let results = 0;
  for (let at = path.length - 1; at >= 0 && results < maxResults; at--) {
    const entry = path[at];
    if (entry?.type !== "result") continue;
    results++;
    for (const stamp of entry.stamps?.toReversed() ?? [])
      if (!last.has(stamp.path) && last.size < maxFiles) last.set(stamp.path, stamp);
  }
  return changedSince([...last.values()].reverse());
}

/** One line for the user; none when nothing changed. */
export function changedNotice(changes: readonly FileChange[], cwd: string): string[] {
  if (changes.length === 0) return [];
  const names = changes.slice(0, maxNamed).map((change) => nameOf(change, cwd));
  const more = changes.length > maxNamed ? ` and ${changes.length - maxNamed} more` : "";
  return [`Changed on disk since this session last saw it: ${names.join(", ")}${more}.`];
}

/** For the model, with the next prompt. */
export function changedFact(changes: readonly FileChange[], cwd: string): ContextFact[] {
  if (changes.length === 0) return [];
  const names = changes.map((change) => `- ${nameOf(change, cwd)}`);
  const text = `These files changed since this session last saw them; read them again before you rely on them:\n${names.join("\n")}`;
  return [contextFact("reminder", "changed on disk", text)];
}

const nameOf = ({ path, how }: FileChange, cwd: string): string =>
  `${relative(cwd, path).replace(/[\p{Cc}]/gu, "?")}${how === "gone" ? " (deleted)" : ""}`;
