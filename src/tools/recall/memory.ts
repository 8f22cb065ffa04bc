/** What the recall tool looks into; whoever keeps the sessions gives it. */

import type { ToolInput } from "../../protocol/block.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";

export type Found = {
  entry: EntryId;
  at: string;
  source: Entry;
  snippet: string;
  /** Of another session than the open one. */
  session: string | null;
};

export interface Memory {
  search(query: string, limit: number, signal?: AbortSignal): Promise<Found[]>;
  searchProject(query: string, limit: number, signal?: AbortSignal): Promise<Found[]>;
  open(
    id: EntryId,
    session: string | null,
  ): Promise<{
    entry: Entry;
    text: { lines: number; read(from: number, to: number): Promise<string[]> };
  } | null>;
  callOf(entry: Entry): { name: string; input: ToolInput } | null;
}
