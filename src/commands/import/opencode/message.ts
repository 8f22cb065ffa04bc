/** Messages of opencode and their parts, as `message-v2.ts` of its source has them. */

import { z } from "zod";
import type { AssistantBlock, UserBlock } from "../../../protocol/block.ts";
import { sentBy, type Stop, type Usage } from "../../../protocol/model.ts";
import { callOf } from "../blocks.ts";
import type { EntryWriter } from "../entry-writer.ts";
import { imageAt, imageOf } from "../images.ts";
import {
  anything,
  cleanLine,
  countOf,
  isRecord,
  jsonText,
  maybe,
  text,
  count,
  flag,
} from "../json.ts";
import type { Skipped } from "../skipped.ts";

const partSchema = z.object({
  type: z.string(),
  text,
  synthetic: flag,
  ignored: flag,
  callID: text,
  tool: text,
  mime: text,
  url: text,
  filename: text,
  auto: flag,
  state: maybe(
    z.object({ status: z.string(), input: anything, output: anything, error: anything }),
  ),
});

type Part = z.infer<typeof partSchema>;

const messageSchema = z.object({
  role: z.string(),
  time: maybe(z.object({ created: count, completed: count })),
  modelID: text,
  tokens: anything,
  error: anything,
  finish: text,
  summary: anything,
  parts: z.array(partSchema.catch(partSchema.parse({ type: "unreadable" }))).catch([]),
});

export type OpencodeMessage = z.infer<typeof messageSchema>;

/** Empty for anything that is not a message, which is counted as skipped. */
export function readMessage(raw: unknown, skipped: Skipped): OpencodeMessage[] {
  const { data } = messageSchema.safeParse(raw);
  if (data) return [data];
  skipped.add("messages that cannot be read");
  return [];
}

export function convertMessages(messages: Iterable<OpencodeMessage>, writer: EntryWriter): void {
  let isAsked = false;
  for (const message of messages) {
    writer.at(message.time?.created ?? null);
    if (message.role === "user") {
      // A message with such a part asks for a summary, which the next answer is.
      const request = message.parts.find(({ type }) => type === "compaction");
      isAsked = request !== undefined && request.auto !== true;
      if (!request) convertUser(message, writer);
    } else if (message.summary === true) summarize(message, isAsked, writer);
    else convertAnswer(message, writer);
  }
}

function convertUser({ parts }: OpencodeMessage, writer: EntryWriter): void {
  const isTyped = (part: Part): boolean => part.synthetic !== true;
  const blocks = (wanted: (part: Part) => boolean): UserBlock[] =>
    parts
      .filter((part) => part.ignored !== true && wanted(part))
      .flatMap((part) => userBlock(part, writer.skipped));
  writer.user(blocks(isTyped));
  const others = blocks((part) => !isTyped(part));
  writer.context("reminder", "reminder", others);
}

function userBlock(
  { type, text: words, mime, url, filename }: Part,
  skipped: Skipped,
): UserBlock[] {
  if (type === "text") return words === null ? [] : [{ type: "text", text: words.toWellFormed() }];
  if (type !== "file") {
    skipped.add(`parts of type ${cleanLine(type)}`);
    return [];
  }
  const data = /^data:image\/[\w+.-]+;base64,(.*)$/s.exec(url ?? "")?.[1];
  if (data !== undefined) return [imageOf(data)];
  if (mime?.startsWith("image/")) return [imageAt(filename ?? url ?? "somewhere else")];
  return [{ type: "text", text: `[file ${cleanLine(filename ?? url ?? "")}]` }];
}

/** What came before is no longer sent. */
function summarize(
  { parts, tokens }: OpencodeMessage,
  isAsked: boolean,
  writer: EntryWriter,
): void {
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("\n");
  writer.summarized({
    text: words.toWellFormed(),
    trigger: isAsked ? "command" : "auto",
    tokensBefore: sentBy(usageOf(tokens)),
  });
}

function convertAnswer(message: OpencodeMessage, writer: EntryWriter): void {
  const { parts, time, modelID, tokens, error } = message;
  writer.at(time?.completed ?? time?.created ?? null);
  const content = parts.flatMap((part) => answerBlock(part, writer.skipped));
  const calls = parts.filter(({ type }) => type === "tool");
  writer.answer({ content, model: modelID, usage: usageOf(tokens), stop: stopOf(message) });
  for (const { callID, tool, state } of calls) {
    if (state?.status !== "completed" && state?.status !== "error") continue;
    const said = state.status === "error" ? state.error : state.output;
    const words = typeof said === "string" ? said : jsonText(said ?? "");
    writer.result({
      call: callID ?? "",
      content: [{ type: "text", text: words.toWellFormed() }],
      isError: state.status === "error",
      tool: tool ?? "unknown",
    });
  }
  if (isRecord(error) && error["name"] !== "MessageAbortedError") writer.error(errorWords(error));
}

function answerBlock(part: Part, skipped: Skipped): AssistantBlock[] {
  const words = part.text?.toWellFormed() ?? "";
  switch (part.type) {
    case "text":
      return words.trim() === "" ? [] : [{ type: "text", text: words }];
    case "reasoning":
      return words.trim() === "" ? [] : [{ type: "thinking", thinking: words, signature: "" }];
    case "tool":
      return [callOf(part.callID ?? "", part.tool ?? "unknown", part.state?.input)];
    case "step-start":
    case "step-finish":
      return [];
    default:
      skipped.add(`parts of type ${cleanLine(part.type)}`);
      return [];
  }
}

function stopOf({ error, finish }: OpencodeMessage): Stop | undefined {
  if (isRecord(error)) return error["name"] === "MessageAbortedError" ? "interrupted" : "failed";
  return finish === "length" ? "max_tokens" : undefined;
}

function errorWords({ name, data }: Record<string, unknown>): string {
  const message = isRecord(data) ? data["message"] : undefined;
  return typeof message === "string" ? message : String(name ?? "error");
}

function usageOf(tokens: unknown): Usage {
  return {
    input: countOf(tokens, "input"),
    cacheRead: countOf(tokens, "cache", "read"),
    cacheWrite: countOf(tokens, "cache", "write"),
    output: countOf(tokens, "output") + countOf(tokens, "reasoning"),
  };
}
