import type { Entry, EntryId } from "../protocol/entry.ts";
import { charCount, charsOf, zeroChars, type CharsByKind, type Kind } from "./char-count.ts";
import type { MessagePart } from "./blocks.ts";
import type { RowCover } from "./covers.ts";
import type { Digest, Row } from "./types.ts";

/** How a row can be shown; a column holds the index. */
export const showings = ["unsent", "whole", "replaced", "covered"] as const;

/** `whole`: what the entry itself would send; `by`: the cut that replaces its content. */
export function shownAs(
  whole: MessagePart | null,
  cover: RowCover | undefined,
  by?: EntryId,
): Row["shown"] {
  if (whole === null) return "unsent";
  if (cover) return cover.preserves ? "replaced" : "covered";
  return by === undefined ? "whole" : "replaced";
}

/** What a row puts into the request; `kind`: of its plain text. */
export const partChars = (part: MessagePart | null, kind: Kind): CharsByKind =>
  part ? charCount(part.blocks, kind) : zeroChars;

/** What a table knows of its rows, by their places. */
export interface RowStates {
  entryOf(row: number): Entry;
  digestOf(row: number): Digest;
  shownOf(row: number): Row["shown"];
  byOf(row: number): EntryId | undefined;
  textOf(row: number): string | undefined;
  charsOf(row: number): CharsByKind;
  wholeCharsOf(row: number): CharsByKind;
  isPinned(row: number): boolean;
}

/**
 * A row as it is now. It holds nothing itself, since a long session has a million. In Bun 1.4, an
 * object with two `#private` fields takes 64 bytes, and with these 32.
 */
export class TableRow implements Row {
  private readonly table: RowStates;
  private readonly row: number;

  constructor(table: RowStates, row: number) {
    this.table = table;
    this.row = row;
  }

  get entry(): Entry {
    return this.table.entryOf(this.row);
  }

  get digest(): Digest {
    return this.table.digestOf(this.row);
  }

  get shown(): Row["shown"] {
    return this.table.shownOf(this.row);
  }

  get by(): EntryId | undefined {
    return this.table.byOf(this.row);
  }

  get text(): string | undefined {
    return this.table.textOf(this.row);
  }

  get charsByKind(): CharsByKind {
    return this.table.charsOf(this.row);
  }

  get wholeCharsByKind(): CharsByKind {
    return this.table.wholeCharsOf(this.row);
  }

  get chars(): number {
    return charsOf(this.charsByKind);
  }

  get wholeChars(): number {
    return charsOf(this.wholeCharsByKind);
  }

  get pinned(): boolean {
    return this.table.isPinned(this.row);
  }
}

/** The row as it is now, but with these characters in the request. */
export const withChars = (row: Row, charsByKind: CharsByKind): Row => ({
  entry: row.entry,
  digest: row.digest,
  shown: row.shown,
  by: row.by,
  text: row.text,
  charsByKind,
  wholeCharsByKind: row.wholeCharsByKind,
  chars: charsOf(charsByKind),
  wholeChars: row.wholeChars,
  pinned: row.pinned,
});
