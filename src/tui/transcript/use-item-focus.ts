/** The transcript in focus: one item is chosen, and keys act on it. */

import { useRef } from "react";
import type { KeyMap } from "../../config/keys.ts";
import type { Latest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { sentEntry, type Item } from "../items.ts";
import { at } from "../list.ts";
import { restoreEntry, undoCut } from "../undo.ts";
import type { PanelProps } from "../types.ts";
import { codeBlocks, copyText, itemText } from "./item-text.ts";
import type { Originals } from "./originals.ts";
import { isOpen } from "./source.ts";
import type { Search } from "./use-search.ts";
import type { ScrollPosition, Visible } from "./viewport.ts";

type ItemFocusOptions = Pick<
  PanelProps,
  "state" | "dispatch" | "send" | "copy" | "view" | "rules" | "options" | "nowMs"
> & {
  keys: KeyMap;
  chosen: Latest<number>;
  place: Latest<ScrollPosition>;
  visible: Visible;
  originals: Originals;
  search: Search;
  active: boolean;
};

export const itemFocusHint =
  "Enter opens · y copy, c code · u take back, p pin · [ ] pages · / find · Esc";

const moves: Record<string, number> = { up: -1, k: -1, down: 1, j: 1 };

export function useItemFocus(parts: ItemFocusOptions): { open(item: Item | undefined): void } {
  const { state, dispatch, keys, chosen, place, visible, originals, search } = parts;

  const flash = (text: string): void =>
    dispatch({ type: "flash", text, untilMs: Date.now() + 4_000 });
  const failed = (error: unknown): void =>
    flash(error instanceof Error ? error.message : String(error));

  const open = (item: Item | undefined): void => {
    if (!item) return;
    // Who follows the end would lose the head of what opens.
    if (!isOpen(state, item)) place.set(visible.top);
    dispatch({ type: "toggle", key: item.key });
    originals.open(item).catch(failed);
  };
  const choose = (delta: number): void => {
    const next = Math.max(0, Math.min(state.items.length - 1, chosen.get() + delta));
    chosen.set(next);
    if (!visible.lines.some((line) => line.item === next)) place.set({ item: next, line: 0 });
  };
  const copy = (text: string, what: string): void => {
    if (text === "") return flash(`Nothing to copy: no ${what} here.`);
    parts.copy(text);
    flash(`Copied ${what}: ${text.length.toLocaleString("en")} characters.`);
  };
  const lastCode = useRef({ key: "", index: 0 });
  /** The last code block of the item; with each further key the one before it. */
  const copyCode = (item: Item): void => {
    const blocks = codeBlocks(itemText(item));
    const { key, index } = lastCode.current;
    const next = key === item.key && index > 0 ? index - 1 : blocks.length - 1;
    lastCode.current = { key: item.key, index: next };
    const which = blocks.length > 1 ? `code block ${next + 1} of ${blocks.length}` : "a code block";
    copy(blocks[next] ?? "", which);
  };
  const leave = (): void => {
    if (search.bar !== null) return search.end();
    dispatch({ type: "focus", focus: "prompt" });
  };

  const acts: Record<string, (item: Item) => void> = {
    enter: open,
    " ": open,
    y: (item) => copy(copyText(item), "the item"),
    c: copyCode,
    u: (item) =>
      item.kind === "cut" ? undoCut(parts, item.entry.id) : restoreEntry(parts, sentEntry(item)),
    p: (item) => pin(item, parts, flash),
    "[": (item) => void originals.turn(item.key, -1).catch(failed),
    "]": (item) => void originals.turn(item.key, 1).catch(failed),
    "{": (item) => void originals.turn(item.key, -1e9).catch(failed),
    "}": (item) => void originals.turn(item.key, 1e9).catch(failed),
  };

  useKeys(
    "transcript",
    (event) => {
      if (event.type !== "key") return false;
      const { chord } = event;
      const action = keys.actionOf(chord);
      const item = at(state.items, chosen.get());
      if (action === "interrupt" || action === "focus") leave();
      else if (chord === "/" || action === "search") search.begin();
      else if (chord === "n") search.next(-1);
      else if (chord === "N") search.next(1);
      else if (moves[chord] !== undefined) choose(moves[chord]);
      else if (acts[chord] && item) acts[chord](item);
      else if (action === "copy" && item) copy(copyText(item), "the item");
      // What is no key of ours may be one of the screen's; letters never reach the prompt.
      else return event.text !== "";
      return true;
    },
    parts.active,
  );

  return { open };
}

function pin(item: Item, { view, send }: ItemFocusOptions, flash: (text: string) => void): void {
  const entry = sentEntry(item);
  const pinned = view.rows[view.indexOf(entry) ?? -1]?.pinned === true;
  send({ type: "pin", entry, on: !pinned });
  flash(pinned ? "No longer pinned." : "Pinned: no compaction takes it.");
}
