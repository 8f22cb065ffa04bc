/** The rows and what bears on each of them: every entry of the path, and how it is shown now. */

import type { ToolInput } from "../protocol/block.ts";
import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { blocksOf, type Piece, type Showing } from "./blocks.ts";
import { rejectCut, Restores, type Bearing, type Path } from "./edits.ts";
import type { Kind, Row } from "./types.ts";
import { charsOf, noWeight, shift, weigh, type Weight } from "./weigh.ts";

export class Ledger implements Path {
  readonly rows: Row[] = [];
  readonly total = noWeight();
  readonly cuts: EntryOf<"cut">[] = [];
  readonly rejected: { cut: EntryId; reason: string }[] = [];
  /** Answers before this row show no thinking. */
  thinkingFrom = 0;
  readonly #index = new Map<EntryId, number>();
  readonly #bearings = new Map<number, Bearing[]>();
  readonly #restores = new Restores();
  readonly #pins = new Set<EntryId>();
  readonly #calls = new Map<string, number>();
  readonly #results = new Map<string, number>();

  indexOf = (id: EntryId): number | undefined => this.#index.get(id);
  typeAt = (index: number): string | undefined => this.rows[index]?.entry.type;
  callRow = (toolUse: string): number | undefined => this.#calls.get(toolUse);
  resultRow = (toolUse: string): number | undefined => this.#results.get(toolUse);
  answeredIn = (index: number): string | undefined => {
    const entry = this.rows[index]?.entry;
    return entry?.type === "result" ? entry.toolUse : undefined;
  };
  callsIn = (index: number): readonly string[] => {
    const entry = this.rows[index]?.entry;
    if (entry?.type !== "assistant" || entry.stop === "failed") return [];
    return entry.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  };
  covers = (): readonly { from: number; to: number }[] =>
    this.cuts.flatMap((cut) =>
      cut.changes.flatMap((change) => {
        if (change.kind !== "cover") return [];
        const from = this.#index.get(change.span.from);
        const to = this.#index.get(change.span.to);
        return from === undefined || to === undefined ? [] : [{ from, to }];
      }),
    );

  add(entry: Entry): void {
    const index = this.rows.length;
    this.#index.set(entry.id, index);
    if (entry.type === "result") this.#results.set(entry.toolUse, index);
    this.rows.push(emptyRow(entry));
    for (const call of this.callsIn(index)) this.#calls.set(call, index);
    this.#refresh(index);
  }

