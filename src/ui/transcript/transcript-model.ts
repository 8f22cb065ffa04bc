/** The transcript's position, search and focus, and the keys that change them or its items. */

import type { EntryId } from "../../protocol/entry.ts";
import { findRow } from "../../context/view/rows.ts";
import { codeBlocks, copyText, type Item, itemText, sentEntry } from "../items.ts";
import { redoCut, restoreEntry, undoCut, wasUndone } from "../undo.ts";
import { transcriptSource } from "./source.ts";
import type { Original } from "./tool-lines.ts";
import type { Shared } from "../shared.ts";
import type { KeyAction } from "../../config/keys.ts";
import type { InputEvent } from "../keys.ts";
import { fitLine, type Line, span } from "../spans.ts";
import { fitHint, wheelLines } from "../panels/navigation.ts";
import {
  lastLines,
  linesBetween,
  markMatches,
  type Place,
  revealed,
  scrollBy,
  type ScrollPosition,
  type Source,
  type TranscriptView,
  type Visible,
  visibleLines,
} from "./viewport.ts";
import { TranscriptSearch } from "./transcript-search.ts";

const itemKeysHint = "Enter open · y copy, c code · u undo, p pin · / find · Esc back";

const moreBelow = "▼ more below · End";

const isCall = (item: Item): boolean =>
  item.kind === "tool" ||
  item.kind === "result" ||
  (item.kind === "context" && item.entry.kind === "shell");

type Parts = Pick<Shared, "store" | "actions" | "services" | "keys">;

/** Lines that are read of a result that was saved to a file. */
const originalLines = 200;

const maxClosingLines = 2_000;

