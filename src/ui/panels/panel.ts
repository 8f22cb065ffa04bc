/** A panel says what it shows as data, and takes keys while it is open; a reader scrolls a text. */

import { errorMessage } from "../../base/in-words.ts";
import type { FieldView } from "../components/field/field-model.ts";
import type { Host } from "./host.ts";
import type { InputEvent } from "../keys.ts";
import { firstThatFits, fit, fitLine, type Line, markFound } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import { takeStart } from "../../base/clip.ts";
import type { PagedText } from "../types.ts";

export interface PanelModel {
  /** Lays the panel out in at most `rows` rows of `columns` columns. */
  view(columns: number, rows: number): PanelView;
  /** True: the event is used up. Cells count from the panel's corner. */
  press(event: InputEvent): boolean;
}

/** A title in a rule, a list or a text, and what the keys do. */
export type PanelView = {
  kind: "panel";
  /** The names of the views that Tab switches between. */
  tabs?: Line;
  title: string;
  filter?: FieldView | null;
  /** Those of a list. */
  rows: readonly ListRow[];
  /** A text, or what is below the list. */
  lines: readonly Line[];
  hint: string;
  /** Below everything: a line that is asked for. */
  field?: FieldView | null;
};

export type ListRow = { line: Line; isChosen: boolean };

/** Rows of a panel besides its body: the title and the keys. */
export const frameRows = 2;

/** Rows of a panel above its body. */
export const titleRows = 1;

export const panelHeight = ({ tabs, filter, rows, lines, field }: PanelView): number =>
  frameRows + rows.length + lines.length + [tabs, filter, field].filter(Boolean).length;

/** Keys and what they do, separated by dots. The last one, which closes, stays longest. */
export function fitHint(hint: string, columns: number): string {
  const parts = hint.split(" · ");
  const last = parts.pop() ?? "";
  const forms = parts.map((_, cut) => [...parts.slice(0, parts.length - cut), last].join(" · "));
  return firstThatFits([...forms, last], columns);
}

export const wheelLines = 3;

/** How far a key or the wheel moves, in lines; null: it does not move. */
export function scrollStep(event: InputEvent, page: number): number | null {
  if (event.type === "mouse") {
    if (event.action === "wheelUp") return -wheelLines;
    return event.action === "wheelDown" ? wheelLines : null;
  }
  if (event.type !== "key") return null;
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -Infinity,
    end: Infinity,
  };
  return steps[event.chord] ?? null;
}

export function wordFilter(filter: string): (text: string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.toLowerCase().includes(word));
}

/**
 * The items that the query is like, best first: the one of that name (the first word of its text),
 * those whose text begins with it or contains it, those with all its words, and those whose name has
 * its letters in order.
 */
export function bestFirst<T>(
  query: string,
  items: readonly T[],
  toText: (item: T) => string,
): readonly T[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return items;
  const hasWords = wordFilter(wanted);
  const letters = new RegExp([...wanted].map(RegExp.escape).join(".*"));
  const ranked = items.map((item) => {
    const text = toText(item).toLowerCase();
    const [name = ""] = text.split(" ");
    const isLike = [
      name === wanted,
      text.startsWith(wanted),
      text.includes(wanted),
      hasWords(text),
      letters.test(name),
    ];
    return { item, rank: isLike.indexOf(true) };
  });
  return ranked
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** `value` within 0 and `most`; 0 where `most` is negative. */
export const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));

/** `message` is shown while there is no value: that it is loading, or why it failed to. */
type Loading<T> = { value: T | null; message: string };

/** A value that an open panel waits for; the screen is redrawn when it arrives. */
export function loading<T>(host: Host, work: Promise<T>, message: string): Loading<T> {
  const state: Loading<T> = { value: null, message };
  void work
    .then(
      (value) => (state.value = value),
      (error: unknown) => (state.message = sanitizeLine(errorMessage(error))),
    )
    .then(host.redraw);
  return state;
}

/** A text to read: its lines, or a stand-in for those of a text that is read page by page. */
type ReaderContent = {
  title: string;
  hint: string;
  lines: { readonly length: number; slice(from: number, to: number): readonly Line[] };
};

