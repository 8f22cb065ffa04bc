/**
 * Full results of which the log holds only a preview. One page of each is read at a time, on demand,
 * so that a file of any size can be paged through.
 */

import type { Item } from "../items.ts";
import { clamp } from "../panels/panel.ts";
import type { PagedText, Services } from "../types.ts";

const pageLines = 200;

export type OriginalPage = {
  text: PagedText;
  /** Index of the first line shown. */
  from: number;
  lines: readonly string[];
};

export type Originals = ReturnType<typeof originalsFrom>;

/** `changed` is called when a page has been read. */
export function originalsFrom(services: Pick<Services, "openOriginal">, changed: () => void) {
  const pages = new Map<string, OriginalPage>();
  const show = async (key: string, text: PagedText, from: number): Promise<void> => {
    const lines = await text.read(from, from + pageLines);
    pages.set(key, { text, from, lines });
    changed();
  };
  return {
    pageOf: (key: string): OriginalPage | undefined => pages.get(key),
    /** Reads the first page of a persisted result. Throws if its file is missing. */
    async open(item: Item): Promise<void> {
      const result = item.kind === "tool" || item.kind === "result" ? item.result : null;
      if (result?.file === undefined || pages.has(item.key)) return;
      await show(item.key, await services.openOriginal(result), 0);
    },
    /** Turns `count` pages forward, or back if negative, within the result. */
    async turn(key: string, count: number): Promise<void> {
      const page = pages.get(key);
      if (!page) return;
      const last = Math.floor(Math.max(0, page.text.lines - 1) / pageLines) * pageLines;
      const from = clamp(page.from + count * pageLines, last);
      if (from !== page.from) await show(key, page.text, from);
    },
  };
}
