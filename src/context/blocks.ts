/** What one entry puts into a request, shown whole or in part. */

import {
  isThinking,
  textOf,
  type AssistantBlock,
  type Block,
  type ToolInput,
  type UserBlock,
} from "../protocol/block.ts";
import type { Entry, EntryOf } from "../protocol/entry.ts";

export type MessagePart = { role: "user" | "assistant"; blocks: Block[] };

/** How a row is shown, as far as its blocks depend on it. */
export type RowDisplay = {
  /** Stands in the place of a result's content. */
  text?: string;
  /** Shorter inputs of tool calls, by their ids. */
  inputs?: ReadonlyMap<string, ToolInput>;
  /** Thinking of this answer is no longer valid, or was stripped once and for good. */
  withoutThinking?: boolean;
};

/** The blocks of an entry; null for facts that are never sent. */
export function blocksOf(entry: Entry, showing: RowDisplay): MessagePart | null {
  switch (entry.type) {
    case "user":
      return user(withContent(entry.content));
    case "context":
      return user(asContext(entry.kind, entry.title, entry.content));
    case "assistant": {
      // A broken-off answer was tried again: what came then stands for it.
      if (!isAnswer(entry)) return null;
      const { withoutThinking, inputs } = showing;
      let blocks = withContent(entry.content);
      if (withoutThinking) blocks = blocks.filter((block) => !isThinking(block));
      if (inputs) blocks = blocks.map((block) => shorten(block, inputs));
      return { role: "assistant", blocks };
    }
    case "result": {
      const content =
        showing.text === undefined
          ? withContent(entry.content)
          : [{ type: "text" as const, text: showing.text }].filter(hasContent);
      return user([
        {
          type: "tool_result",
          tool_use_id: entry.toolUse,
          content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
          ...(entry.isError ? { is_error: true as const } : {}),
        },
      ]);
    }
    case "cut":
      return user(
        entry.changes
          .flatMap((change) =>
            change.kind === "cover" && change.kept !== undefined
              ? [{ type: "text" as const, text: change.kept }]
              : [],
          )
          .filter(hasContent),
      );
    default:
      return null;
  }
}

/** An answer that the model sees: not one that failed, or was broken off before its first word. */
export const isAnswer = (entry: Entry | undefined): entry is EntryOf<"assistant"> =>
  entry?.type === "assistant" &&
  entry.stop !== "failed" &&
  // Thinking alone is no answer: the API wants it followed by something.
  entry.content.some((block) => !isThinking(block) && hasContent(block));

const user = (blocks: Block[]): MessagePart | null =>
  blocks.length > 0 ? { role: "user", blocks } : null;

/** The API refuses text that is empty or only white space. */
const hasContent = (block: Block): boolean => block.type !== "text" || /\S/.test(block.text);

/** The list itself where nothing in it is empty, as nearly always: nobody changes it. */
const withContent = <T extends Block>(blocks: T[]): T[] =>
  blocks.every(hasContent) ? blocks : blocks.filter(hasContent);

function shorten(block: AssistantBlock, inputs: NonNullable<RowDisplay["inputs"]>): AssistantBlock {
  if (block.type !== "tool_use") return block;
  const input = inputs.get(block.id);
  return input ? { ...block, input } : block;
}

/** What stays of a pinned entry within a covered span: its words, quoted, for its call is gone. */
export function quoteOf(entry: Entry, text: string | undefined): Block[] {
  if (entry.type !== "user" && entry.type !== "assistant" && entry.type !== "result") return [];
  const from = entry.type === "result" ? `result of ${entry.tool}` : entry.type;
  const said = text ?? textOf(entry.content);
  const images = text === undefined ? entry.content.filter(({ type }) => type === "image") : [];
  if (said.trim() === "") return images;
  const body = said.replace(/<(\/?)kept/gi, "&lt;$1kept");
  const quote = `<kept entry="${entry.id}" from="${attribute(from)}">\n${body}\n</kept>`;
  return [{ type: "text", text: quote }, ...images];
}

const attribute = (text: string): string => text.replace(/["<>\s]+/g, " ").trim();

/** Told as what it is, so that the model does not take a file's words for the user's. */
function asContext(kind: string, title: string, content: readonly UserBlock[]): Block[] {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const body = text.replace(/<(\/?)context/gi, "&lt;$1context");
  const wrapped: Block = {
    type: "text",
    text: `<context kind="${kind}" title="${attribute(title)}">\n${body}\n</context>`,
  };
  return [wrapped, ...content.filter((block) => block.type === "image")];
}
