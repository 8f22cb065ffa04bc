/**
 * Lays out Markdown that is still being streamed. A block is laid out for good once the line after it
 * shows that it is complete: items of a list one by one, lines of code one by one. Only the last block is
 * laid out again as it grows.
 */

import { makeHighlighter } from "../code/highlight.ts";
import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { codeHead, codeLine, layoutMarkdown } from "./layout.ts";

export type GrowingMarkdown = ReturnType<typeof growingMarkdown>;

/** `above`: lines before the first one. */
export function growingMarkdown(width: number, theme: Theme, above: readonly string[] = []) {
  const lines = [...above];
  let text = "";
  /** How many of the lines are laid out for good. */
  let done = lines.length;
  /** Where the open block begins. */
  let open = 0;
  /** Lines before this one have been scanned. */
  let scanned = 0;
  let code: GrowingCode | null = null;
  /** Set if the open block is a list item. */
  let item: ItemMark | null = null;
  /** Nothing scanned so far continues on the next line. */
  let isComplete = true;
  let needsGap = false;

  const push = (more: readonly string[]): void => {
    for (const line of more) lines.push(line);
  };
  const gap = (): void => {
    if (needsGap) lines.push("");
    needsGap = false;
  };
  const layout = (block: string): void => {
    if (block.trim() === "") return;
    gap();
    // Laid out alone, an item would show its own number, whatever precedes it.
    push(layoutMarkdown(block, width, theme, item?.number ?? undefined));
    needsGap = true;
  };
  /** HTML continues until an empty line, whatever it contains. */
  const isRaw = (): boolean => !isComplete && text.charAt(open) === "<";
  const fenceAt = (line: string): Fence | null => {
    const fence = parseFence(line);
    const isInside = fence !== null && item !== null && fence.indent >= item.indent;
    return isInside || isRaw() ? null : fence;
  };
  /** The line begins a block at the top level. */
  const startsBlock = (line: string): boolean => {
    if (/^\s/.test(line)) return false;
    if (isComplete) return true;
    if (isRaw()) return false;
    if (isHeading(line) || interrupts(line)) return true;
    if (line.startsWith(">")) return text.charAt(open) !== ">";
    // Right below a paragraph, dashes make it a heading.
    if (isRule(line)) return !line.startsWith("-") || item !== null;
    return item !== null && itemMark(line) !== null;
  };
  const scanCode = (block: GrowingCode, line: string): void => {
    const rows = block.push(line);
    push(rows ?? block.rest(""));
    if (rows !== null) return;
    code = null;
    isComplete = true;
    needsGap = true;
  };
  const scan = (line: string): void => {
    if (code !== null) return scanCode(code, line);
    if (line.trim() === "") return void (isComplete = true);
    const fence = fenceAt(line);
    if (fence === null && !startsBlock(line)) {
      // Code in an item, and a heading that is underlined, end with their last line.
      const isTitle = item === null && isUnderline(line);
      isComplete = isTitle || parseFence(line.trimStart()) !== null;
      return;
    }
    // The block before this line is complete.
    layout(text.slice(open, scanned));
    open = scanned;
    const next = itemMark(line);
    needsGap &&= !continues(item, next);
    item = continued(item, next);
    isComplete = isHeading(line) || isRule(line);
    if (fence === null) return;
    code = growingCode(fence, width, theme);
    gap();
    push(code.head);
  };

  return {
    /** Whether `longer` extends the previous text. */
    isGrownTo: (longer: string): boolean => longer.startsWith(text),
    /** The lines of `longer`, which must extend the previous text; valid until the next call. */
    lines(longer: string): readonly string[] {
      if (longer.length === text.length) return lines;
      text = longer;
      lines.length = done;
      for (;;) {
        const end = text.indexOf("\n", scanned);
        if (end < 0) break;
        const wasCode = code !== null;
        scan(text.slice(scanned, end));
        scanned = end + 1;
        // Lines of code, and the lines around them, are laid out.
        if (wasCode || code !== null) open = scanned;
      }
      done = lines.length;
      const neededGap = needsGap;
      if (code === null) layout(text.slice(open));
      else push(code.rest(text.slice(scanned)));
      needsGap = neededGap;
      return lines;
    },
  };
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
  const highlighter = makeHighlighter(language, theme);
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

/** The marker of a list item, without its indentation. */
type ItemMark = {
  /** Items of one list have the same sign: "-", "*", "+", "." or ")". */
  sign: string;
  /** null: not ordered. */
  number: number | null;
  /** Lines that are indented by at least this much belong to the item. */
  indent: number;
};

function itemMark(line: string): ItemMark | null {
  const [mark, digits, sign] = /^(\d{1,9})?([-*+.)])(?:\s+|$)/.exec(line) ?? [];
  if (mark === undefined || sign === undefined) return null;
  const isOrdered = digits !== undefined;
  if (isOrdered !== /[.)]/.test(sign) || isRule(line)) return null;
  return { sign, number: isOrdered ? Number(digits) : null, indent: mark.length };
}

/** The opening line of a fenced code block. */
type Fence = { sign: string; language: string; indent: number };

function parseFence(line: string): Fence | null {
  const [, indent, sign, info = ""] = /^( {0,3})(`{3,}(?!.*`)|~{3,})\s*(\S*)/.exec(line) ?? [];
  if (indent === undefined || sign === undefined) return null;
  return { sign, language: info, indent: indent.length };
}

const closesFence = (line: string, { sign }: Fence): boolean => {
  const end = line.trim();
  return (
    /^ {0,3}\S/.test(line) && end.startsWith(sign) && end === sign.charAt(0).repeat(end.length)
  );
};

const isHeading = (line: string): boolean => /^#{1,6}(?:\s|$)/.test(line);

const isRule = (line: string): boolean =>
  /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);

/** Makes the paragraph above it a heading. */
const isUnderline = (line: string): boolean => /^(?:=+|-+)\s*$/.test(line);

/** Begins an item even right after the lines of a paragraph. */
const interrupts = (line: string): boolean => /^(?:[-*+]|1[.)])\s+\S/.test(line);
