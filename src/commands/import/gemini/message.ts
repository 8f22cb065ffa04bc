/** A message of Gemini CLI's recordings, as `chatRecordingTypes.ts` of its core package has them. */

import { z } from "zod";
import { textOf, type AssistantBlock, type ResultBlock } from "../../../protocol/block.ts";
import type { Usage } from "../../../protocol/model.ts";
import { callOf, contentBlocks } from "../blocks.ts";
import type { EntryWriter } from "../entry-writer.ts";
import { imageOf } from "../images.ts";
import { anything, cleanLine, countOf, isRecord, jsonText, maybe, timeOf, text } from "../json.ts";
import type { Skipped } from "../skipped.ts";

export const messageSchema = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: anything,
  content: anything,
  model: text,
  thoughts: maybe(
    z.array(
      z.object({ subject: text, description: text }).catch({ subject: null, description: null }),
    ),
  ),
  toolCalls: maybe(
    z.array(z.object({ id: text, name: text, args: anything, result: anything, status: text })),
  ),
  tokens: anything,
});

type GeminiMessage = z.infer<typeof messageSchema>;

export function convertMessage(message: GeminiMessage, writer: EntryWriter): void {
  const { skipped } = writer;
  const said = partsOf(message.content, skipped);
  writer.at(timeOf(message.timestamp));
  switch (message.type) {
    case "user":
      return writer.user(said);
    case "gemini":
      return convertAnswer(message, said, writer);
    case "info":
    case "warning":
    case "error":
      return writer.note(message.type, textOf(said).slice(0, 10_000));
    default:
      skipped.add(`messages of type ${cleanLine(message.type)}`);
  }
}

function convertAnswer(
  { thoughts, toolCalls, model, tokens }: GeminiMessage,
  said: readonly ResultBlock[],
  writer: EntryWriter,
): void {
  const thinking = (thoughts ?? [])
    .map(({ subject, description }) => [subject, description].filter(Boolean).join("\n"))
    .filter((thought) => thought !== "")
    .join("\n\n");
  const calls = toolCalls ?? [];
  const content: AssistantBlock[] = [
    ...(thinking === "" ? [] : [{ type: "thinking" as const, thinking, signature: "" }]),
    ...said.flatMap((block) => (block.type === "text" && block.text.trim() !== "" ? [block] : [])),
    ...calls.map(({ id, name, args }) => callOf(id ?? "", name ?? "unknown", args)),
  ];
  writer.answer({ content, model, usage: usageOf(tokens) });
  for (const { id, name, result, status } of calls)
    writer.result({
      call: id ?? "",
      content: partsOf(result, writer.skipped),
      isError: status === "error" || status === "cancelled",
      tool: name ?? "unknown",
    });
}

/** Parts in the form of Google's API: texts, images, and what tools answered. */
function partsOf(parts: unknown, skipped: Skipped): ResultBlock[] {
  const list: unknown[] = Array.isArray(parts) ? parts : parts == null ? [] : [parts];
  return list.flatMap((part): ResultBlock[] => {
    if (typeof part === "string") return contentBlocks(part, skipped);
    if (!isRecord(part)) return [];
    if (typeof part["text"] === "string") return contentBlocks(part["text"], skipped);
    const { inlineData, functionResponse } = part;
    if (isRecord(inlineData) && typeof inlineData["data"] === "string")
      return [imageOf(inlineData["data"])];
    if (isRecord(functionResponse)) return contentBlocks(answerIn(functionResponse), skipped);
    skipped.add("parts of other kinds");
    return [];
  });
}

function answerIn({ response }: Record<string, unknown>): string {
  if (!isRecord(response))
    return typeof response === "string" ? response : jsonText(response ?? "");
  const answer = response["output"] ?? response["error"] ?? response["content"];
  return typeof answer === "string" ? answer : jsonText(answer ?? response);
}

/** Tokens of the cache are part of the input. */
function usageOf(tokens: unknown): Usage {
  const cacheRead = countOf(tokens, "cached");
  return {
    input: Math.max(0, countOf(tokens, "input") - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output: countOf(tokens, "output") + countOf(tokens, "thoughts"),
  };
}
