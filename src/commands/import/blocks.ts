/** Message content of other agents in our blocks: one table of their kinds, and one walk. */

import { terminalLine } from "../../base/escape-terminal.ts";
import { z } from "zod";
import { isRecord } from "../../base/guards.ts";
import {
  unreadableInputKey,
  type AssistantBlock,
  type ImageBlock,
  type ResultBlock,
  type TextBlock,
  type ToolInput,
  type ToolUseBlock,
  type UserBlock,
} from "../../protocol/block.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import { detectImageType } from "../../tools/files/image.ts";
import { anything, maybe, parseShallow, text } from "./source.ts";
import type { Transcript } from "./transcript.ts";

const blockSchema = z.object({
  type: z.string(),
  text,
  thinking: text,
  signature: text,
  data: text,
  id: text,
  call_id: text,
  name: text,
  namespace: text,
  image_url: text,
  source: maybe(z.object({ data: text })),
  input: anything,
  arguments: anything,
});

type ForeignBlock = z.infer<typeof blockSchema>;

const asText = (words: string): TextBlock => ({ type: "text", text: words });

function readCall(block: ForeignBlock): ToolUseBlock {
  const tool = block.name ?? "";
  const name = block.namespace ? `${block.namespace}-${tool}` : tool;
  const input = readInput(block.input ?? block.arguments);
  return { type: "tool_use", id: block.call_id ?? block.id ?? "", name, input };
}

/** The input may be an object, its JSON, or anything else that a model wrote. */
function readInput(input: unknown): ToolInput {
  const value = typeof input === "string" ? (parseShallow(input) ?? input) : input;
  if (value === undefined || value === null || value === "") return {};
  if (isRecord(value)) return value;
  return { [unreadableInputKey]: typeof input === "string" ? input : JSON.stringify(input) };
}

/** Five megabytes as base64: the API refuses requests with larger images. */
const maxImageChars = 7 * 1024 * 1024;

/** An image, or a line of text when it cannot be sent. Its declared type is not trusted. */
function readImage({ source, image_url }: ForeignBlock): ImageBlock | TextBlock {
  const data = source?.data ?? image_url?.replace(/^data:[^,]{0,200};base64,/, "") ?? "";
  const type = detectImageType(Buffer.from(data.slice(0, 16), "base64"));
  if (type === null || data.length > maxImageChars || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return asText("[An image was here that cannot be sent.]");
  return { type: "image", source: { type: "base64", media_type: type, data } };
}

/** The block of any of the files; for one without a counterpart, a line of text that names it. */
function readBlock(block: ForeignBlock): AssistantBlock | ImageBlock {
  // Of any type with text: input_text, output_text, summary_text.
  if (block.text !== null) return asText(block.text);
  switch (block.type) {
    case "image":
    case "input_image":
      return readImage(block);
    case "tool_use":
    case "function_call":
      return readCall(block);
    case "custom_tool_call":
      return readCall({ ...block, namespace: null, input: { input: block.input } });
    case "thinking":
      return { type: "thinking", thinking: block.thinking ?? "", signature: block.signature ?? "" };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.data ?? "" };
    default: {
      const words = [block.type, block.name ?? "", JSON.stringify(block.input) ?? ""];
      return asText(
        `[${words
          .map((word) => terminalLine(word, 500))
          .join(" ")
          .trim()}]`,
      );
    }
  }
}

const readBlocks = (content: unknown) =>
  [content].flat().flatMap((raw) => {
    if (typeof raw === "string") return [asText(raw)];
    const { data: block } = blockSchema.safeParse(raw);
    return block ? [readBlock(block)] : [];
  });

/** The content of a user message or of a result. */
export const contentBlocks = (content: unknown): ResultBlock[] =>
  readBlocks(content).map((block) =>
    block.type === "text" || block.type === "image" ? block : asText(`[${block.type}]`),
  );

/** The content of an answer. Calls still have their ids of the file. */
export const answerBlocks = (content: unknown): AssistantBlock[] =>
  readBlocks(content).map((block) => (block.type === "image" ? asText("[image]") : block));

/** Prefixes of generated user messages, which agents mark with tags or brackets. */
export type Marks = readonly (readonly [RegExp, kind: ContextFact["kind"], title: string])[];

/** The mark that the first text begins with. */
export function findMark(content: readonly UserBlock[], marks: Marks) {
  const first = content.find((block) => block.type === "text");
  const start = first?.text.slice(0, 200).trimStart() ?? "";
  const [, kind, title] = marks.find(([pattern]) => pattern.test(start)) ?? [];
  return kind && title ? { kind, title } : null;
}

/** Adds a message of the user, or the context that it is marked as. */
export function addWords(
  session: Transcript,
  content: UserBlock[],
  marks: Marks,
  atMs: number | null,
): void {
  const mark = findMark(content, marks);
  if (mark) session.context(mark.kind, mark.title, content, atMs);
  else session.user(content, atMs);
}
