/** Items as plain text, for search, the clipboard and the pager. */

import { textOf } from "../../protocol/block.ts";
import type { Change } from "../../protocol/entry.ts";
import type { Item } from "../items.ts";
import { callTitle } from "./format.ts";

export function itemText(item: Item): string {
  switch (item.kind) {
    case "text":
    case "thinking":
      return item.text;
    case "tool":
      return `${callTitle(item.call.name, item.call.input)}\n${item.result ? textOf(item.result.content) : ""}`;
    case "result":
      return textOf(item.result.content);
    case "user":
    case "context":
      return textOf(item.entry.content);
    case "cut":
      return [item.entry.reason, ...item.entry.changes.map(changeText)].join("\n");
    case "note":
      return item.entry.text;
    case "restore":
    case "head":
    case "model":
    case "turn":
    case "stop":
      return "";
    default:
      return item satisfies never;
  }
}

const changeText = (change: Change): string => (change.kind === "input" ? "" : change.text);

/** The text to copy: a call's output, or else the item's text. */
export const copyText = (item: Item): string =>
  item.kind === "tool" && item.result ? textOf(item.result.content) : itemText(item);

/** The code blocks of a Markdown text, without their fences. */
export const codeBlocks = (text: string): string[] =>
  [...text.matchAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^ {0,3}\1/gm)].map(
    ([, , code = ""]) => code,
  );

const names: Partial<Record<Item["kind"], string>> = {
  user: "You",
  thinking: "Thinking",
  tool: "Tool",
  result: "Tool",
  context: "Context",
  cut: "Compaction",
  note: "Note",
};

/** The full transcript, for a pager. */
export function transcriptText(items: readonly Item[]): string {
  const parts = items.flatMap((item) => {
    const text = itemText(item).trim();
    const name = names[item.kind];
    return text === "" ? [] : name === undefined ? text : `## ${name}\n\n${text}`;
  });
  return `${parts.join("\n\n")}\n`;
}
