/**
 * Lays out Markdown that is still being streamed. A block is laid out for good once the line after it
 * shows that it is complete, a line of code at once. Only the last block is laid out again as it grows.
 */

import { makeHighlighter } from "../code/highlight.ts";
import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { codeHead, codeLine, layoutMarkdown, type LaidOutCode } from "./layout.ts";

export type GrowingMarkdown = ReturnType<typeof growingMarkdown>;

/** `above`: lines before the first one. */
export function growingMarkdown(width: number, theme: Theme, above: readonly string[] = []) {
  const lines = [...above];
  let text = "";
  /** How many of the lines are laid out for good. */
  let done = lines.length;
  /** Where the open block begins, and the first line that was not scanned. */
  let open = 0;
  let scanned = 0;
  let code: GrowingCode | null = null;
  const codes: { code: GrowingCode; from: number; to: number }[] = [];
  /** In a list, by how much the text of its last item is indented. */
  let indent: number | null = null;
  let isAfterEmpty = true;
  let needsGap = false;

  const push = (more: readonly string[]): void => {
    for (const line of more) lines.push(line);
  };
  const gap = (): void => {
    if (needsGap) lines.push("");
    needsGap = true;
  };
  const layout = (block: string): void => {
    if (block.trim() === "") return;
    gap();
    push(layoutMarkdown(block, width, theme));
  };
  /** HTML continues until an empty line, whatever it contains. */
  const isHtml = (): boolean => !isAfterEmpty && text.charAt(open) === "<";
  const fenceAt = (line: string): Fence | null => {
    const fence = parseFence(line);
    const isInItem = fence !== null && indent !== null && fence.indent >= indent;
    return isInItem || isHtml() ? null : fence;
  };
  const endCode = (): void => {
    const last = codes.at(-1);
    if (last) last.to = lines.length;
    code = null;
  };
  const scan = (line: string): void => {
    if (code !== null) {
      const rows = code.push(line);
      push(rows ?? code.rest(""));
      if (rows === null) endCode();
      return;
    }
    const isEmpty = line.trim() === "";
    const fence = fenceAt(line);
    const item = itemIndent(line);
    const continuesList = indent !== null && item !== null;
    const begins = isAfterEmpty && !isEmpty && !/^\s/.test(line) && !continuesList;
    if (fence !== null || begins || (!isHtml() && /^#{1,6}\s/.test(line))) {
      layout(text.slice(open, scanned));
      open = scanned;
      indent = item;
    } else indent = item ?? indent;
    isAfterEmpty = isEmpty || fence !== null;
    if (fence === null) return;
    code = growingCode(fence, width, theme);
    gap();
    push(code.head);
    codes.push({ code, from: lines.length, to: Infinity });
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
    /** The code that was streamed, so that it is not laid out again once the text is complete. */
    code: ((source, language, columns) => {
      if (columns !== width) return undefined;
      const known = codes.find((block) => block.code.is(source, language));
      return known && lines.slice(known.from, known.to);
    }) satisfies LaidOutCode,
  };
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
  const sources: string[] = [];
  let unfinished = "";
  const layout = (painted: string): string[] => codeLine(painted, width, theme);
  const clean = (line: string): string => sanitize(line.replace(indent, ""));
  const rows = (painted: string): string[] => [
    ...Array.from({ length: empty }, () => layout("")).flat(),
    ...layout(painted),
  ];
  return {
    head: codeHead(language, theme),
    is: (source: string, name: string): boolean =>
      name === language && source === [...sources, unfinished].join("\n").trimEnd(),
    /** The rows of the next line; null: it closes the block. */
    push(line: string): string[] | null {
      unfinished = "";
      if (closesFence(line, fence)) return null;
      if (line.trim() === "") {
        highlighter.line("");
        sources.push("");
        empty++;
        return [];
      }
      const source = clean(line);
      sources.push(source);
      const complete = rows(highlighter.line(source));
      empty = 0;
      hasLines = true;
      return complete;
    },
    /** The rows of a line that is not complete. */
    rest(line: string): string[] {
      // Empty, or perhaps the beginning of the closing fence.
      if (/^ {0,3}(?:`*|~*)\s*$/.test(line)) return hasLines ? [] : layout("");
      unfinished = clean(line);
      return rows(highlighter.unfinished(unfinished));
    },
  };
}

/** By how much the text of a list item is indented; null: the line begins none. */
function itemIndent(line: string): number | null {
  const [mark] = /^(?:\d{1,9}[.)]|[-*+])(?:\s+|$)/.exec(line) ?? [];
  return mark === undefined ? null : mark.length;
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
