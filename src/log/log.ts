/** What the rest of the product knows of a log. */

import type { Entry, EntryId, Fact } from "../protocol/entry.ts";

export interface SessionLog {
  readonly session: string;
  /** The JSONL file. */
  readonly file: string;
  /** From the root to the head; grows with every append, is replaced when the head moves. */
  readonly path: readonly Entry[];
  readonly head: EntryId | null;
  /** An entry of any branch. */
  get(id: EntryId): Entry | undefined;
  /**
   * Appends a fact as a child of the head, or of `parent`, and makes it the head. The id is given
   * at once, in call order; the promise resolves when the entry is durable on disk.
   * Throws `LogError` when it cannot be written; nothing after it is acknowledged then.
   */
  append(fact: Fact, options?: { parent: EntryId | null }): Promise<Entry>;
  close(): Promise<void>;
}
