/** Panels with a text that scrolls: whole, or read page by page. */

import { type ReactNode, useRef, useState } from "react";
import { takeStart } from "../../base/clip.ts";
import { errorMessage } from "../../base/format.ts";
import { Rows } from "../components/line.tsx";
import type { InputEvent } from "../keys.ts";
import { fit } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useSource } from "../screen-context.ts";
import { type Line, markFound } from "../spans.ts";
import type { PagedText } from "../types.ts";
import { useKeys } from "../use-keys.ts";
import { clamp, scrollStep } from "./navigation.ts";
import { frameRows, PanelBox, type Tabs, useClose, usePanelSize } from "./panel-box.tsx";
import { useLoading } from "./use-loading.ts";

type TextProps = {
  title: string;
  hint: string;
  tabs?: Tabs;
  /** The lines, or a lazy list for a text that is read page by page. */
  lines: { readonly length: number; slice(from: number, to: number): readonly Line[] };
  /** Keys in addition to scrolling and Escape. */
  keys?: Record<string, () => void>;
  fromEnd?: boolean;
  /** The line to show first, once it is known. */
  start?: number | null;
};

/** A panel with a text that scrolls. */
export function TextPanel(props: TextProps): ReactNode {
  const { title, hint, tabs, lines: all, keys, fromEnd = false, start = null } = props;
  const { rows } = usePanelSize();
  const close = useClose();
  /** null: not scrolled yet. */
  const [scrolled, setScrolled] = useState<number | null>(null);
  const room = Math.max(1, rows - frameRows - (tabs ? 1 : 0));
  const from = clamp(scrolled ?? start ?? (fromEnd ? Infinity : 0), all.length - room);
  useKeys((event: InputEvent) => {
    const step = scrollStep(event, room);
    if (event.type === "mouse" && event.action === "press" && event.row === 0)
      tabs?.click(event.column);
    const chord = event.type === "key" ? event.chord : "";
    const own = keys?.[chord] ?? (step === null ? tabs?.keys[chord] : undefined);
    if (own) own();
    else if (step !== null) setScrolled(clamp(from + step, all.length - room));
    else if (chord === "escape") close();
    else return false;
    return true;
  }, "panel");
  const shown = all.slice(from, from + room);
  const where = all.length > room ? ` ─ ${from + 1}-${from + shown.length} of ${all.length}` : "";
  return (
    <PanelBox title={title + where} hint={hint} tabs={tabs}>
      <Rows lines={shown} />
    </PanelBox>
  );
}

const pageLines = 200;

type PagedProps = Omit<TextProps, "lines" | "start"> & {
  open(): Promise<PagedText>;
  /** Opens at the first line that contains one of these words. */
  find?: string;
  /** A new value reopens the text. */
  version?: number;
};

/** A text of any size: an original result, a command's output. */
export function PagedPanel({ open, find = "", version = 0, ...panel }: PagedProps): ReactNode {
  const { columns } = usePanelSize();
  const text = useLoading(open, "Opening …", [version]);
  const place = useLoading(async () => text.value && findLine(text.value, find), "", [text.value]);
  const lines = usePages(text.value, text.message);
  const words = find.split(/\s+/);
  // Sanitize before fitting: a split escape sequence would get through.
  const show = (line: string): Line =>
    markFound(fit(sanitizeLine(takeStart(line, columns * 8)), columns), words);
  return (
    <TextPanel
      {...panel}
      start={place.value}
      lines={{
        length: text.value?.lines ?? 1,
        slice: (from, to) => lines(from, to).map(show),
      }}
    />
  );
}

type Page = { text: PagedText | null; from: number; lines: readonly string[]; problem?: string };

/** The lines in view, read page by page on demand; until a page is there, the lines shown last. */
function usePages(text: PagedText | null, message: string) {
  const { store } = useSource().screen;
  const [page, setPage] = useState<Page>({ text: null, from: 0, lines: [] });
  const wanted = useRef(page);
  const shown = useRef<readonly string[]>([message]);

  function read(whole: PagedText, from: number): void {
    if (wanted.current.text === whole && wanted.current.from === from) return;
    const asked = (wanted.current = { text: whole, from, lines: [] });
    void whole
      .read(from, from + 2 * pageLines)
      .then(
        (lines): Page => ({ ...asked, lines }),
        (error: unknown): Page => ({ ...asked, problem: errorMessage(error) }),
      )
      .then((loaded) => {
        if (wanted.current === asked) setPage(loaded);
        store.redraw();
      });
  }

  return (from: number, to: number): readonly string[] => {
    if (!text) return [message];
    if (text !== page.text || from < page.from || to > page.from + 2 * pageLines)
      read(text, Math.floor(from / pageLines) * pageLines);
    else if (page.problem !== undefined) shown.current = [page.problem];
    else shown.current = page.lines.slice(from - page.from, to - page.from);
    return shown.current;
  };
}

/** Search limit, in lines. */
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
