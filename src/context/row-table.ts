/** Every entry of the path with the edits that apply to it, and how it is shown now. */

import type { Block, ToolInput } from "../protocol/block.ts";
import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { blocksOf, quoteOf, withText, type MessagePart, type RowDisplay } from "./blocks.ts";
import { CoveredRow } from "./covered-row.ts";
import { Covers, type CoverChange, type CoveredRows, type RowCover } from "./covers.ts";
import { rejectCut, Restores, type RowEdit, type Path } from "./edits.ts";
import { Pairs } from "./pairs.ts";
import { TokenLedger } from "./token-ledger.ts";
import type { Row } from "./types.ts";
import { wellFormed } from "./well-formed.ts";
import {
  charsOf,
  zeroChars,
  charCount,
  kindOf,
  type CharsByKind,
  type Kind,
} from "./char-count.ts";

export class RowTable implements Path {
  readonly rows: Row[] = [];
  readonly tokenLedger = new TokenLedger();
  readonly cuts: EntryOf<"cut">[] = [];
  readonly rejected: { cut: EntryId; reason: string }[] = [];
  /** Answers before this row show no thinking. */
  #thinkingFrom = 0;
  #sentFrom = 0;
  readonly #index = new Map<EntryId, number>();
  /** Replacements, by row. */
  readonly #edits = new Map<number, RowEdit[]>();
  readonly #covers = new Covers();
  readonly #restores = new Restores();
  readonly #pins = new Set<EntryId>();
  readonly #pairs = new Pairs();
  /** Results that answer no call. */
  readonly #orphans = new Set<number>();

  indexOf = (id: EntryId): number | undefined => this.#index.get(id);
  entryAt = (row: number): Entry | undefined => this.rows[row]?.entry;
  isOrphan = (row: number): boolean => this.#orphans.has(row);
  isRestored = (id: EntryId): boolean => this.#restores.isRestored(id);

  /** See `View`. Rows before it are looked at once, until a cut is undone. */
  get covers(): readonly CoveredRows[] {
    return this.#covers.outermost;
  }

  get sentFrom(): number {
    while (this.#sentFrom < this.rows.length && !isSentTurn(this.rows[this.#sentFrom]))
      this.#sentFrom++;
    return this.#sentFrom;
  }

  add(entry: Entry): void {
    const row = this.rows.length;
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
    const pinned = new Set<number>();
    for (const id of this.#pins) {
      const row = this.#index.get(id) ?? -1;
      if (row >= from && row <= to) pinned.add(row);
    }
    return this.#covers.add({ cut, index, from, to, pinned });
  }

  #addEdit(cut: EntryOf<"cut">, index: number, entry: EntryId): number[] {
    const row = this.#index.get(entry);
    if (row === undefined) return [];
    const edits = this.#edits.get(row) ?? [];
    edits.push({ cut, index });
    this.#edits.set(row, edits);
    return [row];
  }

