/**
 * Lays out Markdown that is still being streamed. A block is laid out for good once the line after it
 * shows that it is complete: items of a list one by one, lines of code one by one. Only the last block is
 * laid out again as it grows.
 */

import { Highlighter } from "../code/highlight.ts";
import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import {
  closesFence,
  fenceOf,
  interrupts,
  isHeading,
  isRule,
  isUnderline,
  itemMark,
  type Fence,
  type ItemMark,
} from "./block-start.ts";
import { codeHead, codeLine, layoutMarkdown } from "./layout.ts";

export class GrowingMarkdown {
  readonly #width: number;
  readonly #theme: Theme;
  readonly #lines: string[];
  /** How many of the lines are laid out for good. */
  #done: number;
  #text = "";
  /** Where the open block begins. */
  #open = 0;
  /** Lines before this one have been scanned. */
  #scanned = 0;
  #code: GrowingCode | null = null;
  /** Set if the open block is a list item. */
  #item: ItemMark | null = null;
  /** Nothing scanned so far continues on the next line. */
  #isComplete = true;
  #needsGap = false;

  /** `above`: lines before the first one. */
  constructor(width: number, theme: Theme, above: readonly string[] = []) {
    this.#width = width;
    this.#theme = theme;
    this.#lines = [...above];
    this.#done = above.length;
  }

  /** Whether `text` extends the previous text. */
  isGrownTo = (text: string): boolean => text.startsWith(this.#text);

  /** The lines of `text`, which must extend the previous text; valid until the next call. */
  lines(text: string): readonly string[] {
    if (text.length === this.#text.length) return this.#lines;
    this.#text = text;
    this.#lines.length = this.#done;
    for (;;) {
      const end = text.indexOf("\n", this.#scanned);
      if (end < 0) break;
      const wasCode = this.#code !== null;
      this.#scan(text, text.slice(this.#scanned, end));
      this.#scanned = end + 1;
      // Lines of code, and the lines around them, are laid out.
      if (wasCode || this.#code !== null) this.#open = this.#scanned;
    }
    this.#done = this.#lines.length;
    const needsGap = this.#needsGap;
    if (this.#code === null) this.#layout(text.slice(this.#open));
    else this.#push(this.#code.rest(text.slice(this.#scanned)));
    this.#needsGap = needsGap;
    return this.#lines;
  }

  #scan(text: string, line: string): void {
    if (this.#code !== null) return this.#scanCode(this.#code, line);
    if (line.trim() === "") return void (this.#isComplete = true);
    const fence = this.#fenceAt(text, line);
    if (fence === null && !this.#startsBlock(text, line)) {
      // Code in an item, and a heading that is underlined, end with their last line.
      const isTitle = this.#item === null && isUnderline(line);
      this.#isComplete = isTitle || fenceOf(line.trimStart()) !== null;
      return;
    }
    this.#close(text);
    const item = itemMark(line);
    this.#needsGap &&= !continues(this.#item, item);
    this.#item = continued(this.#item, item);
    this.#isComplete = isHeading(line) || isRule(line);
    if (fence === null) return;
    this.#code = growingCode(fence, this.#width, this.#theme);
    this.#gap();
    this.#push(this.#code.head);
  }

  #scanCode(code: GrowingCode, line: string): void {
    const rows = code.push(line);
    this.#push(rows ?? code.rest(""));
    if (rows !== null) return;
    this.#code = null;
    this.#isComplete = true;
    this.#needsGap = true;
  }

  #fenceAt(text: string, line: string): Fence | null {
    const fence = fenceOf(line);
    const isInside = fence !== null && this.#item !== null && fence.indent >= this.#item.indent;
    return isInside || this.#isRaw(text) ? null : fence;
  }

  /** The line begins a block at the top level. */
  #startsBlock(text: string, line: string): boolean {
    if (/^\s/.test(line)) return false;
    if (this.#isComplete) return true;
    if (this.#isRaw(text)) return false;
    if (isHeading(line) || interrupts(line)) return true;
    if (line.startsWith(">")) return text.charAt(this.#open) !== ">";
    // Right below a paragraph, dashes make it a heading.
    if (isRule(line)) return !line.startsWith("-") || this.#item !== null;
    return this.#item !== null && itemMark(line) !== null;
  }

  /** HTML continues until an empty line, whatever it contains. */
  #isRaw(text: string): boolean {
    return !this.#isComplete && text.charAt(this.#open) === "<";
  }

  /** Lays out the block before the current line for good. */
  #close(text: string): void {
    this.#layout(text.slice(this.#open, this.#scanned));
    this.#open = this.#scanned;
  }

  #layout(block: string): void {
    if (block.trim() === "") return;
    this.#gap();
    // Laid out alone, an item would show its own number, whatever precedes it.
    const start = this.#item?.number ?? undefined;
    this.#push(layoutMarkdown(block, this.#width, this.#theme, start));
    this.#needsGap = true;
  }

  #gap(): void {
    if (this.#needsGap) this.#lines.push("");
    this.#needsGap = false;
  }

  #push(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
  }
}

const continues = (list: ItemMark | null, item: ItemMark | null): boolean =>
  list !== null && list.sign === item?.sign;

/** Items of an ordered list are counted from the first one. */
function continued(list: ItemMark | null, item: ItemMark | null): ItemMark | null {
  if (item === null || list === null || !continues(list, item)) return item;
  return { ...item, number: list.number === null ? null : list.number + 1 };
}

type GrowingCode = ReturnType<typeof growingCode>;

/** A fenced code block that is still being streamed. Each line is laid out once. */
function growingCode(fence: Fence, width: number, theme: Theme) {
  const language = sanitize(fence.language);
  const highlighter = new Highlighter(language, theme);
  const indent = new RegExp(`^ {0,${fence.indent}}`);
  /** Empty lines are shown once another one follows. */
  let empty = 0;
  let hasLines = false;
  const layout = (painted: string): string[] => codeLine(painted, width, theme);
  const clean = (line: string): string => sanitize(line.replace(indent, ""));
  const rows = (painted: string): string[] => [
    ...Array.from({ length: empty }, () => layout("")).flat(),
    ...layout(painted),
  ];
  return {
    head: codeHead(language, theme),
    /** The rows of the next line; null: it closes the block. */
    push(line: string): string[] | null {
      if (closesFence(line, fence)) return null;
      if (line.trim() === "") {
        highlighter.line("");
        empty++;
        return [];
      }
      const complete = rows(highlighter.line(clean(line)));
      empty = 0;
      hasLines = true;
      return complete;
    },
    /** The rows of a line that is not complete. */
    rest(line: string): string[] {
      // Empty, or perhaps the beginning of the closing fence.
      if (/^ {0,3}(?:`*|~*)\s*$/.test(line)) return hasLines ? [] : layout("");
      return rows(highlighter.unfinished(clean(line)));
    },
  };
}
