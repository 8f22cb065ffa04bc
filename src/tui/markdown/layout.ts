/** Lays out a Markdown tree as lines of a given width. */

import type { Theme } from "../theme.ts";
import { wrapAnywhere, wrapWords } from "../wrap.ts";
import { highlight } from "../code/highlight.ts";
import { parseMarkdown, type Node } from "./nodes.ts";
import { layoutTable } from "./table.ts";

/**
 * Lines of at most `width` columns, with an empty line between blocks. `start` replaces the first number
 * of an ordered list.
 */
export const layoutMarkdown = (
  source: string,
  width: number,
  theme: Theme,
  start?: number,
): string[] => blocks(parseMarkdown(source, theme, start), width, theme);

/** In an item, no empty line between text and a nested list. */
function blocks(nodes: readonly Node[], width: number, theme: Theme, isItem = false): string[] {
  const lines: string[] = [];
  let before: Node | null = null;
  for (const node of nodes) {
    if (before !== null && !(isItem && isText(before) && node.kind === "list")) lines.push("");
    // Spreading the lines of a huge code block would overflow the stack.
    for (const line of block(node, width, theme)) lines.push(line);
    before = node;
  }
  return lines;
}

const isText = ({ kind }: Node): boolean => kind === "text" || kind === "paragraph";

function block(node: Node, width: number, theme: Theme): string[] {
  switch (node.kind) {
    case "text":
      return wrapWords(node.text.replace(/^\n|\n$/g, ""), width);
    case "heading": {
      const sign = theme.paint("dim", `${"#".repeat(node.level)} `);
      const lines = blocks(node.children, width - node.level - 1, theme);
      return lines.map((line, index) => (index === 0 ? sign : "") + theme.paint("heading", line));
    }
    case "paragraph":
      return blocks(node.children, width, theme);
    case "quote": {
      const bar = theme.paint("quote", "│ ");
      return blocks(node.children, width - 2, theme).map((line) => bar + line);
    }
    case "code":
      return codeBlock(node.text, node.language, width, theme);
    case "list":
      return node.children.flatMap((item) => block(item, width, theme));
    case "item": {
      const indent = Bun.stringWidth(node.mark) + 1;
      const lines = blocks(node.children, width - indent, theme, true);
      const first = `${theme.paint("accent", node.mark)} `;
      return (lines.length === 0 ? [""] : lines).map((line, index) =>
        index === 0 ? first + line : line === "" ? "" : " ".repeat(indent) + line,
      );
    }
    case "rule":
      return [theme.paint("dim", "─".repeat(Math.max(1, width)))];
    case "table":
      return layoutTable(node.children, width, theme);
    case "row":
    case "cell":
      return [];
    default:
      return node satisfies never;
  }
}

function codeBlock(text: string, language: string, width: number, theme: Theme): string[] {
  const lines = codeHead(language, theme);
  // Spreading the lines of a huge block would overflow the stack.
  for (const line of highlight(text, language, theme))
    for (const piece of codeLine(line, width, theme)) lines.push(piece);
  return lines;
}

export const codeHead = (language: string, theme: Theme): string[] =>
  language === "" ? [] : [theme.paint("dim", "▏") + theme.paint("dim", language)];

/** A highlighted line of a code block, wrapped. */
export const codeLine = (line: string, width: number, theme: Theme): string[] =>
  wrapAnywhere(line, width - 1).map((piece) => theme.paint("dim", "▏") + piece);