export class TranscriptModel {
  readonly search: TranscriptSearch;
  readonly #parts: Parts;
  readonly #originals = new Map<string, Original>();
  readonly #source: (width: number) => Source;
  #place: ScrollPosition = null;
  /** The width at which the position was set, and the height of its item then. */
  #placed = { width: 0, height: 1 };
  #chosen = 0;
  /** The code block that was copied last. */
  #lastCode = { key: "", index: 0 };
  /** Target of the last jump, until the next scroll. */
  #jumpedTo: number | null = null;
  #hasGutter = false;
  #size = { columns: 80, rows: 20 };
  #top = 0;
  #visible: Visible = { lines: [], top: { item: 0, line: 0 }, below: false };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#source = transcriptSource(parts, this.#originals);
    this.search = new TranscriptSearch(parts.store, {
      lines: () => this.#lines(),
      place: () => this.#place,
      goTo: (place) => this.#goTo(place),
      show: (match) => this.#showMatch(match),
    });
  }

  get followsEnd(): boolean {
    return this.#place === null;
  }

  follow(): void {
    this.#goTo(null);
  }

  /**
   * `top`: first screen row of the transcript; `gutter`: left margin, which holds the selection mark.
   */
  frame(columns: number, rows: number, top = 0, gutter = 0): TranscriptView {
    this.#size = { columns, rows };
    this.#hasGutter = gutter > 0;
    this.#top = top;
    const source = this.#lines();
    this.#keepPlace(source);
    this.#chosen = this.#shownItem(this.#chosen, source);
    // Scrolled up or in focus, the last row shows a notice or key hints.
    const hasFoot = this.#place !== null || this.search.isOpen || this.#isFocused;
    const visible = visibleLines(source, this.#place, Math.max(1, rows - (hasFoot ? 1 : 0)));
    this.#visible = visible;
    const foot = this.#foot(columns);
    const shown = visible.lines.slice(0, Math.max(0, rows - (foot === null ? 0 : 1)));
    return {
      columns,
      rows,
      shift: this.#isFocused && this.#hasGutter ? 1 : 0,
      lines: shown.map((line) => this.#mark(line)),
      places: shown.map(({ item, line }) => ({ item, line })),
      foot,
    };
  }

  /** A line with highlighted matches, and the selection mark while the transcript has focus. */
  #mark({ text, item }: Visible["lines"][number]): string {
    const { theme } = this.#parts.store;
    const { pattern } = this.search;
    const mark = !this.#isFocused ? "" : item === this.#chosen ? theme.paint("accent", "▌") : " ";
    return mark + (pattern === null ? text : markMatches(text, pattern, theme));
  }

  #foot(columns: number): Line | null {
    const below = this.#visible.below ? [span("warning", moreBelow)] : [];
    const room = columns - (below.length > 0 ? moreBelow.length + 2 : 0);
    const { bar } = this.search;
    if (bar === null && !this.#isFocused) return below[0] ?? null;
    const hint = bar === null ? span("dim", fitHint(itemKeysHint, room)) : fitHint(bar, room);
    return fitLine([...below, ...(below.length > 0 ? ["  "] : []), hint], columns);
  }

  lastLines(columns: number): string[] {
    const { lines, isCut } = lastLines(this.#source(columns), maxClosingLines);
    const note = this.#parts.store.theme.paint("dim", "… earlier lines are in the log");
    return isCut ? [note, ...lines] : lines;
  }

  get edges(): { top: number; bottom: number } {
    return { top: this.#top, bottom: this.#top + this.#visible.lines.length };
  }

  /** Lines as drawn, including off-screen lines. */
  between(from: Place, to: Place): Visible["lines"] {
    const mark = this.#isFocused && !this.#hasGutter ? " " : "";
    return linesBetween(this.#lines(), from, to).map((line) => ({
      ...line,
      text: mark + line.text,
    }));
  }

  pressFocused(event: InputEvent): boolean {
    if (this.search.isTyping) return this.search.press(event);
    if (event.type !== "key") return false;
    const used = this.#pressFocused(event.chord);
    // Typing continues the message in the prompt.
    if (!used && event.text !== "") this.#leave();
    return used;
  }

  /** Keys and mouse events that scroll at any time. */
  press(event: InputEvent): boolean {
    if (event.type === "mouse") return this.#mouse(event.action, event.row);
    if (event.type !== "key") return false;
    const action = this.#parts.keys.findAction(event.chord);
    const move = action && this.#moves()[action];
    move?.();
    return move !== undefined;
  }

  /** Home and End; the prompt uses them while it has text. */
  pressLast(chord: string): boolean {
    if (chord === "home") this.#goTo({ item: 0, line: 0 });
    else if (chord === "end") this.#goTo(null);
    else return false;
    return true;
  }

  get #isFocused(): boolean {
    return this.#parts.store.state.focus === "transcript";
  }

  get #width(): number {
    return this.#size.columns - (this.#isFocused && !this.#hasGutter ? 1 : 0);
  }

  #lines(): Source {
    return this.#source(this.#width);
  }

  /** The item whose row shows a call. */
  #shownItem(index: number, lines: Source): number {
    const item = this.#parts.store.state.items[index];
    return item?.kind === "tool" && lines.lines(index).length === 0 ? item.groupStart : index;
  }

  /** Keeps the top line in place when a new width rewraps the lines. */
  #keepPlace(lines: Source): void {
    const place = this.#place;
    if (place === null) return;
    const item = this.#shownItem(place.item, lines);
    if (item !== place.item) return this.#setPlace({ item, line: 0 }, lines);
    if (this.#placed.width === this.#width) return;
    const share = place.line / this.#placed.height;
    this.#setPlace({ item, line: Math.floor(share * lines.lines(item).length) }, lines);
  }

  #setPlace(place: ScrollPosition, { lines }: Source): void {
    this.#place = place;
    const height = place === null ? 1 : Math.max(1, lines(place.item).length);
    this.#placed = { width: this.#width, height };
  }

  #showMatch(match: Place): void {
    const lines = this.#lines();
    const { rows } = this.#size;
    this.#chosen = match.item;
    this.#setPlace(scrollBy(lines, match, rows - 1, -Math.floor(rows / 3)), lines);
  }

  #moves(): Partial<Record<KeyAction, () => void>> {
    const page = Math.max(1, this.#size.rows - 2);
    return {
      pageUp: () => this.scroll(-page),
      pageDown: () => this.scroll(page),
      top: () => this.#goTo({ item: 0, line: 0 }),
      bottom: () => this.#goTo(null),
      previousMessage: () => this.#jump(-1, "user"),
      nextMessage: () => this.#jump(1, "user"),
      previousBoundary: () => this.#jump(-1, "cut"),
      nextBoundary: () => this.#jump(1, "cut"),
      focus: () => this.#focus(),
      openNewest: () => this.#openNewest(),
      search: () => {
        this.search.begin();
        this.#focus();
      },
    };
  }

  #mouse(action: string, row: number): boolean {
    const line = this.#visible.lines[row - this.#top];
    if (action === "wheelUp") this.scroll(-wheelLines);
    else if (action === "wheelDown") this.scroll(wheelLines);
    else if (action === "press" && line) this.#open(line.item);
    return true;
  }

  #pressFocused(chord: string): boolean {
    const { keys, store } = this.#parts;
    const { state } = store;
    const action = keys.findAction(chord);
    const item = state.items[this.#chosen];
    if (action === "interrupt" || action === "focus") this.#leave();
    else if (chord === "/" || action === "search") this.search.begin();
    else if (chord === "n") this.search.next(-1);
    else if (chord === "N") this.search.next(1);
    else if (chord === "up" || chord === "k") this.#choose(-1);
    else if (chord === "down" || chord === "j") this.#choose(1);
    else if (!item) return false;
    else if (chord === "enter" || chord === " ") this.#open(this.#chosen);
    else if (chord === "y" || action === "copy") this.#parts.actions.copy(copyText(item), "item");
    else if (chord === "c") this.#copyCode(item);
    else if (chord === "u" && item.kind === "cut") undoCut(this.#parts, item.entry.id);
    else if (chord === "u") void restoreEntry(this.#parts, sentEntry(item));
    else if (chord === "p") this.#pin(sentEntry(item));
    else return false;
    return true;
  }

  /** Copies the item's last code block; repeated presses copy earlier ones. */
  #copyCode(item: Item): void {
    const blocks = codeBlocks(itemText(item));
    const { key, index } = this.#lastCode;
    const next = key === item.key && index > 0 ? index - 1 : blocks.length - 1;
    this.#lastCode = { key: item.key, index: next };
    const which = blocks.length > 1 ? `code block ${next + 1} of ${blocks.length}` : "code block";
    this.#parts.actions.copy(blocks[next] ?? "", which);
  }

  #pin(entry: EntryId): void {
    const { store, actions } = this.#parts;
    const isPinned = findRow(store.view, entry)?.pinned === true;
    actions.send({ type: "pin", entry, on: !isPinned });
    actions.notify(isPinned ? "Unpinned." : "Pinned: no compaction removes it.");
  }

  /** Opens or folds the newest call, of the model or by `!`. */
  #openNewest(): void {
    const index = this.#parts.store.state.items.findLastIndex(isCall);
    if (index >= 0) this.#open(index);
  }

  /** Reads the first lines of a result that was saved to a file. Throws if the file is missing. */
  async #readOriginal(item: Item): Promise<void> {
    const result = item.kind === "tool" || item.kind === "result" ? item.result : null;
    if (result?.file === undefined || this.#originals.has(item.key)) return;
    const text = await this.#parts.services.openOriginal(result);
    const lines = await text.read(0, originalLines);
    this.#originals.set(item.key, { bytes: text.bytes, count: text.lines, lines });
    this.#parts.store.redraw();
  }

  #leave(): void {
    this.search.end();
    this.#parts.store.dispatch({ type: "set", focus: "prompt" });
  }

  #choose(delta: number): void {
    const { items } = this.#parts.store.state;
    const lines = this.#lines();
    // A turn's totals have no keys, and calls that share a row have one item.
    const isSkipped = (index: number): boolean =>
      items[index]?.kind === "turn" || lines.lines(index).length === 0;
    let next = this.#chosen + delta;
    while (items[next] && isSkipped(next)) next += delta;
    if (items[next]) this.#chosen = next;
    if (!this.#visible.lines.some(({ item }) => item === this.#chosen))
      this.#goTo({ item: this.#chosen, line: 0 });
  }

  #open(index: number): void {
    const { state, dispatch } = this.#parts.store;
    const { report } = this.#parts.actions;
    const item = state.items[index];
    if (!item) return;
    if (item.kind === "cut" && wasUndone(item.entry.id, this.#parts.store.view))
      return redoCut(this.#parts, item.entry.id);
    const rows = Math.max(1, this.#size.rows - 1);
    const height = (): number => this.#lines().lines(index).length;
    const before = height();
    // Clicks on items that do not fold, such as answers, do nothing.
    const reveal = (): void => {
      if (height() !== before) this.#goTo(revealed(this.#lines(), this.#visible, index, rows));
    };
    dispatch({ type: "toggle", key: item.key });
    reveal();
    this.#readOriginal(item).then(reveal).catch(report);
  }

  #focus(): void {
    const { items } = this.#parts.store.state;
    const { lines } = this.#visible;
    const target = lines.find(({ item }) => item === this.#jumpedTo);
    const last = lines.findLast(({ item }) => item < items.length && items[item]?.kind !== "turn");
    this.#chosen = (target ?? last)?.item ?? 0;
    this.#parts.store.dispatch({ type: "set", focus: "transcript" });
  }

  scroll(delta: number): void {
    const rows = Math.max(1, this.#size.rows - 1);
    this.#goTo(scrollBy(this.#lines(), this.#place, rows, delta));
  }

  #goTo(place: ScrollPosition): void {
    this.#jumpedTo = null;
    this.#setPlace(place, this.#lines());
    this.#parts.store.redraw();
  }

  #jump(step: 1 | -1, kind: Item["kind"]): void {
    const { items } = this.#parts.store.state;
    const from = this.#visible.lines[0]?.item ?? items.length;
    for (let index = from + step; index >= 0 && index < items.length; index += step)
      if (items[index]?.kind === kind) {
        this.#goTo({ item: index, line: 0 });
        this.#jumpedTo = index;
        return;
      }
  }
}
