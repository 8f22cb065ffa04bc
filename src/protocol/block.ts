/**
 * Content blocks, in the shape of Anthropic's Messages API: what a message is made of, in the log
 * and in a request. Blocks that a model returned are sent back exactly as they came, so the border
 * schema keeps fields that are not named here.
 */

import type { ToolDefinition } from "./tool-definition.ts";

export type TextBlock = { type: "text"; text: string };

export type ImageBlock = {
  type: "image";
  source: { type: "base64"; media_type: ImageMediaType; data: string };
};

export const imageMediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

export type ImageMediaType = (typeof imageMediaTypes)[number];

/** `signature` binds the block to everything before it; the text may be empty (display "omitted"). */
type ThinkingBlock = { type: "thinking"; thinking: string; signature: string };

type RedactedThinkingBlock = { type: "redacted_thinking"; data: string };

export type ToolInput = { [key: string]: unknown };

/** The file that a call names; null: none. */
export function filePathOf(input: ToolInput): string | null {
  const path = input["file_path"];
  return typeof path === "string" && path !== "" ? path : null;
}

/** Inputs that say what a call is about, the most telling first. */
const subjects =
  "command file_path pattern path query url skill open bash_id shell_id focus description";

/** What a call is about, such as its command or its file; undefined: none of its inputs says so. */
export const subjectOf = (input: ToolInput): { key: string; text: string } | undefined =>
  subjects
    .split(" ")
    .map((key) => ({ key, text: input[key] }))
    .find((one): one is { key: string; text: string } => typeof one.text === "string");

/**
 * The only key of the input of a call whose JSON could not be read; its value is what the model
 * wrote. No tool has such a parameter, so every tool refuses it.
 */
export const unreadableInputKey = "__invalid_json";

export type ToolUseBlock = { type: "tool_use"; id: string; name: string; input: ToolInput };

export type ToolResultBlock = {
  type: "tool_result";
  tool_use_id: string;
  content: ResultBlock[];
  is_error?: true;
  /** Tools that the model can call from here on. Not part of the API: clients translate it. */
  loads?: ToolDefinition[];
};

/** The server's own signed summary (beta `compact-2026-09-04`), sent back first and unchanged. */
export type CompactionBlock = {
  type: "compaction";
  content: string | null;
  encrypted_content?: string | null;
  signature?: string | null;
};

/** What the user, or the program on their behalf, can say. */
export type UserBlock = TextBlock | ImageBlock;

/** What a tool can return. */
export type ResultBlock = TextBlock | ImageBlock;

/** What a model can say. */
export type AssistantBlock =
  TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | CompactionBlock;

export type Block = UserBlock | AssistantBlock | ToolResultBlock;

export const isThinking = (block: Block): block is ThinkingBlock | RedactedThinkingBlock =>
  block.type === "thinking" || block.type === "redacted_thinking";

/** The text of the text blocks, joined by newlines. */
export const textOf = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
