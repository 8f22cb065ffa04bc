/** Every entry of the path with the edits that apply to it, and how it is shown now. */

import type { Block } from "../protocol/block.ts";
import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { blocksOf, quoteOf, withText, type MessagePart, type RowDisplay } from "./blocks.ts";
import { Covers, summaryBlocks, type CoverChange, type CoveredRows } from "./covers.ts";
import { DerivedRows } from "./derived-rows.ts";
import { rejectCut, type Path } from "./edits.ts";
import { RowEdits } from "./row-edits.ts";
import { Calibration } from "./calibration.ts";
import { ByEntry } from "../protocol/by-entry.ts";
import { Column } from "../protocol/column.ts";
import { Pairs } from "./pairs.ts";
import { TokenLedger } from "./token-ledger.ts";
import { PackedChars } from "./packed-chars.ts";
import { partChars, shownAs, showings, TableRow, type RowStates } from "./table-row.ts";
import type { Digest, Row } from "./types.ts";
import { wellFormed } from "./well-formed.ts";
import { zeroChars, kindOf, sameChars, type CharsByKind } from "./char-count.ts";

const unsent = showings.indexOf("unsent");

export class RowTable implements Path, RowStates {
  /** The entries as they were appended. */
  readonly path: readonly Entry[];
  readonly #own: Entry[] = [];
  readonly rows: Row[] = [];
  readonly #packed = new PackedChars();
  readonly tokenLedger = new TokenLedger(new Calibration(), this.#packed);
  readonly #shown = new Column(Uint8Array);
  /** What each row would put into the request if it were whole. */
  readonly #whole = new Column(Uint32Array);
  /** Entries with replaced blocks, by row. */
  readonly #repaired = new Map<number, Entry>();
  readonly cuts: EntryOf<"cut">[] = [];
  readonly #rowsOfCuts = new Set<number>();
  readonly rejected: { cut: EntryId; reason: string }[] = [];
  /** Answers before this row show no thinking. */
  #thinkingFrom = 0;
  readonly #derived = new DerivedRows(this);
  readonly #index = new ByEntry();
  readonly #edits = new RowEdits();
  readonly #covers = new Covers();
  /** Pinned rows. */
  readonly #pins = new Set<number>();
  readonly #pairs = new Pairs();
  /** Results that answer no call. */
  readonly #orphans = new Set<number>();

  /** `source` holds the entries that are added; without it, they are kept here. */
  constructor(source?: readonly Entry[]) {
    this.path = source ?? this.#own;
  }

  indexOf = (id: EntryId): number | undefined => this.#index.get(id);
  entryAt = (row: number): Entry | undefined => this.#repaired.get(row) ?? this.path[row];
  isOrphan = (row: number): boolean => this.#orphans.has(row);
  isRestored = (id: EntryId): boolean => this.#edits.restores.isRestored(id);

  /** See `View`. */
  get covers(): readonly CoveredRows[] {
    return this.#covers.outermost;
  }

  get sentFrom(): number {
    return this.#derived.sentFrom(this.rows.length);
  }

  get oldestLarge(): number {
    return this.#derived.oldestLarge(this.rows.length);
  }

  add(entry: Entry): void {
    const row = this.rows.length;
    if (this.path === this.#own) this.#own.push(entry);
    this.rows.push(new TableRow(this, row));
    if (!this.#pairs.add(entry)) this.#orphans.add(row);
    if (!this.#index.has(entry.id)) this.#index.set(entry.id, row);
    this.#showWhole(row, entry);
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
    const touched = cut.changes.flatMap((change, index) =>
      change.kind === "cover"
        ? this.#addCover(cut, index, change)
        : this.#addEdit(cut, index, change.entry),
    );
    return this.#refreshAll([...touched, ...this.#rowOf(cut)]);
  }

  /** Returns the rows that it changes. */
  #addCover(cut: EntryOf<"cut">, index: number, { span }: CoverChange): number[] {
    const from = this.#index.get(span.from);
    const to = this.#index.get(span.to);
    if (from === undefined || to === undefined) return [];
    const pinned = new Set([...this.#pins].filter((row) => row >= from && row <= to));
    return this.#covers.add({ cut, index, from, to, pinned });
  }

  #addEdit(cut: EntryOf<"cut">, index: number, entry: EntryId): number[] {
    const row = this.#index.get(entry);
    if (row === undefined) return [];
    this.#edits.add(row, cut, index);
    return [row];
  }

  /** Undoes a cut, all of it or for one entry. Returns the first row that changes. */
  restore(restore: EntryOf<"restore">): number | null {
    const cut = this.cuts.find((one) => one.id === restore.cut);
    if (!cut) return null;
    this.#edits.restores.add(restore, cut);
    const edited = this.#edits.rowsOf(cut);
    const isUndone = this.#edits.restores.isUndone(cut);
    const own = this.#rowOf(cut);
    if (isUndone) this.cuts.splice(this.cuts.indexOf(cut), 1);
    if (isUndone) for (const row of own) this.#rowsOfCuts.delete(row);
    const covered = isUndone ? this.#covers.remove(cut.id) : [];
    return this.#refreshAll([...edited, ...covered, ...own]);
  }

  /** Replaces blocks that the API refused. Returns the first row that changes. */
  repair({ blocks }: EntryOf<"repair">): number | null {
    const touched: number[] = [];
    for (const { entry: id, index, text } of blocks) {
      const row = this.#index.get(id);
      const before = row === undefined ? undefined : this.entryAt(row);
      const entry = before && withText(before, index, text);
      if (row === undefined || !entry) continue;
      this.#repaired.set(row, entry);
      touched.push(row);
    }
    return this.#refreshAll(touched);
  }

  pin(entry: EntryId, on: boolean): void {
    const row = this.#index.get(entry);
    if (row === undefined) return;
    if (on) this.#pins.add(row);
    else this.#pins.delete(row);
    this.#refresh(row);
  }

  /** Hides the thinking of answers before `first`. Returns the first row that changes. */
  showThinkingFrom(first: number): number | null {
    const before = this.#thinkingFrom;
    if (first === before) return null;
    this.#thinkingFrom = first;
    const touched: number[] = [];
    for (let row = Math.min(first, before); row < Math.max(first, before); row++) {
      if (this.shownOf(row) !== "covered" && this.#thinks(row)) touched.push(row);
    }
    return this.#refreshAll(touched);
  }

  hasThinking(from: number): boolean {
    for (let row = from; row < this.rows.length; row++) if (this.#thinks(row)) return true;
    return false;
  }

  #thinks(row: number): boolean {
    return this.wholeCharsOf(row).thinking > 0;
  }

  entryOf(row: number): Entry {
    const entry = this.entryAt(row);
    if (!entry) throw new Error(`There is no row ${row}.`);
    return entry;
  }

  digestOf = (row: number): Digest => this.#derived.digestOf(row);

  /** See `View`. */
  messagesBetween = (from: number, to: number): number => {
    let messages = 0;
    for (let row = from; row <= to; row++) if (this.#shown.get(row) !== unsent) messages++;
    return messages;
  };

  shownOf(row: number): Row["shown"] {
    return showings[this.#shown.get(row)] ?? "unsent";
  }

  byOf(row: number): EntryId | undefined {
    return this.#covers.of(row)?.cover.cut.id ?? this.#editOf(row)?.by;
  }

  textOf(row: number): string | undefined {
    return this.#covers.of(row) ? undefined : this.#editOf(row)?.text;
  }

  #editOf(row: number): ReturnType<RowEdits["displayOf"]> | undefined {
    return this.#edits.has(row) ? this.#displayOf(row, this.entryOf(row).id) : undefined;
  }

  charsOf(row: number): CharsByKind {
    return this.tokenLedger.charsOf(row);
  }

  wholeCharsOf(row: number): CharsByKind {
    return this.#packed.get(this.#whole.get(row));
  }

  isPinned(row: number): boolean {
    return this.#pins.has(row);
  }

  /** The next row after this one that may put something into the request. */
  after = (row: number): number => this.#covers.after(row);

  /** What a row puts into the request now. */
  partOf(row: number): MessagePart | null {
    const part = this.#rawPart(row);
    return part && { ...part, blocks: part.blocks.map(wellFormed) };
  }

  #rawPart(row: number): MessagePart | null {
    const entry = this.entryAt(row);
    if (!entry) return null;
    const cover = this.#covers.of(row);
    if (!cover) return this.#ownPart(row, entry, this.#displayOf(row, entry.id));
    const blocks: Block[] = cover.isFirst ? summaryBlocks(cover) : [];
    if (cover.preserves) blocks.push(...quoteOf(entry, this.#displayOf(row, entry.id).text));
    const role = blocks[0]?.type === "compaction" ? "assistant" : "user";
    return blocks.length > 0 ? { role, blocks } : null;
  }

  #ownPart(row: number, entry: Entry, display: RowDisplay): MessagePart | null {
    if (this.#orphans.has(row)) return null;
    if (entry.type === "cut" && !this.#rowsOfCuts.has(row)) return null;
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

  #refresh(row: number): void {
    const entry = this.entryAt(row);
    if (!entry) return;
    this.#derived.changed(row);
    const cover = this.#covers.of(row);
    const isEdited = cover !== undefined || this.#edits.has(row);
    if (!isEdited && row >= this.#thinkingFrom) return this.#showWhole(row, entry);
    if (cover && !cover.isFirst && !cover.preserves) return this.#hide(row);
    const display = this.#displayOf(row, entry.id);
    const whole = this.#ownPart(row, entry, {});
    const own = cover === undefined || (cover.preserves && !cover.isFirst);
    const kind = own ? kindOf(entry) : "summary";
    const wholeChars = partChars(whole, kindOf(entry));
    const isWhole = !isEdited && !display.withoutThinking;
    const chars = isWhole ? wholeChars : partChars(this.partOf(row), kind);
    this.#shown.set(row, showings.indexOf(shownAs(whole, cover, display.by)));
    this.tokenLedger.set(row, chars, kind, own);
    this.#setWhole(row, wholeChars);
  }

  /** The fast path for a row without edits, which is nearly every new row. */
  #showWhole(row: number, entry: Entry): void {
    const part = this.#ownPart(row, entry, {});
    const kind = kindOf(entry);
    const chars = partChars(part, kind);
    this.#shown.set(row, showings.indexOf(part === null ? "unsent" : "whole"));
    this.tokenLedger.set(row, chars, kind, true);
    this.#whole.set(row, this.tokenLedger.packedCharsOf(row));
  }

  #setWhole(row: number, chars: CharsByKind): void {
    const isKnown = this.#whole.get(row) !== 0 && sameChars(this.wholeCharsOf(row), chars);
    if (isKnown) return;
    const isShown = sameChars(this.charsOf(row), chars);
    const packed = isShown ? this.tokenLedger.packedCharsOf(row) : this.#packed.add(chars);
    this.#whole.set(row, packed);
  }

  /** The fast path for a fully covered row: its content is not measured again. */
  #hide(row: number): void {
    if (this.shownOf(row) !== "unsent") this.#shown.set(row, showings.indexOf("covered"));
    this.tokenLedger.set(row, zeroChars, "summary", false);
  }

  #displayOf(row: number, entry: EntryId): ReturnType<RowEdits["displayOf"]> {
    return { ...this.#edits.displayOf(row, entry), withoutThinking: row < this.#thinkingFrom };
  }
}
