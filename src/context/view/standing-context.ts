/** Instructions, mode and environment as they stand now. */

import type { EntryOf } from "../../protocol/entry.ts";
import { rangeRows, rowsAfter, type RowRange } from "./rows.ts";

/**
 * The context that still applies: the newest version of each instructions file, of
 * the mode (planning or not) and of the environment.
 */
export function standingContext(range: RowRange): EntryOf<"context">[] {
  const newest = new Map<string, EntryOf<"context">>();
  for (const { entry } of rangeRows(range)) {
    const key = entry.type === "context" ? nameTopic(entry) : null;
    if (entry.type !== "context" || key === null) continue;
    forget(newest, key);
    newest.set(key, entry);
  }
  // A later row on the same topic replaces it.
  for (const { entry } of rangeRows(rowsAfter(range)))
    if (entry.type === "context") forget(newest, nameTopic(entry) ?? "");
  return [...newest.values()];
}

/** A file that is told again holds the notes that were added to it since: "- use tabs (FILE)". */
function forget(topics: Map<string, unknown>, key: string): void {
  topics.delete(key);
  const file = key.slice(key.indexOf(" ") + 1);
  for (const topic of topics.keys()) if (topic.endsWith(` (${file})`)) topics.delete(topic);
}

/** Null: it is only news. */
function nameTopic({ kind, title }: EntryOf<"context">): string | null {
  if (kind === "instructions") return `${kind} ${title}`;
  return kind === "mode" || kind === "environment" ? kind : null;
}
