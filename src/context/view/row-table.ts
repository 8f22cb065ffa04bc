/** Every entry of the path as it is shown now, with its characters. */

import type { Block } from "../../protocol/block.ts";
import type { Entry, EntryId, EntryOf } from "../../protocol/entry.ts";
import {
  charCount,
  sumChars,
  classifyEntry,
  zeroChars,
  type CharsByKind,
  type Kind,
} from "./char-count.ts";
import { TokenLedger } from "./token-ledger.ts";
import { wellFormed } from "./well-formed.ts";
import { Pairs, type PairedPath } from "./pairs.ts";
import type { Row } from "../types.ts";
import { toBlocks, quoteEntry, withBlock, type MessagePart } from "./blocks.ts";
import { type ChangedRows, Cuts, ownRows, type RowCover } from "./cuts.ts";

/** Only the table changes its rows. */
type TableRow = { -readonly [Key in keyof Row]: Row[Key] };

type Display = ReturnType<Cuts["display"]>;

export class RowTable implements PairedPath {
  /** The entries as they were appended. */
  readonly path: Entry[] = [];
  readonly rows: TableRow[] = [];
  readonly tokenLedger = new TokenLedger();
  readonly cuts: Cuts = new Cuts(this);
  readonly rejected: { cut: EntryId; reason: string }[] = [];
  /** Answers before this row show no thinking. */
  #thinkingFrom = 0;
  readonly pinnedRows = new Set<number>();
  readonly #index = new Map<EntryId, number>();
  readonly #pairs = new Pairs();
  /** Results that answer no call. */
  readonly #orphans = new Set<number>();

