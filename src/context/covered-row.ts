import type { Entry, EntryId } from "../protocol/entry.ts";
import { blocksOf } from "./blocks.ts";
import { charCount, kindOf, zeroChars, type CharsByKind } from "./char-count.ts";
import { outermostOf, type Cover } from "./covers.ts";
import type { Row } from "./types.ts";

/** A row of which a summary shows nothing. Nearly all rows of a long session are such, so it is small. */
export class CoveredRow implements Row {
  readonly entry: Entry;
  readonly shown: "covered" | "unsent";
  readonly wholeChars: number;
  pinned: boolean;
  /** It, or one around it. */
  cover: Cover;

  constructor({ entry, shown, wholeChars }: Row, cover: Cover, pinned: boolean) {
    this.entry = entry;
    this.shown = shown === "unsent" ? "unsent" : "covered";
    this.wholeChars = wholeChars;
    this.cover = cover;
    this.pinned = pinned;
  }

  get by(): EntryId {
    return outermostOf(this.cover).cut.id;
  }

  get chars(): number {
    return 0;
  }

  get charsByKind(): CharsByKind {
    return zeroChars;
  }

  get wholeCharsByKind(): CharsByKind {
    const part = this.shown === "unsent" ? null : blocksOf(this.entry, {});
    return part ? charCount(part.blocks, kindOf(this.entry)) : zeroChars;
  }
}
