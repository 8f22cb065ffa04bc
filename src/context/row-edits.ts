import type { ToolInput } from "../protocol/block.ts";
import type { EntryId, EntryOf } from "../protocol/entry.ts";
import type { RowDisplay } from "./blocks.ts";
import { Restores, type RowEdit } from "./edits.ts";

/** Replacements of rows' own content, and which of them were undone. */
export class RowEdits {
  readonly restores = new Restores();
  readonly #edits = new Map<number, RowEdit[]>();

  add(row: number, edit: RowEdit): void {
    const edits = this.#edits.get(row) ?? [];
    edits.push(edit);
    this.#edits.set(row, edits);
  }

  has(row: number): boolean {
    return this.#edits.has(row);
  }

  /** The rows that a cut edits. */
  rowsOf({ id }: EntryOf<"cut">): number[] {
    return [...this.#edits]
      .filter(([, edits]) => edits.some(({ cut }) => cut.id === id))
      .map(([row]) => row);
  }

  /** The latest active replacement of the row's content and of each input. */
  displayOf(row: number, entry: EntryId): RowDisplay & { by?: EntryId } {
    const inputs = new Map<string, ToolInput>();
    let text: string | undefined;
    let by: EntryId | undefined;
    for (const { cut, index } of this.#edits.get(row) ?? []) {
      if (!this.restores.isActive(cut, entry)) continue;
      by = cut.id;
      const change = cut.changes[index];
      if (change?.kind === "replace") text = change.text;
      else if (change?.kind === "input") inputs.set(change.toolUse, change.input);
    }
    return {
      ...(text === undefined ? {} : { text }),
      ...(by === undefined ? {} : { by }),
      inputs,
    };
  }
}
