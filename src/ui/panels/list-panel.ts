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
  label?: string;
};

export type ListPanel = PanelModel & {
  /** The panel that was opened from an item; it covers the list. */
  opened: PanelModel | null;
  readonly filter: string;
  /** Moves the choice down by `step` items, or up if it is negative. */
  move(step: number): void;
};

export function listPanel<T>(host: Host, options: ListOptions<T>): ListPanel {
  const { filter = "typing", label = "Search", keys, isFiltered, onChoose } = options;
  let input = new LineInput(options.query);
  let isFiltering = filter !== "slash";
  let at = 0;
  let columns = 80;
  let page = 1;
  /** The item in each row as last drawn; null: a row without one. */
  let itemIn: readonly (number | null)[] = [];

  /** The content, reduced to items whose lines contain every word of the filter. */
  const content = (): ListContent<T> => {
    const whole = options.content(input.text);
    if (isFiltered || input.text.trim() === "") return whole;
    const holds = wordFilter(input.text);
    const items = whole.items.filter((item) => holds(options.lines(item, columns).join(" ")));
    return { ...whole, items };
  };
  /** Index of the selected one of `count` items. */
  const place = (count: number): number => clamp(at, count - 1);
  const chosen = (): T | undefined => {
    const { items } = content();
    return items[place(items.length)];
  };
  const move = (step: number): void => {
    const count = content().items.length;
    at = clamp(place(count) + step, count - 1);
  };
  const filtered = (): void => {
    at = 0;
    options.onFilter?.(input.text);
  };
  const type = (event: InputEvent): boolean => {
    const before = input.text;
    const used = input.press(event);
    if (input.text !== before) filtered();
    return used;
  };
  /** A click chooses an item; on the chosen one it is Enter. */
  const click = (row: number): boolean => {
    const clicked = itemIn[row] ?? null;
    if (clicked === null) return false;
    const { items } = content();
    if (clicked !== place(items.length)) at = clicked;
    else if (items[clicked] !== undefined) onChoose(items[clicked]);
    return true;
  };
  const filterLine = (): string[] => {
    const isTyped = isFiltering && filter !== "typing";
    if (input.text === "" && !isTyped) return [];
    const caret = isFiltering ? host.theme.paint("selected", " ") : "";
    return [`${host.theme.paint("accent", `${label}: `)}${sanitizeLine(input.text)}${caret}`];
  };

  return {
    opened: null,
    get filter() {
      return input.text;
    },
    move,
    field(width) {
      return this.opened?.field?.(width) ?? null;
    },
    press(event) {
      if (this.opened) return this.opened.press(event);
      if (event.type === "paste") return isFiltering && type(event);
      const step = stepOf(event, page);
      if (step !== null) {
        move(step);
        return true;
      }
      if (event.type === "mouse") return event.action === "press" && click(event.row);
      const { chord } = event;
      const ends = isFiltering && filter === "slash";
      if (ends && (chord === "enter" || chord === "escape")) {
        isFiltering = false;
        if (chord === "enter") return true;
        input = new LineInput();
        filtered();
        return true;
      }
      if (chord === "enter") {
        const item = chosen();
        if (item !== undefined) onChoose(item);
        return true;
      }
      const own = ends ? undefined : keys?.[chord];
      if (own) {
        own(chosen());
        return true;
      }
      if (isFiltering) return type(event);
      isFiltering = chord === "/";
      return isFiltering;
    },
    draw(width, rows) {
      if (this.opened) return this.opened.draw(width, rows);
      columns = width;
      const { theme } = host;
      const { title, hint, empty = "", items, footer } = content();
      const index = place(items.length);
      const above = filterLine();
      const linesOf = (item: T): readonly string[] => options.lines(item, columns);
      const below = (footer?.(items[index], columns) ?? []).slice(
        0,
        Math.max(0, rows - frameRows - above.length - 2),
      );
      const height = Math.max(1, ...items.slice(0, 1).map((item) => linesOf(item).length));
      const room = Math.max(1, rows - frameRows - above.length - below.length);
      page = Math.max(1, Math.floor(room / height));
      const top = clamp(index - Math.floor(page / 2), items.length - page);
      const shown = items.slice(top, top + page).map(linesOf);
      const lines = shown.flatMap(([first = "", ...more], row) => {
        if (top + row !== index) return [first, ...more];
        const plain = Bun.stripANSI(first);
        return [theme.paint("selected", pad(fit(plain, columns), columns)), ...more];
      });
      itemIn = [
        ...Array<null>(titleRows + above.length).fill(null),
        ...shown.flatMap((one, row) => one.map(() => top + row)),
      ];
      const isOwn = input.text === "" || isFiltered;
      const body = items.length > 0 ? lines : [isOwn ? empty : "No matches."];
      return drawFrame({ title, hint, lines: [...above, ...body, ...below] }, columns, theme);
    },
  };
}
