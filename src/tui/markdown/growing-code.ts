import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { closesFence, type Fence } from "./block-start.ts";
import { Highlighter } from "../code/highlight.ts";
import { codeHead, codeLine } from "./layout.ts";

/** A fenced code block that is still being streamed. Each line is laid out once. */
export class GrowingCode {
  readonly head: readonly string[];
  readonly #fence: Fence;
  readonly #width: number;
  readonly #theme: Theme;
  readonly #highlighter: Highlighter;
  /** Empty lines are shown once another one follows. */
  #empty = 0;
  #hasLines = false;

  constructor(fence: Fence, width: number, theme: Theme) {
    const language = sanitize(fence.language);
    this.head = codeHead(language, theme);
    this.#fence = fence;
    this.#width = width;
    this.#theme = theme;
    this.#highlighter = new Highlighter(language, theme);
  }

  /** The rows of the next line; null: it closes the block. */
  push(line: string): string[] | null {
    if (closesFence(line, this.#fence)) return null;
    if (line.trim() === "") {
      this.#highlighter.line("");
      this.#empty++;
      return [];
    }
    const rows = this.#rows(this.#highlighter.line(this.#clean(line)));
    this.#empty = 0;
    this.#hasLines = true;
    return rows;
  }

  /** The rows of a line that is not complete. */
  rest(line: string): string[] {
    // Empty, or perhaps the beginning of the closing fence.
    if (/^ {0,3}(?:`*|~*)\s*$/.test(line)) return this.#hasLines ? [] : this.#line("");
    return this.#rows(this.#highlighter.unfinished(this.#clean(line)));
  }

  #clean(line: string): string {
    return sanitize(line.replace(new RegExp(`^ {0,${this.#fence.indent}}`), ""));
  }

  #rows(painted: string): string[] {
    const empty = Array.from({ length: this.#empty }, () => this.#line("")).flat();
    return [...empty, ...this.#line(painted)];
  }

  #line(painted: string): string[] {
    return codeLine(painted, this.#width, this.#theme);
  }
}
