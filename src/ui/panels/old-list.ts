/** A panel that is a list: one item is chosen with the arrows or by typing a part of it. */

import {
  type AskedField,
  askedField,
  type AskedLine,
  FieldModel,
} from "../components/field/field-model.ts";
import type { Host } from "./host.ts";
import { type InputEvent, toChord } from "../keys.ts";
import { fit, fitLine, type Line, pad, plainText, span, wrapWords } from "../line.ts";
import {
  bestFirst,
  clamp,
  frameRows,
  type ListRow,
  type PanelModel,
  scrollStep,
  titleRows,
  wordFilter,
} from "./panel.ts";

/** A text, or what it is now. */
type Text = string | (() => string);

const read = (text: Text): string => (typeof text === "string" ? text : text());

type ListOptions<T> = {
  title: Text;
  hint: Text;
  /** Shown when there are no items, unless they were filtered here. */
  empty?: Text;
  items(filter: string): readonly T[];
  /** Below the list. */
  footer?(chosen: T | undefined, columns: number): readonly Line[];
  /** The names of the columns, above all rows. */
  header?(columns: number): Line | null;
  /** Clean lines of an item; the first one is marked when it is chosen. */
  lines(item: T, columns: number): readonly Line[];
  /** The heading above it and those that follow; not shown among matches, whose order is another. */
  group?(item: T): string;
  /** The words by which it is found, its name first; by default those of its lines. */
  text?(item: T): string;
  onChoose(item: T): void;
  /** The panel closes before `onChoose`. */
  closes?: true;
  /** Other keys, with the chosen item, if there is one. */
  keys?: Record<string, (item: T | undefined) => void>;
  /** When typing filters: always, or only after "/". */
  filter?: "typing" | "slash";
  /** The items are filtered already. */
  isFiltered?: true;
  query?: string;
  onFilter?(filter: string): void;
  label?: string;
  placeholder?: string;
  /** The index that is chosen before any key; the first by default. */
  start?(items: readonly T[]): number;
};

/** A line that is asked for below the list; its footer takes the place of the list's. */
type ListLine = AskedLine & { footer?(value: string, columns: number): readonly Line[] };

export type ListPanel = PanelModel & {
  /** The panel that was opened from an item; it covers the list until Escape. */
  opened: PanelModel | null;
  /** Asks for a line of text, which gets the keys; null: no longer. */
  ask(line: ListLine | null): void;
  readonly filter: string;
  move(step: number): void;
  /** Moves, from the end to the other one. */
  turn(step: 1 | -1): void;
};

