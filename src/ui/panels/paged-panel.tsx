import { type ReactNode, useRef, useState } from "react";
import { errorMessage } from "../../base/format.ts";
import { takeStart } from "../../base/clip.ts";
import { fit } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useSource } from "../screen-context.ts";
import { type Line, markFound } from "../spans.ts";
import type { PagedText } from "../types.ts";
import { usePanelSize } from "./panel-box.tsx";
import { TextPanel, type TextProps } from "./text-panel.tsx";
import { useLoading } from "./use-loading.ts";

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
