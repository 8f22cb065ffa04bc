/**
 * Lays out Markdown that is still being streamed. Complete blocks are laid out once; only the last one
 * is laid out again as it grows.
 */

import type { Theme } from "../theme.ts";
import { layoutMarkdown } from "./layout.ts";

export class GrowingMarkdown {
  readonly #width: number;
  readonly #theme: Theme;
  /** Everything before is laid out for good. */
  #closed = 0;
  readonly #closedLines: string[] = [];
  /** Lines before here were looked at. */
  #scanned = 0;
  #fence: string | null = null;
  #lines: readonly string[] = [];
  #length = -1;

  constructor(width: number, theme: Theme) {
    this.#width = width;
    this.#theme = theme;
  }

  /** Lines of `text`, which must begin with what it was before. */
  lines(text: string): readonly string[] {
    if (text.length === this.#length) return this.#lines;
    this.#length = text.length;
    this.#close(text);
    const open = text.slice(this.#closed);
    const tail = open.trim() === "" ? [] : layoutMarkdown(open, this.#width, this.#theme);
    this.#lines = [...this.#closedLines, ...tail];
    return this.#lines;
  }

  #close(text: string): void {
    let blank = false;
    for (;;) {
      const end = text.indexOf("\n", this.#scanned);
      if (end < 0) return;
      const line = text.slice(this.#scanned, end);
      const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      // What is indented or an item may belong to the list before the blank line.
      if (blank && this.#fence === null && /^[^\s\-*+\d>|]/.test(line)) {
        const block = text.slice(this.#closed, this.#scanned);
        for (const done of layoutMarkdown(block, this.#width, this.#theme)) {
          this.#closedLines.push(done);
        }
        this.#closedLines.push("");
        this.#closed = this.#scanned;
      }
      if (fence !== undefined) {
        if (this.#fence === null) this.#fence = fence;
        else if (fence.startsWith(this.#fence)) this.#fence = null;
      }
      blank = this.#fence === null && line.trim() === "";
      this.#scanned = end + 1;
    }
  }
}