type ReaderOptions = {
  keys?: Record<string, () => void>;
  fromEnd?: boolean;
  /** The line to show first, once it is known. */
  start?(): number | null;
};

export function readerPanel(
  content: (columns: number) => ReaderContent,
  { keys, fromEnd, start = () => null }: ReaderOptions = {},
): PanelModel {
  /** null: nothing was scrolled yet. */
  let scrolled: number | null = null;
  let columns = 80;
  let room = 1;
  const first = ({ length }: ReaderContent["lines"]): number =>
    clamp(scrolled ?? start() ?? (fromEnd ? Infinity : 0), length - room);
  const scroll = (event: InputEvent): boolean => {
    const step = scrollStep(event, room);
    if (step === null) return false;
    const { lines } = content(columns);
    scrolled = clamp(first(lines) + step, lines.length - room);
    return true;
  };
  return {
    press(event) {
      const own = event.type === "key" ? keys?.[event.chord] : undefined;
      own?.();
      return own !== undefined || scroll(event);
    },
    view(width, rows) {
      columns = width;
      room = Math.max(1, rows - frameRows);
      const { title, hint, lines: all } = content(columns);
      const from = first(all);
      const lines = all.slice(from, from + room).map((line) => fitLine(line, columns));
      const end = from + lines.length;
      const where = all.length > room ? ` ─ ${from + 1}-${end} of ${all.length}` : "";
      return { kind: "panel", title: title + where, hint, rows: [], lines };
    },
  };
}

const pageLines = 200;

type PagedOptions = Pick<ReaderContent, "title" | "hint"> &
  ReaderOptions & {
    /** Opens at the first line that contains one of these words. */
    find?: string;
  };

/** Of a longer text, the rest is not searched. */
const maxSearched = 200_000;

/** The first line that contains one of the words; null: none does. */
async function findLine(text: PagedText, words: string): Promise<number | null> {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const end = wanted.length === 0 ? 0 : Math.min(text.lines, maxSearched);
  for (let from = 0; from < end; from += pageLines) {
    const lines = await text.read(from, from + pageLines);
    const at = lines.findIndex((line) => wanted.some((word) => line.toLowerCase().includes(word)));
    if (at >= 0) return from + at;
  }
  return null;
}

/** A text of any size: an original result, a command's output. */
export function pagedPanel(
  host: Host,
  opening: Promise<PagedText>,
  { title, hint, find = "", ...options }: PagedOptions,
): PanelModel {
  const place = loading(
    host,
    opening.then((text) => findLine(text, find)),
    "",
  );
  const text = loading(host, opening, "Opening …");
  let page: { from: number; lines: readonly string[] } = { from: 0, lines: [] };
  let wanted = -1;

  const read = (whole: PagedText, from: number): void => {
    if (wanted === from) return;
    wanted = from;
    void whole
      .read(from, from + 2 * pageLines)
      .then(
        (lines) => {
          if (wanted === from) page = { from, lines };
        },
        (error: unknown) => {
          text.value = null;
          text.message = sanitizeLine(errorMessage(error));
        },
      )
      .then(host.redraw);
  };

  const words = find.split(/\s+/);
  const slice = (from: number, to: number, columns: number): readonly Line[] => {
    if (!text.value) return [text.message];
    if (from < page.from || to > page.from + page.lines.length)
      read(text.value, Math.floor(from / pageLines) * pageLines);
    const shown = page.lines.slice(Math.max(0, from - page.from), Math.max(0, to - page.from));
    // Sanitized before it is cut: half an escape sequence would get through.
    return shown.map((line) => {
      const text = fit(sanitizeLine(takeStart(line, columns * 8)), columns);
      return find === "" ? text : markFound(text, words);
    });
  };

  return readerPanel(
    (columns) => {
      const length = text.value?.lines ?? 1;
      return { title, hint, lines: { length, slice: (from, to) => slice(from, to, columns) } };
    },
    { start: () => place.value, ...options },
  );
}