  /** Applies a cut; gives the first row it changes, or null when it is rejected. */
  cut(cut: EntryOf<"cut">): number | null {
    const reason = rejectCut(cut, this);
    if (reason !== null) {
      this.rejected.push({ cut: cut.id, reason });
      return null;
    }
    this.cuts.push(cut);
    const touched: number[] = [];
    for (const change of cut.changes) {
      const [from, to] =
        change.kind === "cover"
          ? [this.#index.get(change.span.from), this.#index.get(change.span.to)]
          : [this.#index.get(change.entry), this.#index.get(change.entry)];
      if (from === undefined || to === undefined) continue;
      for (let row = from; row <= to; row++) {
        const bearings = this.#bearings.get(row) ?? [];
        bearings.push({ cut, change, leads: row === from });
        this.#bearings.set(row, bearings);
        touched.push(row);
      }
    }
    return this.#refreshAll(touched);
  }

  /** Takes a cut back, whole or for one entry; gives the first row that changes. */
  restore(restore: EntryOf<"restore">): number | null {
    const cut = this.cuts.find((one) => one.id === restore.cut);
    if (!cut) return null;
    this.#restores.add(restore);
    if (this.#restores.isWhole(cut.id)) this.cuts.splice(this.cuts.indexOf(cut), 1);
    const touched = [...this.#bearings]
      .filter(([, bearings]) => bearings.some((bearing) => bearing.cut.id === cut.id))
      .map(([row]) => row);
    return this.#refreshAll(touched);
  }

  pin(entry: EntryId, on: boolean): void {
    if (on) this.#pins.add(entry);
    else this.#pins.delete(entry);
    const index = this.#index.get(entry);
    if (index !== undefined) this.#refresh(index);
  }

  /** From now on, answers before `row` show no thinking. Gives the first row that this changes. */
  stripThinking(row: number): number | null {
    const touched: number[] = [];
    for (let index = this.thinkingFrom; index < row; index++) {
      if ((this.rows[index]?.weight.thinking ?? 0) > 0) touched.push(index);
    }
    this.thinkingFrom = Math.max(this.thinkingFrom, row);
    return this.#refreshAll(touched);
  }

  /** What a row puts into the request now. */
  pieceOf(index: number): Piece | null {
    const row = this.rows[index];
    if (!row) return null;
    const cover = this.#coverOf(index, row.entry.id);
    if (!cover) return blocksOf(row.entry, this.#showingOf(index, row.entry.id));
    if (!cover.leads || cover.change.kind !== "cover") return null;
    const { block, text } = cover.change;
    return block
      ? { role: "assistant", blocks: [block] }
      : { role: "user", blocks: [{ type: "text", text }] };
  }

  #refreshAll(touched: readonly number[]): number | null {
    for (const row of touched) this.#refresh(row);
    return touched.length === 0 ? null : touched.reduce((least, row) => Math.min(least, row));
  }

  #refresh(index: number): void {
    const old = this.rows[index];
    if (!old) return;
    const { entry } = old;
    const piece = this.pieceOf(index);
    const cover = this.#coverOf(index, entry.id);
    const showing = this.#showingOf(index, entry.id);
    const whole = blocksOf(entry, {});
    const weight = weighPiece(piece, cover ? "summary" : kindOf(entry));
    const wholeWeight = weighPiece(whole, kindOf(entry));
    const replaced = showing.by !== undefined;
    this.rows[index] = {
      entry,
      shown: whole === null ? "aside" : cover ? "covered" : replaced ? "replaced" : "whole",
      ...(cover ? { by: cover.cut.id } : showing.by === undefined ? {} : { by: showing.by }),
      ...(cover || showing.text === undefined ? {} : { text: showing.text }),
      weight,
      wholeWeight,
      chars: charsOf(weight),
      wholeChars: charsOf(wholeWeight),
      pinned: this.#pins.has(entry.id),
    };
    shift(this.total, old.weight, -1);
    shift(this.total, weight, 1);
  }

  #coverOf(index: number, entry: EntryId): Bearing | undefined {
    return this.#bearings
      .get(index)
      ?.findLast(
        ({ cut, change }) => change.kind === "cover" && this.#restores.stands(cut.id, entry),
      );
  }

  /** The latest standing replacement of a result, and of each input. */
  #showingOf(index: number, entry: EntryId): Showing & { by?: EntryId } {
    const inputs = new Map<string, ToolInput>();
    let text: string | undefined;
    let by: EntryId | undefined;
    for (const { cut, change } of this.#bearings.get(index) ?? []) {
      if (change.kind === "cover" || !this.#restores.stands(cut.id, entry)) continue;
      by = cut.id;
      if (change.kind === "replace") text = change.text;
      else inputs.set(change.toolUse, change.input);
    }
    return {
      ...(text === undefined ? {} : { text }),
      ...(by === undefined ? {} : { by }),
      inputs,
      withoutThinking: index < this.thinkingFrom,
    };
  }
}

const emptyRow = (entry: Entry): Row => ({
  entry,
  shown: "aside",
  weight: noWeight(),
  wholeWeight: noWeight(),
  chars: 0,
  wholeChars: 0,
  pinned: false,
});

const weighPiece = (piece: Piece | null, kind: Kind): Weight =>
  piece ? weigh(piece.blocks, kind) : noWeight();

function kindOf(entry: Entry): Kind {
  switch (entry.type) {
    case "assistant":
      return "assistant";
    case "result":
      return "toolResults";
    case "context":
      return "instructions";
    default:
      return "user";
  }
}
