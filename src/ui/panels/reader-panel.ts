/** A panel that is a text to scroll through: one in memory, or one that is read page by page. */

import { takeStart } from "../../base/clip.ts";
import { messageOf } from "../../base/in-words.ts";
import type { Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { fitLine, type Line } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { PagedText } from "../types.ts";
import { fit } from "../wrap.ts";
import { clamp, frameRows, loading, stepOf, titleRows, type PanelModel } from "./panel.ts";

type ReaderContent = {
  title: string;
  hint: string;
  /** Number of lines in all. */
  total: number;
  /** Lines `from` to `to`, without `to`. */
  slice(from: number, to: number): readonly Line[];
};

type ReaderOptions = {
  content(columns: number): ReaderContent;
  keys?: Record<string, () => void>;
  /** A click on a line of the text. */
  onClick?(line: number, column: number): void;
  /** Begins with the last lines. */
  fromEnd?: boolean;
};

/** The content of a text that is in memory. */
export const textContent = (
  title: string,
  hint: string,
  lines: readonly Line[],
): ReaderContent => ({ title, hint, total: lines.length, slice: (a, b) => lines.slice(a, b) });

export function readerPanel(options: ReaderOptions): PanelModel {
  const { content, keys, onClick, fromEnd } = options;
  let wanted = fromEnd ? Infinity : 0;
  let columns = 80;
  let room = 1;
  /** The first line that is shown. */
  const first = (total: number): number => clamp(wanted, total - room);
  const click = (event: InputEvent): boolean => {
    if (!onClick || event.type !== "mouse" || event.action !== "press") return false;
    const line = event.row - titleRows;
    if (line < 0 || line >= room) return false;
    onClick(first(content(columns).total) + line, event.column);
    return true;
  };
  const scroll = (event: InputEvent): boolean => {
    const step = stepOf(event, room);
    if (step === null) return false;
    const { total } = content(columns);
    wanted = clamp(first(total) + step, total - room);
    return true;
  };
  return {
    press(event) {
      const own = event.type === "key" ? keys?.[event.chord] : undefined;
      own?.();
      return own !== undefined || click(event) || scroll(event);
    },
    view(width, rows) {
      columns = width;
      room = Math.max(1, rows - frameRows);
      const { title, hint, total, slice } = content(columns);
      const from = first(total);
      const lines = slice(from, from + room).map((line) => fitLine(line, columns));
      const where = total > room ? ` ─ ${from + 1}-${from + lines.length} of ${total}` : "";
      return { kind: "panel", title: title + where, hint, body: { kind: "text", lines } };
    },
  };
}

/** Lines that are read at once. */
const pageLines = 200;

/** A text of any size: an original result, a command's output. */
export function pagedPanel(
  host: Host,
  opening: Promise<PagedText>,
  options: Pick<ReaderContent, "title" | "hint"> & Pick<ReaderOptions, "keys" | "fromEnd">,
): PanelModel {
  const text = loading(host, opening, "Opening …");
  let page: { from: number; lines: readonly string[] } = { from: 0, lines: [] };
  /** The page that is being read. */
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
          text.message = sanitizeLine(messageOf(error));
        },
      )
      .then(host.redraw);
  };

  return readerPanel({
    ...options,
    content: (columns) => ({
      title: options.title,
      hint: options.hint,
      total: text.value?.lines ?? 1,
      slice(from, to) {
        if (!text.value) return [text.message];
        if (from < page.from || to > page.from + page.lines.length)
          read(text.value, Math.floor(from / pageLines) * pageLines);
        const shown = page.lines.slice(Math.max(0, from - page.from), Math.max(0, to - page.from));
        // Sanitized before it is cut: half an escape sequence would get through.
        return shown.map((line) => fit(sanitizeLine(takeStart(line, columns * 8)), columns));
      },
    }),
  });
}
