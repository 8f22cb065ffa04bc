import { takeStart } from "../../base/clip.ts";
import { callOf } from "../../context/view/rows.ts";
import type { View } from "../../context/types.ts";
import { textOf, type Block } from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { sanitizeLine } from "../sanitize.ts";
import { callTitle } from "../transcript/format.ts";

/** An entry in one line: who, and the first words. */
export function describeEntry(view: View, entry: Entry): string {
  const words = wordsOfEntry(view, entry);
  if (entry.type === "user") return `you: ${words}`;
  if (entry.type === "context" && words !== entry.kind) return `${entry.kind}: ${words}`;
  return entry.type === "assistant" && !callsOnly(entry) ? `answer: ${words}` : words;
}

export function wordsOfEntry(view: View, entry: Entry): string {
  switch (entry.type) {
    case "result":
      return callTitle(entry.tool, callOf(view, entry)?.input ?? {});
    case "context":
      return sanitizeLine(entry.title);
    case "user":
      return firstWords(entry.content);
    case "assistant":
      return callsOnly(entry) ?? firstWords(entry.content);
    default:
      return entry.type;
  }
}

const firstWords = (content: readonly Block[]): string =>
  takeStart(sanitizeLine(textOf(content)), 120);

/** The calls of an answer without words; null if it has any, or makes no calls. */
function callsOnly({ content }: EntryOf<"assistant">): string | null {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
  if (calls.length === 0 || textOf(content).trim() !== "") return null;
  return `calls ${sanitizeLine(calls.join(", "))}`;
}
