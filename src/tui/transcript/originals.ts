/**
 * Full results of which the log holds only a preview. One page of each is read at a time, on demand,
 * so that a file of any size can be paged through.
 */

import type { Item } from "../items.ts";
import type { PagedText, Services } from "../types.ts";

const pageLines = 200;

export type Page = {
  text: PagedText;
  /** Index of the first line shown. */
  from: number;
  lines: readonly string[];
};

export class Originals {
  readonly #services: Pick<Services, "openOriginal">;
  readonly #changed: () => void;
  readonly #pages = new Map<string, Page>();

  /** `changed` is called when a page has been read. */
  constructor(services: Pick<Services, "openOriginal">, changed: () => void) {
    this.#services = services;
    this.#changed = changed;
  }

  pageOf(key: string): Page | undefined {
    return this.#pages.get(key);
  }

  /** Reads the first page of a persisted result. Throws if its file is missing. */
  async open(item: Item): Promise<void> {
    const result = item.kind === "tool" || item.kind === "result" ? item.result : null;
    if (result?.file === undefined || this.#pages.has(item.key)) return;
    const text = await this.#services.openOriginal(result);
    await this.#show(item.key, text, 0);
  }

  /** Turns `pages` forward, or back if negative, within the result. */
  async turn(key: string, pages: number): Promise<void> {
    const page = this.#pages.get(key);
    if (!page) return;
    const last = Math.floor(Math.max(0, page.text.lines - 1) / pageLines) * pageLines;
    const from = Math.max(0, Math.min(last, page.from + pages * pageLines));
    if (from !== page.from) await this.#show(key, page.text, from);
  }

  async #show(key: string, text: PagedText, from: number): Promise<void> {
    const lines = await text.read(from, from + pageLines);
    this.#pages.set(key, { text, from, lines });
    this.#changed();
  }
}