  /** Undoes a cut, all of it or for one entry. Returns the first row that changes. */
  restore(restore: EntryOf<"restore">): number | null {
    const cut = this.cuts.find((one) => one.id === restore.cut);
    if (!cut) return null;
    this.#restores.add(restore, cut);
    this.#sentFrom = 0;
    const edited = [...this.#edits]
      .filter(([, edits]) => edits.some((edit) => edit.cut.id === cut.id))
      .map(([row]) => row);
    const isUndone = this.#restores.isUndone(cut);
    if (isUndone) this.cuts.splice(this.cuts.indexOf(cut), 1);
    const covered = isUndone ? this.#covers.remove(cut.id) : [];
    return this.#refreshAll([...edited, ...covered, ...this.#rowOf(cut)]);
  }

  /** Replaces blocks that the API refused. Returns the first row that changes. */
  repair({ blocks }: EntryOf<"repair">): number | null {
    const touched: number[] = [];
    for (const { entry: id, index, text } of blocks) {
      const row = this.#index.get(id);
      const before = row === undefined ? undefined : this.rows[row];
      const entry = before && withText(before.entry, index, text);
      if (row === undefined || !before || !entry) continue;
      this.rows[row] = { ...before, entry };
      touched.push(row);
    }
    return this.#refreshAll(touched);
  }

  pin(entry: EntryId, on: boolean): void {
    if (on) this.#pins.add(entry);
    else this.#pins.delete(entry);
    const index = this.#index.get(entry);
    if (index !== undefined) this.#refresh(index);
  }

  /** Hides the thinking of answers before `first`. Returns the first row that changes. */
  showThinkingFrom(first: number): number | null {
    const before = this.#thinkingFrom;
    if (first === before) return null;
    this.#thinkingFrom = first;
    const touched: number[] = [];
    for (let row = Math.min(first, before); row < Math.max(first, before); row++) {
      const one = this.rows[row];
      if (one && one.shown !== "covered" && one.wholeCharsByKind.thinking > 0) touched.push(row);
    }
    return this.#refreshAll(touched);
  }

  hasThinking(from: number): boolean {
    return this.rows.slice(from).some(({ wholeCharsByKind }) => wholeCharsByKind.thinking > 0);
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
    if (this.#orphans.has(row) || (entry.type === "cut" && !this.cuts.includes(entry))) return null;
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
    const cover = this.#covers.of(row);
    const isEdited = cover !== undefined || this.#edits.has(row);
    if (!isEdited && row >= this.#thinkingFrom) return this.#showWhole(row, entry);
    const before = this.rows[row];
    if (cover && !cover.isFirst && !cover.preserves && before)
      return this.#hide(row, before, cover);
    const display = this.#displayOf(row, entry.id);
    const whole = this.#ownPart(row, entry, {});
    const own = cover === undefined || (cover.preserves && !cover.isFirst);
    const kind = own ? kindOf(entry) : "summary";
    const wholeCharsByKind = partChars(whole, kindOf(entry));
    const isWhole = !isEdited && !display.withoutThinking;
    const charsByKind = isWhole ? wholeCharsByKind : partChars(this.partOf(row), kind);
    const by = cover?.cover.cut.id ?? display.by;
    this.rows[row] = {
      entry,
      shown: shownAs(whole, cover, display.by),
      ...(by === undefined ? {} : { by }),
      ...(cover || display.text === undefined ? {} : { text: display.text }),
      charsByKind,
      wholeCharsByKind,
      chars: charsOf(charsByKind),
      wholeChars: charsOf(wholeCharsByKind),
      pinned: this.#pins.has(entry.id),
    };
    this.tokenLedger.set(row, charsByKind, kind, own);
  }

  /** The fast path for a row without edits, which is nearly every new row. */
  #showWhole(row: number, entry: Entry): void {
    const part = this.#ownPart(row, entry, {});
    const kind = kindOf(entry);
    const charsByKind = partChars(part, kind);
    const chars = charsOf(charsByKind);
    const pinned = this.#pins.has(entry.id);
    const shown = part === null ? "unsent" : "whole";
    const sizes = { charsByKind, wholeCharsByKind: charsByKind, chars, wholeChars: chars };
    this.rows[row] = { entry, shown, ...sizes, pinned };
    this.tokenLedger.set(row, charsByKind, kind, true);
  }

  /** The fast path for a fully covered row: its content is not measured again. */
  #hide(row: number, known: Row, { cover }: RowCover): void {
    const pinned = this.#pins.has(known.entry.id);
    if (known instanceof CoveredRow) {
      known.cover = cover;
      known.pinned = pinned;
      return;
    }
    this.rows[row] = new CoveredRow(known, cover, pinned);
    this.tokenLedger.set(row, zeroChars, "summary", false);
  }

  /** The latest active replacement of the row's content and of each input. */
  #displayOf(row: number, entry: EntryId): RowDisplay & { by?: EntryId } {
    const inputs = new Map<string, ToolInput>();
    let text: string | undefined;
    let by: EntryId | undefined;
    for (const { cut, index } of this.#edits.get(row) ?? []) {
      if (!this.#restores.isActive(cut, entry)) continue;
      by = cut.id;
      const change = cut.changes[index];
      if (change?.kind === "replace") text = change.text;
      else if (change?.kind === "input") inputs.set(change.toolUse, change.input);
    }
    return {
      ...(text === undefined ? {} : { text }),
      ...(by === undefined ? {} : { by }),
      inputs,
      withoutThinking: row < this.#thinkingFrom,
    };
  }
}

/** What replaces a covered span. */
function summaryBlocks({ cover: { cut, index } }: RowCover): Block[] {
  const change = cut.changes[index];
  if (change?.kind !== "cover") return [];
  return change.block ? [change.block] : [{ type: "text", text: change.text }];
}

/** A part of the conversation of which something is sent. */
const isSentTurn = (row: Row | undefined): boolean =>
  (row?.shown === "whole" || row?.shown === "replaced") &&
  (row.entry.type === "user" || row.entry.type === "assistant" || row.entry.type === "result");

function shownAs(
  whole: MessagePart | null,
  cover: RowCover | undefined,
  by?: EntryId,
): Row["shown"] {
  if (whole === null) return "unsent";
  if (cover) return cover.preserves ? "replaced" : "covered";
  return by === undefined ? "whole" : "replaced";
}

const partChars = (part: MessagePart | null, kind: Kind): CharsByKind =>
  part ? charCount(part.blocks, kind) : zeroChars;
