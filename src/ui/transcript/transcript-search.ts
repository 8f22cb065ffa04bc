/** Search in the transcript: incremental while typing, then n and N move between the matches. */

import { takeEnd } from "../../base/clip.ts";
import type { InputEvent } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import { isOpen } from "../state.ts";
import type { Store } from "../store.ts";
import { itemText } from "../items.ts";
import { findLine, type Place, type ScrollPosition, type Source } from "./viewport.ts";

type SearchTarget = {
  lines(): Source;
  place(): ScrollPosition;
  goTo(place: ScrollPosition): void;
  show(match: Place): void;
};

/** Matches `needle` literally, ignoring case. */
const patternFor = (needle: string): RegExp => new RegExp(RegExp.escape(needle), "gi");

/** Characters that are searched before other work has its turn. */
const pieceChars = 2_000_000;

/** Only the end of a long query is shown, where the user is typing. */
const shownChars = 40;

export class TranscriptSearch {
  isOpen = false;
  isTyping = false;
  pattern: RegExp | null = null;
  readonly #store: Store;
  readonly #target: SearchTarget;
  #needle = "";
  /** The items found so far, newest first. */
  #found: number[] = [];
  /** The next item to search, from the newest to the oldest; negative: all were. */
  #next = -1;
  #match: Place | null = null;
  /** The item of the match was unfolded to show it. */
  #unfolded: number | null = null;
  #from: ScrollPosition = null;

  constructor(store: Store, target: SearchTarget) {
    this.#store = store;
    this.#target = target;
  }

  get bar(): string | null {
    if (!this.isOpen) return null;
    const cursor = this.isTyping ? "▌" : "";
    const keys = this.isTyping
      ? "↑ ↓ previous, next · Enter done · Esc cancel"
      : "n previous · N next · / new search · Esc close";
    const typed = sanitizeLine(takeEnd(this.#needle, shownChars));
    // If there is little room, the keys are left out first.
    return [`/${typed}${cursor}`, keys, this.#count()].filter((part) => part !== "").join(" · ");
  }

  begin(): void {
    this.end();
    this.isOpen = true;
    this.isTyping = true;
    this.#from = this.#target.place();
  }

  end(): void {
    this.isOpen = false;
    this.isTyping = false;
    this.#unfolded = null;
    this.#start("");
  }

  press(event: InputEvent): boolean {
    if (!this.isTyping || event.type === "mouse") return false;
    const needle = this.#needle;
    if (event.type === "paste") this.#find(needle + event.text);
    else if (event.chord === "enter") this.isTyping = false;
    else if (event.chord === "escape") this.#cancel();
    else if (event.chord === "up") this.next(-1);
    else if (event.chord === "down") this.next(1);
    else if (event.chord === "backspace") this.#find([...needle].slice(0, -1).join(""));
    else if (event.chord === "ctrl+u") this.#find("");
    else if (event.text === "") return false;
    else this.#find(needle + event.text);
    return true;
  }

  /** Goes to the previous (-1) or next (1) match. */
  next(step: 1 | -1): void {
    const pattern = this.pattern;
    const match = this.#match;
    if (!pattern) return;
    if (match) {
      const { item } = match;
      const line = findLine(this.#readLines(item), match.line + step, step, pattern);
      if (line !== null) return this.#show({ item, line });
    }
    const item = this.#found[(match ? this.#found.indexOf(match.item) : -1) - step];
    if (item !== undefined) this.#goTo(item, step, pattern);
  }

  #cancel(): void {
    if (this.#unfolded !== null) this.#fold(this.#unfolded, true);
    this.end();
    this.#target.goTo(this.#from);
    this.#store.dispatch({ type: "set", focus: "prompt" });
  }

  #find(needle: string): void {
    this.#start(needle);
    if (this.pattern) this.#scan(this.pattern);
  }

  #start(needle: string): void {
    this.#needle = needle;
    this.pattern = needle === "" ? null : patternFor(needle);
    this.#found = [];
    this.#next = this.#target.lines().count - 1;
    this.#match = null;
  }

  /** Searches the next piece, and the one after it when other work had its turn. */
  #scan(pattern: RegExp): void {
    if (this.pattern !== pattern) return;
    for (let chars = 0; this.#next >= 0 && chars < pieceChars; this.#next--) {
      const text = this.#readText(this.#next);
      if (text.search(pattern) >= 0) this.#found.push(this.#next);
      chars += text.length;
    }
    const [first] = this.#found;
    if (first !== undefined && !this.#match) this.#goTo(first, -1, pattern);
    this.#store.redraw();
    if (this.#next >= 0) setImmediate(() => this.#scan(pattern));
  }

  #readText(index: number): string {
    const item = this.#store.state.items[index];
    return item ? itemText(item) : Bun.stripANSI(this.#readLines(index).join("\n"));
  }

  /** Shows the first match of an item, or the last; unfolds it if that is folded away. */
  #goTo(item: number, step: 1 | -1, pattern: RegExp): void {
    const first = (): number | null => {
      const lines = this.#readLines(item);
      return findLine(lines, step < 0 ? lines.length - 1 : 0, step, pattern);
    };
    if (this.#unfolded !== null) this.#fold(this.#unfolded, true);
    this.#unfolded = null;
    let line = first();
    if (line === null && this.#fold(item, false)) {
      this.#unfolded = item;
      line = first();
    }
    this.#show({ item, line: line ?? 0 });
  }

  #show(match: Place): void {
    this.#match = match;
    this.#target.show(match);
  }

  #readLines(item: number): readonly string[] {
    return this.#target.lines().lines(item);
  }

  /** Folds or unfolds an item; false: it was so already. */
  #fold(index: number, folded: boolean): boolean {
    const { state, dispatch } = this.#store;
    const item = state.items[index];
    if (!item || isOpen(state, item) !== folded) return false;
    dispatch({ type: "toggle", key: item.key });
    return true;
  }

  /** "3 of 17": position among the matching items, counted from the newest. */
  #count(): string {
    if (!this.pattern) return "";
    const isDone = this.#next < 0;
    const { length } = this.#found;
    if (length === 0) return isDone ? "no matches" : "searching";
    const at = this.#match ? this.#found.indexOf(this.#match.item) + 1 : 0;
    return `${at} of ${length}${isDone ? "" : "+"}`;
  }
}
