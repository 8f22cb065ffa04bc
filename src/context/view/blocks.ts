/** The blocks that one entry contributes to a request. */

import {
  isThinking,
  blockText,
  type AssistantBlock,
  type Block,
  type ImageBlock,
  type ToolInput,
  type UserBlock,
} from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";

export type MessagePart = { role: "user" | "assistant"; blocks: Block[] };

/** How a row is shown. */
export type RowDisplay = {
  /** Replaces the entry's content. */
  text?: string | undefined;
  /** Shortened inputs of tool calls, by call id. */
  inputs?: ReadonlyMap<string, ToolInput>;
  /** The answer's thinking is no longer valid. */
  withoutThinking?: boolean;
};

/** The blocks of an entry; null for facts that are never sent. */
export function toBlocks(entry: Entry, display: RowDisplay): MessagePart | null {
  switch (entry.type) {
    case "user":
      return user(withContent(pickContent(entry, display)));
    case "context":
      return user(asContext(entry.kind, entry.title, pickContent(entry, display)));
    case "assistant": {
      // A failed answer was retried; the retry is sent instead.
      if (!isAnswer(entry)) return null;
      const { withoutThinking, inputs } = display;
      let blocks = withContent(entry.content);
      if (withoutThinking) blocks = blocks.filter((block) => !isThinking(block));
      if (inputs) blocks = blocks.map((block) => shorten(block, inputs));
      return { role: "assistant", blocks };
    }
    case "result": {
      const content =
        display.text === undefined
          ? withContent(entry.content)
          : [{ type: "text" as const, text: display.text }].filter(hasContent);
      return user([
        {
          type: "tool_result",
          tool_use_id: entry.toolUse,
          content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
          ...(entry.isError ? { is_error: true as const } : {}),
          ...(entry.loads && display.text === undefined ? { loads: entry.loads } : {}),
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

/** The entry's content, or the text that replaces it. */
const pickContent = (
  { content }: EntryOf<"user" | "context">,
  { text }: RowDisplay,
): UserBlock[] => (text === undefined ? content : [{ type: "text", text }]);

/** Whether the model sees this answer: it did not fail and holds more than thinking. */
export const isAnswer = (entry: Entry | undefined): entry is EntryOf<"assistant"> =>
  entry?.type === "assistant" &&
  entry.stop !== "failed" &&
  // The API rejects a message of thinking alone.
  entry.content.some((block) => !isThinking(block) && hasContent(block));

const user = (blocks: Block[]): MessagePart | null =>
  blocks.length > 0 ? { role: "user", blocks } : null;

/** The API rejects text that is empty or only whitespace. */
const hasContent = (block: Block): boolean => block.type !== "text" || /\S/.test(block.text);

/** Returns the list itself in the usual case that nothing in it is empty; it is never changed. */
const withContent = <T extends Block>(blocks: T[]): T[] =>
  blocks.every(hasContent) ? blocks : blocks.filter(hasContent);

function shorten(block: AssistantBlock, inputs: NonNullable<RowDisplay["inputs"]>): AssistantBlock {
  if (block.type !== "tool_use") return block;
  const input = inputs.get(block.id);
  return input ? { ...block, input } : block;
}

/** Quotes a pinned entry of a covered span: its text alone, since its call is gone. */
export function quoteEntry(entry: Entry, text: string | undefined): Block[] {
  if (entry.type !== "user" && entry.type !== "assistant" && entry.type !== "result") return [];
  const from = entry.type === "result" ? `result of ${entry.tool}` : entry.type;
  const said = text ?? blockText(entry.content);
  const images = text === undefined ? entry.content.filter(({ type }) => type === "image") : [];
  if (said.trim() === "") return images;
  const body = said.replace(/<(\/?)kept/gi, "&lt;$1kept");
  const quote = `<kept entry="${entry.id}" from="${attribute(from)}">\n${body}\n</kept>`;
  return [{ type: "text", text: quote }, ...images];
}

const attribute = (text: string): string => text.replace(/["<>\s]+/g, " ").trim();

/** Labeled, so that the model does not mistake a file's text for the user's. */
function asContext(kind: string, title: string, content: readonly UserBlock[]): Block[] {
  const text = blockText(content);
  const body = text.replace(/<(\/?)context/gi, "&lt;$1context");
  const wrapped: Block = {
    type: "text",
    text: `<context kind="${kind}" title="${attribute(title)}">\n${body}\n</context>`,
  };
  return [wrapped, ...content.filter((block) => block.type === "image")];
}

/** The entry with one block replaced by text; null when there is no such block. */
export function withBlock(
  entry: Entry,
  index: number,
  text: string,
  image?: ImageBlock,
): Entry | null {
  if (!("content" in entry) || entry.type === "step" || !entry.content[index]) return null;
  const block = { type: "text" as const, text };
  switch (entry.type) {
    case "user":
    case "context":
    case "result":
      return { ...entry, content: entry.content.with(index, image ?? block) };
    case "assistant":
      return { ...entry, content: entry.content.with(index, block) };
  }
}

/** Ids of the tool calls in an entry that the model sees. */
export function callIds(entry: Entry | undefined): readonly string[] {
  if (!isAnswer(entry)) return [];
  return entry.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}
