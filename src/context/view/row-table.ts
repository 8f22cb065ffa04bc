/** Every entry of the path with the edits that apply to it, and how it is shown now. */

import type { Block } from "../../protocol/block.ts";
import type { Entry, EntryId, EntryOf } from "../../protocol/entry.ts";
import { blocksOf, quoteOf, withText, type MessagePart } from "./blocks.ts";
import {
  charCount,
  kindOf,
  sameChars,
  zeroChars,
  type CharsByKind,
  type Kind,
} from "../meter/char-count.ts";
import {
  Covers,
  rowsBetween,
  summaryBlocks,
  type Cover,
  type CoverChange,
  type CoveredRows,
  type RowCover,
} from "./covers.ts";
import { RowEdits, rejectCut, type Path } from "./edits.ts";
import { TableRow } from "./row.ts";
import { TokenLedger } from "../meter/token-ledger.ts";
import type { Row } from "../types.ts";
import { wellFormed } from "../rules/content.ts";
import { Pairs } from "../rules/pairs.ts";

export class RowTable implements Path {
  /** The entries as they were appended. */
  readonly path: Entry[] = [];
  readonly rows: TableRow[] = [];
  readonly tokenLedger = new TokenLedger();
  readonly cuts: EntryOf<"cut">[] = [];
  readonly #rowsOfCuts = new Set<number>();
  /** Cuts that were undone, with their covers as they were. */
  readonly #undone = new Map<EntryId, { cut: EntryOf<"cut">; covers: readonly Cover[] }>();
  readonly rejected: { cut: EntryId; reason: string }[] = [];
  /** Answers before this row show no thinking. */
  #thinkingFrom = 0;
  readonly #index = new Map<EntryId, number>();
  readonly #edits = new RowEdits();
  readonly #covers = new Covers();
  readonly #pairs = new Pairs();
  /** Results that answer no call. */
  readonly #orphans = new Set<number>();

  indexOf = (id: EntryId): number | undefined => this.#index.get(id);
  entryAt = (row: number): Entry | undefined => this.rows[row]?.entry;
  isOrphan = (row: number): boolean => this.#orphans.has(row);
  isRestored = (id: EntryId): boolean => this.#edits.restores.isRestored(id);

  /** See `View`. */
  get covers(): readonly CoveredRows[] {
    return this.#covers.outermost;
  }

  /** See `View`. */
  get sentFrom(): number {
    let index = 0;
    for (; index < this.rows.length; index = this.after(index)) {
      const row = this.rows[index];
      if (row && isSentTurn(row)) break;
    }
    return Math.min(index, this.rows.length);
  }

  add(entry: Entry): void {
    const index = this.rows.length;
    const row = new TableRow(entry);
    this.path.push(entry);
    this.rows.push(row);
    if (!this.#pairs.add(entry)) this.#orphans.add(index);
    if (!this.#index.has(entry.id)) this.#index.set(entry.id, index);
    this.#showWhole(index, row);
  }

  /** Applies a cut. Returns the first row it changes; null when the cut is rejected. */
  cut(cut: EntryOf<"cut">): number | null {
    const reason = rejectCut(cut, this);
    if (reason !== null) {
      this.rejected.push({ cut: cut.id, reason });
      return null;
    }
    this.cuts.push(cut);
    for (const row of this.#rowOf(cut)) this.#rowsOfCuts.add(row);
    const touched = cut.changes.flatMap((change) =>
      change.kind === "cover" ? this.#addCover(cut, change) : this.#addEdit(cut, change),
    );
    return this.#refreshAll([...touched, ...this.#rowOf(cut)]);
  }

  /** Returns the rows that it changes. */
  #addCover(cut: EntryOf<"cut">, change: CoverChange): number[] {
    const from = this.#index.get(change.span.from);
    const to = this.#index.get(change.span.to);
    if (from === undefined || to === undefined) return [];
    const pinned = new Set<number>();
    for (let row = from; row <= to; row++) if (this.rows[row]?.pinned) pinned.add(row);
    const touched = this.#covers.add({
      cut,
      at: this.#index.get(cut.id) ?? 0,
      change,
      from,
      to,
      pinned,
    });
    // What an earlier cover hides stays hidden, by this one from now on.
    for (const row of this.rows.slice(from, to + 1)) row.by = cut.id;
    return touched;
  }

