/** A text that is read page by page, whatever its size: an original result, a command's output. */

import { takeStart } from "../../protocol/clip.ts";
import { messageOf } from "../../protocol/in-words.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { PagedText } from "../types.ts";
import { fit } from "../wrap.ts";
import { ReaderPanel } from "./reader-panel.ts";

/** Lines that are read at once. */
const pageLines = 200;

type PagedOptions = {
  title: string;
  hint: string;
  keys: Record<string, () => void>;
  /** Begins with the last lines. */
  fromEnd?: boolean;
};

export function pagedPanel(
  host: Host,
  opening: Promise<PagedText>,
  options: PagedOptions,
): ReaderPanel {
  let text: PagedText | null = null;
  let message = "Opening …";
  let page: { from: number; lines: readonly string[] } = { from: 0, lines: [] };
  /** The page that is being read. */
  let wanted = -1;

  const failed = (error: unknown): void => {
    message = sanitizeLine(messageOf(error));
    text = null;
    host.redraw();
  };
  const read = (from: number): void => {
    if (!text || wanted === from) return;
    wanted = from;
    text.read(from, from + 2 * pageLines).then((lines) => {
      if (wanted === from) page = { from, lines };
      host.redraw();
    }, failed);
  };
  opening.then((opened) => {
    text = opened;
    read(0);
    host.redraw();
  }, failed);

  return new ReaderPanel(host, {
    keys: options.keys,
    fromEnd: options.fromEnd === true,
    content: (columns) => ({
      title: options.title,
      hint: options.hint,
      total: text?.lines ?? 1,
      slice(from, to) {
        if (!text) return [message];
        if (from < page.from || to > page.from + page.lines.length)
          read(Math.floor(from / pageLines) * pageLines);
        const shown = page.lines.slice(Math.max(0, from - page.from), Math.max(0, to - page.from));
        // Sanitized before it is cut: half an escape sequence would get through.
        return shown.map((line) => fit(sanitizeLine(takeStart(line, columns * 8)), columns));
      },
    }),
  });
}
