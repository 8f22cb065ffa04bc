/** The sessions, as Recall searches them. */

import type { ToolInput } from "../../protocol/block.ts";
import type { Progress } from "../../protocol/progress.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";

export type MemoryHit = {
  entry: EntryId;
  at: string;
  source: Entry;
  snippet: string;
  /** Null in the open session. */
  session: string | null;
};

/** `progress` tells how much has been indexed. */
type SearchOptions = { signal?: AbortSignal | undefined; progress?: Progress | undefined };

export interface Memory {
  search(query: string, limit: number, options?: SearchOptions): Promise<MemoryHit[]>;
  searchProject(query: string, limit: number, options?: SearchOptions): Promise<MemoryHit[]>;
  open(
    id: EntryId,
    session: string | null,
  ): Promise<{
    entry: Entry;
    text: { lines: number; read(from: number, to: number): Promise<string[]> };
  } | null>;
  callOf(entry: Entry): { name: string; input: ToolInput } | null;
}
