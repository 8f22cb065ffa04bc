/** Keys that act on the selected item of the transcript. */

import { rowOf } from "../../context/row-of.ts";
import type { Host } from "../host.ts";
import { sentEntry, type Item, type ItemKind } from "../items.ts";
import { at } from "../list.ts";
import { restoreEntry, undoCut } from "../undo.ts";
import { codeBlocks, copyText, itemText } from "./item-text.ts";
import type { Originals } from "./originals.ts";

export const itemKeysHint =
  "Enter open · y copy, c code · u undo, p pin · [ ] page · / find · Esc back";

/** Kinds of items that are folded. */
const folding: ReadonlySet<ItemKind> = new Set<ItemKind>([
  "tool",
  "result",
  "thinking",
  "context",
  "cut",
]);

export class ItemKeys {
  readonly #host: Host;
  readonly #originals: Originals;
  readonly #open: (index: number) => void;
  #lastCode = { key: "", index: 0 };

  /** `open` opens or folds an item, named by its index. */
  constructor(host: Host, originals: Originals, open: (index: number) => void) {
    this.#host = host;
    this.#originals = originals;
    this.#open = open;
  }

  /** Returns true if the chord was handled. */
  press(chord: string, item: Item, index: number): boolean {
    const turn = (pages: number): void =>
      void this.#originals.turn(item.key, pages).catch(this.#host.report);
    const actions: Record<string, () => void> = {
      enter: () => this.#open(index),
      " ": () => this.#open(index),
      y: () => this.copy(item),
      c: () => this.#copyCode(item),
      u: () => this.#undo(item),
      p: () => this.#pin(item),
      "[": () => turn(-1),
      "]": () => turn(1),
      "{": () => turn(-Infinity),
      "}": () => turn(Infinity),
    };
    actions[chord]?.();
    return actions[chord] !== undefined;
  }

  /** Opens or folds the newest item that can be: a call, mostly. */
  openNewest(): void {
    const { items } = this.#host.state;
    for (let index = items.length - 1; index >= 0; index--) {
      const item = at(items, index);
      if (item && folding.has(item.kind)) return this.#open(index);
    }
  }

  copy(item: Item): void {
    this.#copy(copyText(item), "the item");
  }

  /** Copies the item's last code block; pressed again, the one before it. */
  #copyCode(item: Item): void {
    const blocks = codeBlocks(itemText(item));
    const { key, index } = this.#lastCode;
    const next = key === item.key && index > 0 ? index - 1 : blocks.length - 1;
    this.#lastCode = { key: item.key, index: next };
    const which = blocks.length > 1 ? `code block ${next + 1} of ${blocks.length}` : "a code block";
    this.#copy(blocks[next] ?? "", which);
  }

  #copy(text: string, what: string): void {
    if (text === "")
      return this.#host.flash(`There is no ${what.replace(/^an? |^the /, "")} to copy.`);
    this.#host.copy(text);
    this.#host.flash(`Copied ${what}: ${text.length.toLocaleString("en")} characters.`);
  }

  #undo(item: Item): void {
    if (item.kind === "cut") void undoCut(this.#host, item.entry.id);
    else void restoreEntry(this.#host, sentEntry(item));
  }

  #pin(item: Item): void {
    const { view, send, flash } = this.#host;
    const entry = sentEntry(item);
    const isPinned = rowOf(view, entry)?.pinned === true;
    send({ type: "pin", entry, on: !isPinned });
    flash(isPinned ? "Unpinned." : "Pinned: no compaction removes it.");
  }
}