  indexOf = (id: EntryId): number | undefined => this.#index.get(id);
  entryAt = (row: number): Entry | undefined => this.rows[row]?.entry;
  isOrphan = (row: number): boolean => this.#orphans.has(row);
  isRestored = (id: EntryId): boolean => this.cuts.isRestored(this.#index.get(id) ?? -1, id);

  add(entry: Entry): void {
    const index = this.rows.length;
    const none = { charsByKind: zeroChars, wholeCharsByKind: zeroChars, chars: 0, wholeChars: 0 };
    this.path.push(entry);
    this.rows.push({
      entry,
      shown: "unsent",
      by: undefined,
      text: undefined,
      ...none,
      pinned: false,
    });
    if (!this.#pairs.add(entry)) this.#orphans.add(index);
    if (!this.#index.has(entry.id)) this.#index.set(entry.id, index);
    this.#refresh(index);
  }

  /** Applies a cut. Returns the first row that it changes; null when the cut is rejected. */
  cut(cut: EntryOf<"cut">): number | null {
    return this.#change(this.cuts.apply(cut), cut.id);
  }

  /** Undoes a cut, or takes that back: all of it or for one entry. Returns the first row that changes. */
  restore(restore: EntryOf<"restore">): number | null {
    return this.#change(this.cuts.restore(restore), restore.id);
  }

  /** Replaces blocks that the API refused. Returns the first row that changes. */
  repair({ blocks }: EntryOf<"repair">): number | null {
    const touched: number[] = [];
    for (const { entry: id, index, text, image } of blocks) {
      const at = this.#index.get(id);
      const row = at === undefined ? undefined : this.rows[at];
      const entry = row && withBlock(row.entry, index, text, image);
      if (at === undefined || !row || !entry) continue;
      row.entry = entry;
      touched.push(at);
    }
    return this.#refreshAll(touched);
  }

  pin(entry: EntryId, on: boolean): void {
    const index = this.#index.get(entry) ?? -1;
    const row = this.rows[index];
    if (!row) return;
    row.pinned = on;
    if (on) this.pinnedRows.add(index);
    else this.pinnedRows.delete(index);
  }

  /** Hides the thinking of answers before `first`. Returns the first row that changes. */
  showThinkingFrom(first: number): number | null {
    const before = this.#thinkingFrom;
    this.#thinkingFrom = first;
    const touched: number[] = [];
    for (let index = Math.min(first, before); index < Math.max(first, before); index++) {
      const row = this.rows[index];
      if (row && row.shown !== "covered" && thinks(row)) touched.push(index);
    }
    return this.#refreshAll(touched);
  }

  /** Whether answers from a row on that no cut hides hold thinking. */
  hasThinking(from: number): boolean {
    return this.rows.slice(from).some((row) => row.shown !== "covered" && thinks(row));
  }

  /** The blocks that a row puts into the request now; null: none. */
  buildPart(index: number): MessagePart | null {
    const part = this.#rawPart(index, this.cuts.findCover(index));
    return part && { ...part, blocks: part.blocks.map(wellFormed) };
  }

  #rawPart(index: number, cover: RowCover | undefined): MessagePart | null {
    const entry = this.entryAt(index);
    if (!entry) return null;
    const display = this.#display(index, entry.id);
    if (!cover) return this.#ownPart(index, entry, display);
    const { text, block } = cover.cover.change;
    const summary: Block[] = cover.isFirst ? [block ?? { type: "text", text }] : [];
    const quote = cover.preserves ? quoteEntry(entry, display.text) : [];
    return { role: "user", blocks: [...summary, ...quote] };
  }

  #ownPart(index: number, entry: Entry, display: Display): MessagePart | null {
    const isHidden =
      this.#orphans.has(index) || (entry.type === "cut" && !this.cuts.stands(entry.id));
    return isHidden ? null : toBlocks(entry, display);
  }

  /** Updates these rows; a string says why `entry` changes none. Returns the first row. */
  #change(changed: ChangedRows | string, entry: EntryId): number | null {
    if (typeof changed === "string") {
      this.rejected.push({ cut: entry, reason: changed });
      return null;
    }
    const { rows, covers } = changed;
    for (const cover of covers) for (const row of ownRows(cover)) this.#refresh(row);
    // What a summary hides changes nothing that is sent.
    const first = this.#refreshAll(
      rows.filter((row) => this.cuts.findCover(row)?.preserves !== false),
    );
    return covers.reduce<number | null>((least, { from }) => Math.min(least ?? from, from), first);
  }

  #refreshAll(rows: readonly number[]): number | null {
    for (const row of rows) this.#refresh(row);
    return rows.length === 0 ? null : rows.reduce((least, row) => Math.min(least, row));
  }

  #refresh(index: number): void {
    const row = this.rows[index];
    if (!row) return;
    const { entry } = row;
    const cover = this.cuts.findCover(index);
    const own = cover === undefined || (cover.preserves && !cover.isFirst);
    if (cover && !cover.isFirst && !cover.preserves) {
      row.by = cover.cover.cut.id;
      row.text = row.inputs = undefined;
      if (row.shown !== "unsent") row.shown = "covered";
      if (row.chars > 0) this.#setChars(index, row, zeroChars, "summary", own);
      return;
    }
    const display = this.#display(index, entry.id);
    row.by = cover?.cover.cut.id ?? display.by;
    row.text = cover ? undefined : display.text;
    row.inputs = cover ? undefined : display.inputs;
    const whole = this.#ownPart(index, entry, {});
    row.shown = shownAs(whole, cover, display.by);
    row.wholeCharsByKind = countPart(whole, classifyEntry(entry));
    row.wholeChars = sumChars(row.wholeCharsByKind);
    const isWhole = !cover && !this.cuts.hasEdits(index) && !display.withoutThinking;
    const kind = own ? classifyEntry(entry) : "summary";
    const chars = isWhole ? row.wholeCharsByKind : countPart(this.buildPart(index), kind);
    this.#setChars(index, row, chars, kind, own);
  }

  #setChars(index: number, row: TableRow, chars: CharsByKind, kind: Kind, own: boolean): void {
    if (row.charsByKind !== chars) row.chars = sumChars(chars);
    row.charsByKind = chars;
    this.tokenLedger.set(index, chars, kind, own);
  }

  #display(row: number, entry: EntryId): Display {
    const withoutThinking = row < this.#thinkingFrom;
    if (!this.cuts.hasEdits(row)) return withoutThinking ? unthinking : unedited;
    return { ...this.cuts.display(row, entry), withoutThinking };
  }
}

const unedited: Display = { withoutThinking: false };
const unthinking: Display = { withoutThinking: true };

const thinks = ({ wholeCharsByKind }: Row): boolean => wholeCharsByKind.thinking > 0;

/** `kind`: of its plain text. */
const countPart = (part: MessagePart | null, kind: Kind): CharsByKind =>
  part ? charCount(part.blocks, kind) : zeroChars;

/** `whole`: the unchanged content of the entry; `by`: the cut that replaces it. */
function shownAs(
  whole: MessagePart | null,
  cover: RowCover | undefined,
  by?: EntryId,
): Row["shown"] {
  if (whole === null) return "unsent";
  if (cover) return cover.preserves ? "replaced" : "covered";
  return by === undefined ? "whole" : "replaced";
}
