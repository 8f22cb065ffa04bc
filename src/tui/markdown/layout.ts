/** Lays out a Markdown tree as lines of a given width. */

import type { Theme } from "../theme.ts";
import { wrapAnywhere, wrapWords } from "../wrap.ts";
import { highlight } from "./highlight.ts";
import { parseMarkdown, type Node } from "./nodes.ts";
import { layoutTable } from "./table.ts";

/** Lines of at most `width` columns, with an empty line between blocks. */
export const layoutMarkdown = (source: string, width: number, theme: Theme): string[] =>
  blocks(parseMarkdown(source, theme), width, theme);

function blocks(nodes: readonly Node[], width: number, theme: Theme): string[] {
  const lines: string[] = [];
  let before: Node | null = null;
  for (const node of nodes) {
    // No empty line between an item's text and a nested list.
    if (before !== null && !(before.kind === "text" && node.kind === "list")) lines.push("");
    // Spreading the lines of a huge code block would overflow the stack.
    for (const line of block(node, width, theme)) lines.push(line);
    before = node;
  }
  return lines;
}

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
      const lines = blocks(node.children, width - indent, theme);
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
  const bar = theme.paint("dim", "▏");
  const lines: string[] = [];
  if (language !== "") lines.push(bar + theme.paint("dim", language));
  for (const line of highlight(text, language, theme)) {
    for (const piece of wrapAnywhere(line, width - 1)) lines.push(bar + piece);
  }
  return lines;
}
