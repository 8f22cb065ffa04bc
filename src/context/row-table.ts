/** The rows and what bears on each of them: every entry of the path, and how it is shown now. */

import type { Block, ToolInput } from "../protocol/block.ts";
import type { Change, Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { blocksOf, quoteOf, type MessagePart, type RowDisplay } from "./blocks.ts";
import { rejectCut, Restores, type RowEdit, type Path } from "./edits.ts";
import { Pairs } from "./pairs.ts";
import { TokenLedger } from "./token-ledger.ts";
import type { Kind, Row } from "./types.ts";
import { charsOf, nothing, charCount, type CharsByKind } from "./char-count.ts";

export class RowTable implements Path {
  readonly rows: Row[] = [];
  readonly tally = new TokenLedger();
  readonly cuts: EntryOf<"cut">[] = [];
  readonly rejected: { cut: EntryId; reason: string }[] = [];
  /** Answers before this row show no thinking. */
  #thinkingFrom = 0;
  readonly #index = new Map<EntryId, number>();
  readonly #bearings = new Map<number, RowEdit[]>();
  readonly #restores = new Restores();
  readonly #pins = new Set<EntryId>();
  readonly #pairs = new Pairs();
  /** Results that answer no call, and second entries of one id. */
  readonly #orphans = new Set<number>();

  indexOf = (id: EntryId): number | undefined => this.#index.get(id);
  entryAt = (row: number): Entry | undefined => this.rows[row]?.entry;
  resultsOf = (row: number): readonly number[] => this.#pairs.resultsOf(row);
  isOrphan = (row: number): boolean => this.#orphans.has(row);

  add(entry: Entry): void {
    const row = this.rows.length;
    if (!this.#pairs.add(entry, row)) this.#orphans.add(row);
    if (!this.#index.has(entry.id)) this.#index.set(entry.id, row);
    this.rows.push(emptyRow(entry));
    this.#refresh(row);
  }

  /** Applies a cut; gives the first row it changes, or null when it is rejected. */
  cut(cut: EntryOf<"cut">): number | null {
    const reason = rejectCut(cut, this, this.cuts);
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
        const keeps = change.kind === "cover" && this.rows[row]?.pinned === true;
        bearings.push({ cut, change, leads: row === from, keeps });
        this.#bearings.set(row, bearings);
        touched.push(row);
      }
    }
    return this.#refreshAll([...touched, ...this.#rowOf(cut)]);
  }

  /** Takes a cut back, whole or for one entry; gives the first row that changes. */
  restore(restore: EntryOf<"restore">): number | null {
    const cut = this.cuts.find((one) => one.id === restore.cut);
    if (!cut) return null;
    this.#restores.add(restore);
    if (this.#restores.isWhole(cut)) this.cuts.splice(this.cuts.indexOf(cut), 1);
    const touched = [...this.#bearings]
      .filter(([, bearings]) => bearings.some((bearing) => bearing.cut.id === cut.id))
      .map(([row]) => row);
    return this.#refreshAll([...touched, ...this.#rowOf(cut)]);
  }

  pin(entry: EntryId, on: boolean): void {
    if (on) this.#pins.add(entry);
    else this.#pins.delete(entry);
    const index = this.#index.get(entry);
    if (index !== undefined) this.#refresh(index);
  }

  /** From now on, answers before `first` show no thinking. Gives the first row that this changes. */
  showThinkingFrom(first: number): number | null {
    const before = this.#thinkingFrom;
    if (first === before) return null;
    this.#thinkingFrom = first;
    const touched: number[] = [];
    for (let row = Math.min(first, before); row < Math.max(first, before); row++) {
      const one = this.rows[row];
      if (one && one.wholeWeight.thinking > 0 && one.shown !== "covered") touched.push(row);
    }
    return this.#refreshAll(touched);
  }

  hasThinking(from: number): boolean {
    return this.rows.slice(from).some(({ wholeWeight }) => wholeWeight.thinking > 0);
  }

  /** What a row puts into the request now. */
  pieceOf(row: number): MessagePart | null {
    const entry = this.entryAt(row);
    if (!entry) return null;
    const cover = this.#coverOf(row);
    if (!cover) return this.#ownPiece(row, entry, this.#showingOf(row, entry.id));
    const blocks = cover.leads ? leadOf(cover.change) : [];
    if (cover.keeps) blocks.push(...quoteOf(entry, this.#showingOf(row, entry.id).text));
    const role = blocks[0]?.type === "compaction" ? "assistant" : "user";
    return blocks.length > 0 ? { role, blocks } : null;
  }

  #ownPiece(row: number, entry: Entry, showing: RowDisplay): MessagePart | null {
    if (this.#orphans.has(row) || (entry.type === "cut" && !this.cuts.includes(entry))) return null;
    return blocksOf(entry, showing);
  }

  /** The cut's own row: what it keeps beside a block of the server's stands there. */
  #rowOf({ id }: EntryOf<"cut">): number[] {
    const row = this.#index.get(id);
    return row === undefined ? [] : [row];
  }

  #refreshAll(touched: readonly number[]): number | null {
    for (const row of touched) this.#refresh(row);
    return touched.length === 0 ? null : touched.reduce((least, row) => Math.min(least, row));
  }

  #refresh(row: number): void {
    const entry = this.entryAt(row);
    if (!entry) return;
    if (!this.#bearings.has(row) && row >= this.#thinkingFrom) return this.#showWhole(row, entry);
    const cover = this.#coverOf(row);
    const before = this.rows[row];
    if (cover && !cover.leads && !cover.keeps && before) return this.#hide(row, before, cover);
    const showing = this.#showingOf(row, entry.id);
    const whole = this.#ownPiece(row, entry, {});
    const own = cover === undefined || (cover.keeps && !cover.leads);
    const kind = own ? kindOf(entry) : "summary";
    const wholeWeight = weighPiece(whole, kindOf(entry));
    const isWhole = !this.#bearings.has(row) && !showing.withoutThinking;
    const weight = isWhole ? wholeWeight : weighPiece(this.pieceOf(row), kind);
    const by = cover?.cut.id ?? showing.by;
    this.rows[row] = {
      entry,
      shown: shownAs(whole, cover, showing.by),
      ...(by === undefined ? {} : { by }),
      ...(cover || showing.text === undefined ? {} : { text: showing.text }),
      weight,
      wholeWeight,
      chars: charsOf(weight),
      wholeChars: charsOf(wholeWeight),
      pinned: this.#pins.has(entry.id),
    };
    this.tally.set(row, weight, kind, own);
  }

  /** What no cut bears on, as nearly every row when it comes. */
  #showWhole(row: number, entry: Entry): void {
    const piece = this.#ownPiece(row, entry, {});
    const kind = kindOf(entry);
    const weight = weighPiece(piece, kind);
    const chars = charsOf(weight);
    const pinned = this.#pins.has(entry.id);
    const shown = piece === null ? "aside" : "whole";
    const weights = { weight, wholeWeight: weight, chars, wholeChars: chars };
    this.rows[row] = { entry, shown, ...weights, pinned };
    this.tally.set(row, weight, kind, true);
  }

  /** Nothing of the row is seen: a summary of a long history weighs none of it anew. */
  #hide(row: number, { text: _, ...before }: Row, { cut }: RowEdit): void {
    const shown = before.shown === "aside" ? "aside" : "covered";
    const pinned = this.#pins.has(before.entry.id);
    this.rows[row] = { ...before, shown, by: cut.id, weight: nothing, chars: 0, pinned };
    this.tally.set(row, nothing, "summary", false);
  }

  /**
   * The latest standing cover of a row. A cover is taken back whole: its text speaks for all of it. It
   * keeps a row only when each cover below it does, for what one hides no later one brings back.
   */
  #coverOf(row: number): RowEdit | undefined {
    const stands = ({ cut, change }: RowEdit): boolean =>
      change.kind === "cover" && !this.#restores.isWhole(cut);
    const bearings = this.#bearings.get(row);
    const latest = bearings?.findLast(stands);
    // Rows that nobody pinned need no look at the covers below.
    if (!latest?.keeps) return latest;
    return { ...latest, keeps: bearings?.filter(stands).every(({ keeps }) => keeps) === true };
  }

  /** The latest standing replacement of a result, and of each input. */
  #showingOf(row: number, entry: EntryId): RowDisplay & { by?: EntryId } {
    const inputs = new Map<string, ToolInput>();
    let text: string | undefined;
    let by: EntryId | undefined;
    for (const { cut, change } of this.#bearings.get(row) ?? []) {
      if (change.kind === "cover" || !this.#restores.stands(cut, entry)) continue;
      by = cut.id;
      if (change.kind === "replace") text = change.text;
      else inputs.set(change.toolUse, change.input);
    }
    return {
      ...(text === undefined ? {} : { text }),
      ...(by === undefined ? {} : { by }),
      inputs,
      withoutThinking: row < this.#thinkingFrom,
    };
  }
}

/** What stands in the place of a covered span. */
function leadOf(change: Change): Block[] {
  if (change.kind !== "cover") return [];
  return change.block ? [change.block] : [{ type: "text", text: change.text }];
}

const emptyRow = (entry: Entry): Row => ({
  entry,
  shown: "aside",
  weight: nothing,
  wholeWeight: nothing,
  chars: 0,
  wholeChars: 0,
  pinned: false,
});

function shownAs(
  whole: MessagePart | null,
  cover: RowEdit | undefined,
  by?: EntryId,
): Row["shown"] {
  if (whole === null) return "aside";
  if (cover) return cover.keeps ? "replaced" : "covered";
  return by === undefined ? "whole" : "replaced";
}

const weighPiece = (piece: MessagePart | null, kind: Kind): CharsByKind =>
  piece ? charCount(piece.blocks, kind) : nothing;

function kindOf(entry: Entry): Kind {
  switch (entry.type) {
    case "assistant":
      return "assistant";
    case "result":
      return "toolResults";
    case "context":
      return "instructions";
    case "cut":
      return "summary";
    default:
      return "user";
  }
}
