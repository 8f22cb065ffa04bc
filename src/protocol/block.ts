/**
 * Content blocks, in the shape of Anthropic's Messages API: what a message is made of, in the log
 * and in a request; each with a schema, by which it is checked where it enters. Blocks that a model
 * returned are sent back exactly as they came, so the border keeps fields that no schema names.
 */

import { z } from "zod";

export const textSchema = z.object({ type: z.literal("text"), text: z.string() });
export type TextBlock = z.infer<typeof textSchema>;

export const imageMediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageMediaType = (typeof imageMediaTypes)[number];

export const imageSchema = z.object({
  type: z.literal("image"),
  source: z.object({
    type: z.literal("base64"),
    media_type: z.enum(imageMediaTypes),
    data: z.string(),
  }),
});
export type ImageBlock = z.infer<typeof imageSchema>;

export const thinkingSchema = z.object({
  type: z.literal("thinking"),
  /** May be empty (display "omitted"). */
  thinking: z.string(),
  /** Binds the block to everything before it. */
  signature: z.string(),
});

export const redactedThinkingSchema = z.object({
  type: z.literal("redacted_thinking"),
  data: z.string(),
});

const inputSchema = z.record(z.string(), z.unknown());
export type ToolInput = z.infer<typeof inputSchema>;

export const toolUseSchema = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: inputSchema,
  /**
   * Fields that a server of OpenAI's kind added to the call, to its function, or to the message it
   * came in, by that place: it may want them back.
   */
  extra: z.partialRecord(z.enum(["call", "function", "message"]), inputSchema).exactOptional(),
});
export type ToolUseBlock = z.infer<typeof toolUseSchema>;

/** A tool as the API knows it. */
export const toolDefinitionSchema = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.looseObject({ type: z.literal("object") }),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

export type ToolResultBlock = {
  type: "tool_result";
  tool_use_id: string;
  content: ResultBlock[];
  is_error?: true;
  /** Tools that the model can call from here on. Not part of the API: clients translate it. */
  loads?: ToolDefinition[];
};

/** The server's own signed summary (beta `compact-2026-09-04`), sent back first and unchanged. */
export const compactionSchema = z.object({
  type: z.literal("compaction"),
  content: z.string().nullable(),
  encrypted_content: z.string().nullable().exactOptional(),
  signature: z.string().nullable().exactOptional(),
});
export type CompactionBlock = z.infer<typeof compactionSchema>;

/** Blocks of the user, or of the program on their behalf; and of a tool's result. */
export const userBlockSchema = z.discriminatedUnion("type", [textSchema, imageSchema]);
export type UserBlock = z.infer<typeof userBlockSchema>;
export type ResultBlock = UserBlock;

/** Blocks of a model. */
export const assistantBlockSchema = z.discriminatedUnion("type", [
  textSchema,
  thinkingSchema,
  redactedThinkingSchema,
  toolUseSchema,
  compactionSchema,
]);
export type AssistantBlock = z.infer<typeof assistantBlockSchema>;

export type Block = UserBlock | AssistantBlock | ToolResultBlock;

type ThinkingBlock = Extract<Block, { type: "thinking" | "redacted_thinking" }>;

/** The file that a call names; null: none. */
export function findFilePath(input: ToolInput): string | null {
  const path = input["file_path"];
  return typeof path === "string" && path !== "" ? path : null;
}

/** Inputs that say what a call is about, the most telling first. */
const subjects =
  "command file_path description pattern path query url skill open bash_id shell_id focus note question plan code";

const askedSchema = z.object({ questions: z.array(z.object({ question: z.string() })) });

/** The subject of a call, such as its command or its file; undefined: none of its inputs names one. */
export function findSubject(input: ToolInput): { key: string; text: string } | undefined {
  if (unreadableInputKey in input) return { key: "input", text: "(input that is not valid JSON)" };
  const [first] = askedSchema.safeParse(input).data?.questions ?? [];
  const inputs: ToolInput = { ...first, ...input };
  return subjects
    .split(" ")
    .map((key) => ({ key, text: inputs[key] }))
    .find((found): found is { key: string; text: string } => typeof found.text === "string");
}

/**
 * The only key of the input of a call whose JSON could not be read; its value is what the model
 * wrote. No tool has such a parameter, so every tool refuses it.
 */
export const unreadableInputKey = "__invalid_json";

export const isThinking = (block: Block): block is ThinkingBlock =>
  block.type === "thinking" || block.type === "redacted_thinking";

/** The text of the text blocks, joined by newlines. */
export const blockText = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
