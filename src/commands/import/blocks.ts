/**
 * Converts message content of other agents to our blocks. Content without a counterpart becomes a
 * line of text that says what it was.
 */

import { takeStart } from "../../base/clip.ts";
import { z } from "zod";
import {
  unreadableInputKey,
  type AssistantBlock,
  type ImageBlock,
  type ResultBlock,
  type TextBlock,
  type ToolInput,
  type UserBlock,
} from "../../protocol/block.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import {
  anything,
  cleanRecord,
  isRecord,
  jsonText,
  maybe,
  parseJson,
  cleanLine,
  text,
} from "./json.ts";
import { detectImageType } from "../../tools/files/image.ts";
import type { Untimed } from "./conversation.ts";
import type { Skipped } from "./source.ts";

const source = z.object({ data: text, url: text, media_type: text });

const block = z.object({
  type: z.string(),
  text,
  thinking: text,
  signature: text,
  thinkingSignature: text,
  data: text,
  id: text,
  name: text,
  tool_name: text,
  image_url: anything,
  source: maybe(source),
  input: anything,
  arguments: anything,
});

/** Checked before parsing, so that the schema does not walk through a million items. */
const maxBlocks = 10_000;

/** Converts each block that can be read; the others are counted. */
const convert = <T>(
  content: unknown,
  skipped: Skipped,
  toBlocks: (foreign: z.infer<typeof block>, raw: unknown) => T[],
): T[] =>
  toList(content).flatMap((raw) => {
    const parsed = block.safeParse(typeof raw === "string" ? { type: "text", text: raw } : raw);
    if (parsed.success) return toBlocks(parsed.data, raw);
    skipped.add("blocks that cannot be read");
    return [];
  });

const toList = (content: unknown): unknown[] =>
  Array.isArray(content)
    ? content.slice(0, maxBlocks)
    : typeof content === "string"
      ? [content]
      : [];

/** The content of a user message or of a result. */
export function contentBlocks(content: unknown, skipped: Skipped): ResultBlock[] {
  return convert(content, skipped, (foreign): ResultBlock[] => {
    switch (foreign.type) {
      case "text":
      case "input_text":
      case "output_text":
      case "summary_text":
      case "reasoning_text":
        return foreign.text === null ? [] : [{ type: "text", text: foreign.text.toWellFormed() }];
      case "image": {
        const data = foreign.source?.data ?? foreign.data;
        return [
          data === null ? readImageUrl(foreign.source?.url ?? "somewhere else") : readImage(data),
        ];
      }
      case "input_image": {
        const url = isRecord(foreign.image_url) ? foreign.image_url["url"] : foreign.image_url;
        return [readImageUrl(typeof url === "string" ? url : "somewhere else")];
      }
      case "tool_reference":
        return [{ type: "text", text: `[The tool ${cleanLine(foreign.tool_name ?? "")}]` }];
      default:
        skipped.add(`${foreign.type} blocks, replaced by a line of text`);
        return [{ type: "text", text: `[A block of type “${cleanLine(foreign.type)}” was here.]` }];
    }
  });
}

/** The content of an answer, in Anthropic's or pi's form. Calls still have their ids of the file. */
export function answerBlocks(content: unknown, skipped: Skipped): AssistantBlock[] {
  return convert(content, skipped, (foreign, raw): AssistantBlock[] => {
    switch (foreign.type) {
      case "text":
        return [{ type: "text", text: (foreign.text ?? "").toWellFormed() }];
      case "thinking": {
        const signature = foreign.signature ?? foreign.thinkingSignature ?? "";
        return [{ type: "thinking", thinking: (foreign.thinking ?? "").toWellFormed(), signature }];
      }
      case "redacted_thinking":
        return [{ type: "redacted_thinking", data: foreign.data ?? "" }];
      case "tool_use":
      case "toolCall":
        return [readCall(foreign.id ?? "", foreign.name ?? "", foreign.input ?? foreign.arguments)];
      default:
        return [serverBlock(raw, foreign.type, foreign.name, skipped)];
    }
  });
}

/** Calls that ran on the provider's server have no counterpart and become text. */
function serverBlock(
  raw: unknown,
  type: string,
  name: string | null,
  skipped: Skipped,
): AssistantBlock {
  skipped.add(`${type} blocks, kept as a line of text`);
  const input = isRecord(raw) && "input" in raw ? ` ${takeStart(jsonText(raw["input"]), 500)}` : "";
  return { type: "text", text: `[${cleanLine(type)}${name ? ` ${cleanLine(name)}` : ""}${input}]` };
}

/** `input` may be an object, its JSON, or anything else that a model wrote. */
export function readCall(id: string, name: string, input: unknown): AssistantBlock {
  return { type: "tool_use", id, name, input: readInput(input) };
}

function readInput(input: unknown): ToolInput {
  if (input === undefined || input === null || input === "") return {};
  if (isRecord(input)) return cleanRecord(input);
  if (typeof input === "string") {
    const parsed = parseJson(input);
    if (isRecord(parsed)) return cleanRecord(parsed);
    return { [unreadableInputKey]: input.toWellFormed() };
  }
  return { [unreadableInputKey]: jsonText(input) };
}

/** How user messages begin that nobody typed: agents mark them with tags or brackets of their own. */
export type Marks = readonly (readonly [RegExp, kind: ContextFact["kind"], title: string])[];

/** A message of the user, or the context that its first text is marked as. */
export function readWords(
  content: UserBlock[],
  marks: Marks,
): Extract<Untimed, { type: "user" | "context" }> {
  const first = content.find((block) => block.type === "text");
  const start = first?.text.slice(0, 200).trimStart() ?? "";
  const mark = first && marks.find(([pattern]) => pattern.test(start));
  if (!mark) return { type: "user", content };
  return { type: "context", kind: mark[1], title: mark[2], content };
}

/** Five megabytes as base64: the API refuses requests with larger images. */
const maxChars = 7 * 1024 * 1024;

/** An image from base64, or a line of text when it cannot be sent. Its declared type is not trusted. */
export function readImage(data: string): ImageBlock | TextBlock {
  const kind = detectImageType(Buffer.from(data.slice(0, 16), "base64"));
  if (kind === null) return asText("[An image was here, in a form that cannot be sent.]");
  if (data.length > maxChars) {
    return asText(`[An image of ${Math.round((data.length * 3) / 4 / 1e6)} MB was here.]`);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return asText("[A damaged image was here.]");
  return { type: "image", source: { type: "base64", media_type: kind, data } };
}

/** An image from a `data:` URL, or a line of text with its location. */
export function readImageUrl(url: string): ImageBlock | TextBlock {
  const data = /^data:[^,]{0,200};base64,/.exec(url);
  if (data) return readImage(url.slice(data[0].length));
  return asText(`[An image was here: ${url.slice(0, 200).toWellFormed()}]`);
}

const asText = (text: string): TextBlock => ({ type: "text", text });
