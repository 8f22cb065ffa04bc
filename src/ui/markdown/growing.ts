/**
 * Lays out Markdown that is still being streamed, by blocks: only the last one changes as the text
 * grows. A long code block is laid out in pieces, each of which colors its code on its own.
 */

import type { Theme } from "../theme.ts";
import { layoutMarkdown } from "./layout.ts";

/** Lines of code in a piece. */
const pieceLines = 50;

type MarkdownPiece = {
  text: string;
  /** The opening line of the code block that it continues; null: it is a block of its own. */
  continues: Fence | null;
};

/** Returns the lines of a text, with an empty one above each block. */
export function growingMarkdown(width: number, theme: Theme): (text: string) => readonly string[] {
  let known: { text: string; lines: readonly string[] }[] = [];
  let last = { text: "", lines: [] as readonly string[] };
  const layout = ({ text, continues }: MarkdownPiece): readonly string[] => {
    const lines = layoutMarkdown(text, width, theme);
    if (continues === null) return ["", ...lines];
    return continues.language === "" ? lines : lines.slice(1);
  };
  return (text) => {
    if (text === last.text) return last.lines;
    known = splitMarkdown(text).map((piece, index) => {
      const before = known[index];
      return before?.text === piece.text ? before : { text: piece.text, lines: layout(piece) };
    });
    last = { text, lines: known.flatMap(({ lines }) => lines) };
    return last.lines;
  };
}

/** The beginning of a possible closing fence. */
const partialFence = /\n {0,3}(?:`{1,2}|~{1,2})$/;

function splitMarkdown(text: string): MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let lines: string[] = [];
  let code: Fence | null = null;
  let continues: Fence | null = null;
  /** In a list, by how much the text of its last item is indented. */
  let indent: number | null = null;
  let isAfterEmpty = true;
  const end = (): void => {
    const block = lines.join("\n");
    if (block.trim() !== "") pieces.push({ text: block, continues });
    lines = [];
    continues = null;
  };
  for (const line of text.replace(partialFence, "").split("\n")) {
    const isEmpty = line.trim() === "";
    if (code !== null) {
      lines.push(line);
      const isClosed = closesFence(line, code);
      if (!isClosed && (isEmpty || lines.length < pieceLines)) continue;
      end();
      if (isClosed) code = null;
      else {
        continues = code;
        lines.push(code.line);
      }
      continue;
    }
    // HTML continues until an empty line, whatever it contains.
    const isHtml: boolean = !isAfterEmpty && lines[0]?.startsWith("<") === true;
    const fence: Fence | null = isHtml ? null : parseFence(line);
    const item = itemIndent(line);
    const isInItem: boolean = fence !== null && indent !== null && fence.indent >= indent;
    const isInList = indent !== null && item !== null;
    const begins = isAfterEmpty && !isEmpty && !/^\s/.test(line) && !isInList;
    const isCode: boolean = fence !== null && !isInItem;
    if (isCode || begins || (!isHtml && /^#{1,6}\s/.test(line))) {
      end();
      indent = item;
    } else indent = item ?? indent;
    isAfterEmpty = isEmpty || isCode;
    if (isCode) code = fence;
    lines.push(line);
  }
  // A piece that has only its opening line.
  if (continues === null || lines.length > 1) end();
  return pieces;
}

/** By how much the text of a list item is indented; null: the line begins none. */
function itemIndent(line: string): number | null {
  const [mark] = /^(?:\d{1,9}[.)]|[-*+])(?:\s+|$)/.exec(line) ?? [];
  return mark === undefined ? null : mark.length;
}

/** The opening line of a fenced code block. */
type Fence = { line: string; sign: string; language: string; indent: number };

function parseFence(line: string): Fence | null {
  const [, indent, sign, info = ""] = /^( {0,3})(`{3,}(?!.*`)|~{3,})\s*(\S*)/.exec(line) ?? [];
  if (indent === undefined || sign === undefined) return null;
  return { line, sign, language: info, indent: indent.length };
}

function closesFence(line: string, { sign }: Fence): boolean {
  const end = line.trim();
  const isFence = end.startsWith(sign) && end === sign.charAt(0).repeat(end.length);
  return isFence && /^ {0,3}\S/.test(line);
}
