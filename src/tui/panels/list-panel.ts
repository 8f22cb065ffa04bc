/** A panel that is a list: one item is chosen with the arrows or by typing a part of it. */

import type { Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { LineInput } from "../prompt/line-input.ts";
import { sanitizeLine } from "../sanitize.ts";
import { pad, fit } from "../wrap.ts";
import {
  clamp,
  drawFrame,
  frameRows,
  stepOf,
  titleRows,
  wordFilter,
  type PanelModel,
} from "./panel.ts";

type ListContent<T> = {
  title: string;
  hint: string;
  /** Shown when there are no items, unless they were filtered here. */
  empty?: string;
  items: readonly T[];
  /** Lines below the items. */
  footer?(chosen: T | undefined, columns: number): readonly string[];
};

type ListOptions<T> = {
  content(filter: string): ListContent<T>;
  /** Clean lines of an item; the first one is marked when it is chosen. */
  lines(item: T, columns: number): readonly string[];
  onChoose(item: T): void;
  /** Other keys, with the chosen item, if there is one. */
  keys?: Record<string, (item: T | undefined) => void>;
  /** What typing does: it filters, always or only after "/"; "query" also shows an empty filter. */
  filter?: "typing" | "slash" | "query";
  /** The content is filtered already. */
  isFiltered?: true;
  /** The filter to begin with. */
  query?: string;
  onFilter?(filter: string): void;
  /** The label of the filter. */
  label?: string;
};

export class ListPanel<T> implements PanelModel {
  /** The panel that was opened from an item; it covers the list. */
  opened: PanelModel | null = null;
  readonly #host: Host;
  readonly #options: ListOptions<T>;
  #at = 0;
  #filter: LineInput;
  #isFiltering: boolean;
  #columns = 80;
  #page = 1;
  /** The item in each row as last drawn; null: a row without one. */
  #rows: readonly (number | null)[] = [];

  constructor(host: Host, options: ListOptions<T>) {
    this.#host = host;
    this.#options = options;
    this.#filter = new LineInput(options.query);
    this.#isFiltering = options.filter !== "slash";
  }

  get filter(): string {
    return this.#filter.text;
  }

  get chosen(): T | undefined {
    const { items } = this.#content();
    return items[this.#place(items.length)];
  }

  /** Moves the choice down by `step` items, or up if it is negative. */
  move(step: number): void {
    const count = this.#content().items.length;
    this.#at = clamp(this.#place(count) + step, count - 1);
  }

  field(columns: number): string | null {
    return this.opened?.field?.(columns) ?? null;
  }

  press(event: InputEvent): boolean {
    if (this.opened) return this.opened.press(event);
    if (event.type === "paste") return this.#isFiltering && this.#type(event);
    const step = stepOf(event, this.#page);
    if (step !== null) {
      this.move(step);
      return true;
    }
    if (event.type === "mouse") return event.action === "press" && this.#click(event.row);
    const { chord } = event;
    const ends = this.#isFiltering && this.#options.filter === "slash";
    if (ends && (chord === "enter" || chord === "escape")) {
      this.#isFiltering = false;
      if (chord === "escape") this.#clear();
      return true;
    }
    if (chord === "enter") {
      const { chosen } = this;
      if (chosen !== undefined) this.#options.onChoose(chosen);
      return true;
    }
    const own = ends ? undefined : this.#options.keys?.[chord];
    if (own) {
      own(this.chosen);
      return true;
    }
    if (!this.#isFiltering) {
      this.#isFiltering = chord === "/";
      return this.#isFiltering;
    }
    return this.#type(event);
  }

  draw(columns: number, rows: number): string[] {
    if (this.opened) return this.opened.draw(columns, rows);
    this.#columns = columns;
    const { theme } = this.#host;
    const { title, hint, empty = "", items, footer } = this.#content();
    const place = this.#place(items.length);
    const filter = this.#filterLine();
    const below = footer?.(items[place], columns) ?? [];
    const linesOf = (item: T): readonly string[] => this.#options.lines(item, columns);
    const shownFooter = below.slice(0, Math.max(0, rows - frameRows - filter.length - 2));
    const height = Math.max(1, ...items.slice(0, 1).map((item) => linesOf(item).length));
    const room = Math.max(1, rows - frameRows - filter.length - shownFooter.length);
    this.#page = Math.max(1, Math.floor(room / height));
    const top = clamp(place - Math.floor(this.#page / 2), items.length - this.#page);
    const shown = items.slice(top, top + this.#page).map(linesOf);
    const lines = shown.flatMap(([first = "", ...more], index) => {
      if (top + index !== place) return [first, ...more];
      const plain = Bun.stripANSI(first);
      return [theme.paint("selected", pad(fit(plain, columns), columns)), ...more];
    });
    this.#rows = [
      ...Array<null>(titleRows + filter.length).fill(null),
      ...shown.flatMap((one, index) => one.map(() => top + index)),
    ];
    const isOwn = this.filter === "" || this.#options.isFiltered;
    const body = items.length > 0 ? lines : [isOwn ? empty : "No matches."];
    const frame = { title, hint, lines: [...filter, ...body, ...shownFooter] };
    return drawFrame(frame, columns, theme);
  }

  /** The content, reduced to items whose lines contain every word of the filter. */
  #content(): ListContent<T> {
    const { content, lines, isFiltered } = this.#options;
    const whole = content(this.filter);
    if (isFiltered || this.filter.trim() === "") return whole;
    const holds = wordFilter(this.filter);
    const items = whole.items.filter((item) => holds(lines(item, this.#columns).join(" ")));
    return { ...whole, items };
  }

  /** Index of the selected one of `count` items. */
  #place(count: number): number {
    return clamp(this.#at, count - 1);
  }

  #filterLine(): string[] {
    const { filter = "typing", label = "Search" } = this.#options;
    const isTyped = this.#isFiltering && filter !== "typing";
    if (this.filter === "" && !isTyped) return [];
    const { theme } = this.#host;
    const caret = this.#isFiltering ? theme.paint("selected", " ") : "";
    return [`${theme.paint("accent", `${label}: `)}${sanitizeLine(this.filter)}${caret}`];
  }

  /** A click chooses an item; on the chosen one it is Enter. */
  #click(row: number): boolean {
    const clicked = this.#rows[row] ?? null;
    if (clicked === null) return false;
    const { items } = this.#content();
    if (clicked !== this.#place(items.length)) this.#at = clicked;
    else if (items[clicked] !== undefined) this.#options.onChoose(items[clicked]);
    return true;
  }

  #type(event: InputEvent): boolean {
    const before = this.filter;
    const used = this.#filter.press(event);
    if (this.filter !== before) this.#filtered();
    return used;
  }

  #clear(): void {
    this.#filter = new LineInput();
    this.#filtered();
  }

  #filtered(): void {
    this.#at = 0;
    this.#options.onFilter?.(this.filter);
  }
}
