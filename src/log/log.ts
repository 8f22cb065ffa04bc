/** The session log as other rooms see it. */

import type { Entry, EntryId, Fact } from "../protocol/entry.ts";

export interface SessionLog {
  readonly session: string;
  /** The JSONL file. */
  readonly file: string;
  /** Entries from the root to the head. Grows on append; a new array when the head moves. */
  readonly path: readonly Entry[];
  /** Entries of all branches, in the order written. */
  readonly entries: readonly Entry[];
  readonly head: EntryId | null;
  /** Finds an entry on any branch. */
  get(id: EntryId): Entry | undefined;
  /**
   * Appends a fact as a child of the head, or of `parent`, and makes it the head. Ids are assigned
   * in call order; the promise resolves when the entry is durable. Throws `LogError` when it cannot
   * be written; nothing of it is kept then.
   */
  append(fact: Fact, options?: { parent: EntryId | null }): Promise<Entry>;
  close(): Promise<void>;
}