export function listPanel<T>(host: Host, options: ListOptions<T>): ListPanel {
  const { filter = "typing", label = "Search", keys, isFiltered } = options;
  const { placeholder = "type to search", start = () => 0 } = options;
  /** Null: nothing was chosen yet. */
  let at: number | null = null;
  let columns = 80;
  let page = 1;
  /** The item in each row as last shown; null: a row without one. */
  let rowItems: readonly (number | null)[] = [];
  const input = new FieldModel(options.query, (value) => {
    at = null;
    options.onFilter?.(value);
    host.redraw();
  });
  let isFiltering = filter !== "slash";
  let asked: AskedField<ListLine> | null = null;

  /** As last shown: keys act on what the user sees. Null once a key may have changed it. */
  let shownItems: { filter: string; items: readonly T[] } | null = null;
  const items = (): readonly T[] => {
    if (shownItems?.filter !== input.value)
      shownItems = { filter: input.value, items: findItems(input.value) };
    return shownItems.items;
  };
  /** The items whose lines contain every word of the filter. */
  const findItems = (words: string): readonly T[] => {
    const all = options.items(words);
    if (isFiltered || words.trim() === "") return all;
    if (options.text) return bestFirst(words, all, options.text);
    const holds = wordFilter(words);
    return all.filter((item) => holds(options.lines(item, columns).map(plainText).join(" ")));
  };
  const place = (): number => clamp(at ?? start(items()), items().length - 1);
  const choose = (): void => {
    const item = items()[place()];
    if (item === undefined) return;
    if (options.closes) host.show(null);
    options.onChoose(item);
  };
  const move = (step: number): void => {
    at = clamp(place() + step, items().length - 1);
  };
  /** A click chooses an item; on the chosen one it is Enter. */
  const click = (row: number): boolean => {
    const clicked = rowItems[row] ?? null;
    if (clicked === null) return false;
    if (clicked !== place()) at = clicked;
    else choose();
    shownItems = null;
    return true;
  };

  /** At most `room` rows of items and headings around the chosen one. */
  function rowsAround(all: readonly T[], index: number, room: number, isFound: boolean) {
    const from = Math.max(0, index - room);
    const rows = all.slice(from, index + room + 1).flatMap((item, offset) => {
      const at = from + offset;
      const before = all[at - 1];
      const heading = isFound ? undefined : options.group?.(item);
      const isFirst = before === undefined || options.group?.(before) !== heading;
      const lines = rowsOfItem(options.lines(item, columns), at === index, columns);
      return [
        ...(heading !== undefined && isFirst
          ? [{ item: null, row: { line: span("heading", heading), isChosen: false } }]
          : []),
        ...lines.map((row) => ({ item: at, row })),
      ];
    });
    const first = rows.findIndex(({ item }) => item === index);
    const tall = rows.filter(({ item }) => item === index).length;
    const top = clamp(first - Math.floor((room - tall) / 2), rows.length - room);
    return rows.slice(top, top + room);
  }

  return {
    opened: null,
    get filter() {
      return input.value;
    },
    move,
    turn(step) {
      const { length } = items();
      at = (place() + step + length) % Math.max(1, length);
    },
    ask(line) {
      asked = line && askedField(host, line, () => (asked = null));
    },
    press(event: InputEvent) {
      if (this.opened) {
        if (this.opened.press(event)) return true;
        if (toChord(event) !== "escape") return false;
        this.opened = null;
        return true;
      }
      if (asked) return asked.press(event);
      if (event.type === "paste") return isFiltering && host.type(input, event);
      const step = scrollStep(event, page);
      if (step !== null) {
        move(step);
        return true;
      }
      if (event.type === "mouse") return event.action === "press" && click(event.row);
      const { chord } = event;
      const ends = isFiltering && filter === "slash";
      if (ends && (chord === "enter" || chord === "escape")) {
        isFiltering = false;
        if (chord === "escape") input.clear();
        return true;
      }
      if (chord === "enter") {
        choose();
        shownItems = null;
        return true;
      }
      const own = ends ? undefined : keys?.[chord];
      if (own) {
        own(items()[place()]);
        shownItems = null;
        return true;
      }
      if (isFiltering) return host.type(input, event);
      isFiltering = chord === "/";
      return isFiltering;
    },
    view(width, rows) {
      if (this.opened) return this.opened.view(width, rows);
      columns = width;
      shownItems = null;
      const all = items();
      const index = place();
      const hasFilter = !asked && (isFiltering || input.value !== "");
      const above = hasFilter ? 1 : 0;
      const outside = frameRows + above + (asked ? 1 : 0);
      const foot = asked?.line.footer?.(asked.text(), columns);
      const footer = (foot ?? options.footer?.(all[index], columns) ?? [])
        .flatMap((line): readonly Line[] =>
          typeof line === "string" ? wrapWords(line, columns) : [line],
        )
        .slice(0, Math.max(0, rows - outside - Math.min(3, all.length + 1)))
        // A heading whose lines do not fit is left out, too.
        .filter((line, at, { length }) => at < length - 1 || !plainText(line).endsWith(":"));
      const header = all.length === 0 ? null : (options.header?.(columns) ?? null);
      const top = header === null ? [] : [{ item: null, row: { line: header, isChosen: false } }];
      const room = Math.max(1, rows - outside - top.length - footer.length);
      const height = all[0] === undefined ? 1 : options.lines(all[0], columns).length;
      page = Math.max(1, Math.floor(room / height));
      const shown = [...top, ...rowsAround(all, index, room, input.value !== "")];
      rowItems = [...Array<null>(titleRows + above).fill(null), ...shown.map(({ item }) => item)];
      const isOwn = input.value === "" || isFiltered;
      const none = isOwn ? read(options.empty ?? "") : "No matches.";
      const listed =
        all.length > 0 ? shown.map(({ row }) => row) : [{ line: none, isChosen: false }];
      return {
        kind: "panel",
        title: read(options.title),
        filter: hasFilter ? { field: input, label: `${label}: `, placeholder } : null,
        rows: listed,
        lines: footer,
        hint: asked?.line.hint ?? read(options.hint),
        field: asked?.view() ?? null,
      };
    },
  };
}

/** The first line of the chosen item is in one color, over the whole width, with a mark in its margin. */
const rowsOfItem = (lines: readonly Line[], isChosen: boolean, columns: number): ListRow[] =>
  lines.map((line, index) => {
    if (!isChosen || index > 0) return { line: fitLine(line, columns), isChosen: false };
    const text = plainText(line).replace(/^ {2}/, "❯ ");
    return { line: pad(fit(text, columns), columns), isChosen };
  });