  #addEdit(cut: EntryOf<"cut">, change: Parameters<RowEdits["add"]>[2]): number[] {
    const row = this.#index.get(change.entry);
    if (row === undefined) return [];
    this.#edits.add(row, cut, change);
    return [row];
  }

  /** Undoes a cut, or takes that back: all of it or for one entry. Returns the first row that changes. */
  restore(restore: EntryOf<"restore">): number | null {
    if (restore.redo) return this.#redo(restore);
    const cut = this.cuts.find((one) => one.id === restore.cut);
    if (!cut) return null;
    const { restores } = this.#edits;
    restores.add(restore, cut);
    const touched = this.#edits.rowsOf(cut);
    if (!restores.isUndone(cut)) return this.#refreshAll(touched);
    const own = this.#rowOf(cut);
    this.cuts.splice(this.cuts.indexOf(cut), 1);
    for (const row of own) this.#rowsOfCuts.delete(row);
    const covers = this.#covers.remove(cut.id);
    this.#undone.set(cut.id, { cut, covers });
    return this.#refreshAll([...touched, ...covers.flatMap(rowsOf), ...own]);
  }

  #redo(restore: EntryOf<"restore">): number | null {
    const { restores } = this.#edits;
    const undone = this.#undone.get(restore.cut);
    if (restore.entry !== undefined || !undone) {
      const cut = undone?.cut ?? this.cuts.find(({ id }) => id === restore.cut);
      const isPart = restore.entry !== undefined && cut !== undefined;
      return isPart && restores.remove(restore, cut)
        ? this.#refreshAll(this.#edits.rowsOf(cut))
        : null;
    }
    const { cut, covers } = undone;
    if (!this.#covers.putBack(covers)) {
      const reason = `${cut.id} cannot apply again: a later summary overlaps it`;
      this.rejected.push({ cut: restore.id, reason });
      return null;
    }
    restores.remove(restore, cut);
    this.#undone.delete(cut.id);
    this.cuts.push(cut);
    const at = ({ id }: EntryOf<"cut">): number => this.#index.get(id) ?? 0;
    this.cuts.sort((a, b) => at(a) - at(b));
    const own = this.#rowOf(cut);
    for (const row of own) this.#rowsOfCuts.add(row);
    return this.#refreshAll([...this.#edits.rowsOf(cut), ...covers.flatMap(rowsOf), ...own]);
  }

  /** Replaces blocks that the API refused. Returns the first row that changes. */
  repair({ blocks }: EntryOf<"repair">): number | null {
    const touched: number[] = [];
    for (const { entry: id, index, text } of blocks) {
      const at = this.#index.get(id);
      const row = at === undefined ? undefined : this.rows[at];
      const entry = row && withText(row.entry, index, text);
      if (at === undefined || !row || !entry) continue;
      row.entry = entry;
      touched.push(at);
    }
    return this.#refreshAll(touched);
  }

  pin(entry: EntryId, on: boolean): void {
    const index = this.#index.get(entry);
    const row = index === undefined ? undefined : this.rows[index];
    if (row) row.pinned = on;
  }

  /** Hides the thinking of answers before `first`. Returns the first row that changes. */
  showThinkingFrom(first: number): number | null {
    const before = this.#thinkingFrom;
    if (first === before) return null;
    this.#thinkingFrom = first;
    const touched: number[] = [];
    for (let index = Math.min(first, before); index < Math.max(first, before); index++) {
      const row = this.rows[index];
      if (row && row.shown !== "covered" && thinks(row)) touched.push(index);
    }
    return this.#refreshAll(touched);
  }

  hasThinking(from: number): boolean {
    return this.rows.slice(from).some(thinks);
  }

  /** The next row after this one that may put something into the request. */
  after = (row: number): number => this.#covers.after(row);

  /** What a row puts into the request now. */
  partOf(index: number): MessagePart | null {
    const part = this.#rawPart(index);
    return part && { ...part, blocks: part.blocks.map(wellFormed) };
  }

  #rawPart(index: number): MessagePart | null {
    const entry = this.entryAt(index);
    if (!entry) return null;
    const cover = this.#covers.of(index);
    if (!cover) return this.#ownPart(index, entry, this.#displayOf(index, entry.id));
    const blocks: Block[] = cover.isFirst ? summaryBlocks(cover) : [];
    if (cover.preserves) blocks.push(...quoteOf(entry, this.#displayOf(index, entry.id).text));
    const role = blocks[0]?.type === "compaction" ? "assistant" : "user";
    return blocks.length > 0 ? { role, blocks } : null;
  }

  #ownPart(
    index: number,
    entry: Entry,
    display: ReturnType<RowEdits["displayOf"]>,
  ): MessagePart | null {
    if (this.#orphans.has(index)) return null;
    if (entry.type === "cut" && !this.#rowsOfCuts.has(index)) return null;
    return blocksOf(entry, display);
  }

  /** The cut's own row, which shows what is kept beside a server's summary. */
  #rowOf({ id }: EntryOf<"cut">): number[] {
    const row = this.#index.get(id);
    return row === undefined ? [] : [row];
  }

  #refreshAll(touched: readonly number[]): number | null {
    for (const row of touched) this.#refresh(row);
    return touched.length === 0 ? null : touched.reduce((least, row) => Math.min(least, row));
  }

  #refresh(index: number): void {
    const row = this.rows[index];
    if (!row) return;
    const cover = this.#covers.of(index);
    const isEdited = cover !== undefined || this.#edits.has(index);
    if (!isEdited && index >= this.#thinkingFrom) return this.#showWhole(index, row);
    const { entry } = row;
    const display = this.#displayOf(index, entry.id);
    row.by = cover?.cover.cut.id ?? display.by;
    row.text = cover ? undefined : display.text;
    if (cover && !cover.isFirst && !cover.preserves) return this.#hide(index, row);
    const whole = this.#ownPart(index, entry, {});
    const own = cover === undefined || (cover.preserves && !cover.isFirst);
    const kind = own ? kindOf(entry) : "summary";
    const isWhole = !isEdited && !display.withoutThinking;
    row.shown = shownAs(whole, cover, display.by);
    row.wholeCharsByKind = partChars(whole, kindOf(entry));
    const chars = isWhole ? row.wholeCharsByKind : partChars(this.partOf(index), kind);
    this.#putChars(index, row, chars, kind, own);
  }

  /** A row without edits, which is nearly every new row. */
  #showWhole(index: number, row: TableRow): void {
    const part = this.#ownPart(index, row.entry, {});
    const kind = kindOf(row.entry);
    row.by = undefined;
    row.text = undefined;
    row.shown = part === null ? "unsent" : "whole";
    row.wholeCharsByKind = partChars(part, kind);
    this.#putChars(index, row, row.wholeCharsByKind, kind, true);
  }

  /** A fully covered row: its content is not measured again. */
  #hide(index: number, row: TableRow): void {
    if (row.shown !== "unsent") row.shown = "covered";
    this.#putChars(index, row, zeroChars, "summary", false);
  }

  #putChars(index: number, row: TableRow, chars: CharsByKind, kind: Kind, own: boolean): void {
    row.charsByKind = sameChars(chars, row.wholeCharsByKind) ? row.wholeCharsByKind : chars;
    this.tokenLedger.set(index, row.charsByKind, kind, own);
  }

  #displayOf(row: number, entry: EntryId): ReturnType<RowEdits["displayOf"]> {
    return { ...this.#edits.displayOf(row, entry), withoutThinking: row < this.#thinkingFrom };
  }
}

const turnTypes: ReadonlySet<Entry["type"]> = new Set(["user", "assistant", "result"]);

/** A row of the conversation that is sent, at least in part. */
const isSentTurn = ({ shown, entry }: Row): boolean =>
  (shown === "whole" || shown === "replaced") && turnTypes.has(entry.type);

const thinks = ({ wholeCharsByKind }: Row): boolean => wholeCharsByKind.thinking > 0;

/** What a row puts into the request; `kind`: of its plain text. */
const partChars = (part: MessagePart | null, kind: Kind): CharsByKind =>
  part ? charCount(part.blocks, kind) : zeroChars;

/** `whole`: what the entry itself would send; `by`: the cut that replaces its content. */
function shownAs(
  whole: MessagePart | null,
  cover: RowCover | undefined,
  by?: EntryId,
): Row["shown"] {
  if (whole === null) return "unsent";
  if (cover) return cover.preserves ? "replaced" : "covered";
  return by === undefined ? "whole" : "replaced";
}

const rowsOf = ({ from, to }: Cover): number[] => rowsBetween(from, to);
