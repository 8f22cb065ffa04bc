import type { ToolInput } from "../protocol/block.ts";
import { Column } from "../protocol/column.ts";
import type { EntryId, EntryOf } from "../protocol/entry.ts";
import type { RowDisplay } from "./blocks.ts";
import { Restores } from "./edits.ts";

/**
 * Replacements of rows' own content, and which of them were undone. Columns, not objects: in a long
 * session most rows are edited.
 */
export class RowEdits {
  readonly restores = new Restores();
  /** All cuts that made an edit, oldest first. */
  readonly #cuts: EntryOf<"cut">[] = [];
  /** By row: its latest edit, from 1; 0: it has none. */
  readonly #latest = new Column(Uint32Array);
  #count = 0;
  /** By edit, from 1: the row; its edit before this one, or 0; the place of its cut, and of the change in the cut. */
  readonly #rows = new Column(Uint32Array);
  readonly #before = new Column(Uint32Array);
  readonly #byCut = new Column(Uint32Array);
  readonly #change = new Column(Uint32Array);

  /** `index`: of the change in the cut. */
  add(row: number, cut: EntryOf<"cut">, index: number): void {
    if (this.#cuts.at(-1) !== cut) this.#cuts.push(cut);
    const edit = ++this.#count;
    this.#rows.set(edit, row);
    this.#before.set(edit, this.#latest.get(row));
    this.#byCut.set(edit, this.#cuts.length - 1);
    this.#change.set(edit, index);
    this.#latest.set(row, edit);
  }

  has(row: number): boolean {
    return this.#latest.get(row) !== 0;
  }

  /** The rows that a cut edits. */
  rowsOf({ id }: EntryOf<"cut">): number[] {
    const places = new Set(this.#cuts.flatMap((cut, place) => (cut.id === id ? [place] : [])));
    const rows = new Set<number>();
    for (let edit = 1; edit <= this.#count; edit++)
      if (places.has(this.#byCut.get(edit))) rows.add(this.#rows.get(edit));
    return [...rows];
  }

  /** The latest active replacement of the row's content and of each input. */
  displayOf(row: number, entry: EntryId): RowDisplay & { by?: EntryId | undefined } {
    const inputs = new Map<string, ToolInput>();
    let text: string | undefined;
    let by: EntryId | undefined;
    for (let edit = this.#latest.get(row); edit !== 0; edit = this.#before.get(edit)) {
      const cut = this.#cuts[this.#byCut.get(edit)];
      if (!cut || !this.restores.isActive(cut, entry)) continue;
      by ??= cut.id;
      const change = cut.changes[this.#change.get(edit)];
      if (change?.kind === "replace") text ??= change.text;
      else if (change?.kind === "input" && !inputs.has(change.toolUse))
        inputs.set(change.toolUse, change.input);
    }
    return { text, by, inputs };
  }
}
