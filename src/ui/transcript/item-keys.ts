/** Keys that act on the selected item of the transcript. */

import { rowOf } from "../../context/view/rows.ts";
import type { Host } from "../host.ts";
import { sentEntry, type Item, type ItemKind } from "../items.ts";
import { restoreEntry, undoCut } from "../undo.ts";
import { codeBlocks, copyText, itemText } from "./item-text.ts";
import type { Originals } from "./originals.ts";

export const itemKeysHint =
  "Enter open · y copy, c code · u undo, p pin · [ ] page · / find · Esc back";

/** Kinds of items that are folded. */
const folding = new Set<ItemKind>(["tool", "result", "thinking", "context", "cut"]);

export type ItemKeys = ReturnType<typeof itemKeysFor>;

/** `open` opens or folds an item, named by its index. */
export function itemKeysFor(host: Host, originals: Originals, open: (index: number) => void) {
  let lastCode = { key: "", index: 0 };
  const put = (text: string, what: string): void => {
    if (text === "") return host.flash(`There is no ${what.replace(/^an? |^the /, "")} to copy.`);
    host.copy(text);
    host.flash(`Copied ${what}: ${text.length.toLocaleString("en")} characters.`);
  };
  const copy = (item: Item): void => put(copyText(item), "the item");
  /** Copies the item's last code block; pressed again, the one before it. */
  const copyCode = (item: Item): void => {
    const blocks = codeBlocks(itemText(item));
    const { key, index } = lastCode;
    const next = key === item.key && index > 0 ? index - 1 : blocks.length - 1;
    lastCode = { key: item.key, index: next };
    const which = blocks.length > 1 ? `code block ${next + 1} of ${blocks.length}` : "a code block";
    put(blocks[next] ?? "", which);
  };
  const undo = (item: Item): void => {
    if (item.kind === "cut") void undoCut(host, item.entry.id);
    else void restoreEntry(host, sentEntry(item));
  };
  const pin = (item: Item): void => {
    const entry = sentEntry(item);
    const isPinned = rowOf(host.view, entry)?.pinned === true;
    host.send({ type: "pin", entry, on: !isPinned });
    host.flash(isPinned ? "Unpinned." : "Pinned: no compaction removes it.");
  };
  return {
    copy,
    /** Returns true if the chord was handled. */
    press(chord: string, item: Item, index: number): boolean {
      const turn = (pages: number): void => void originals.turn(item.key, pages).catch(host.report);
      const actions: Record<string, () => void> = {
        enter: () => open(index),
        " ": () => open(index),
        y: () => copy(item),
        c: () => copyCode(item),
        u: () => undo(item),
        p: () => pin(item),
        "[": () => turn(-1),
        "]": () => turn(1),
        "{": () => turn(-Infinity),
        "}": () => turn(Infinity),
      };
      actions[chord]?.();
      return actions[chord] !== undefined;
    },
    /** Opens or folds the newest item that can be: a call, mostly. */
    openNewest(): void {
      const { items } = host.state;
      for (let index = items.length - 1; index >= 0; index--) {
        const item = items[index];
        if (item && folding.has(item.kind)) return open(index);
      }
    },
  };
}
