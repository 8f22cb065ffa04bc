import { takeStart } from "../../../base/clip.ts";
import type { AssistantBlock } from "../../../protocol/block.ts";
import type { Usage } from "../../../protocol/model.ts";
import { callOf, contentBlocks } from "../blocks.ts";
import { countOf, isRecord, jsonText, parseJson } from "../json.ts";
import type { Skipped } from "../skipped.ts";
import type { Item } from "./line.ts";

/** The blocks of an answer in an item; null when the item is not part of an answer. */
export function answerOf(item: Item, skipped: Skipped): AssistantBlock[] | null {
  const id = item.call_id ?? item.id ?? "";
  switch (item.type) {
    case "message":
      return item.role === "assistant" ? textsOf(item.content, skipped) : null;
    case "reasoning": {
      const parts = [item.summary, item.content].flatMap((one) => contentBlocks(one, skipped));
      const thinking = parts.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n\n");
      if (thinking.trim() === "") skipped.add("encrypted reasoning");
      return thinking.trim() === "" ? [] : [{ type: "thinking", thinking, signature: "" }];
    }
    case "function_call": {
      const name = item.namespace ? `${item.namespace}-${item.name ?? ""}` : (item.name ?? "");
      return [callOf(id, name, item.arguments)];
    }
    case "custom_tool_call":
      return [callOf(id, item.name ?? "", { input: item.input })];
    case "local_shell_call":
      return [callOf(id, "local_shell", item.action)];
    case "tool_search_call":
      return [callOf(id, "tool_search", item.arguments)];
    case "web_search_call":
    case "image_generation_call": {
      skipped.add(`${item.type}, kept as a line of text`);
      const text = `[${item.type} ${takeStart(jsonText(item.action ?? null), 500)}]`;
      return [{ type: "text", text: text.toWellFormed() }];
    }
    default:
      return null;
  }
}

const textsOf = (content: unknown, skipped: Skipped): AssistantBlock[] =>
  contentBlocks(content, skipped).flatMap((block) => (block.type === "text" ? [block] : []));

export const isOutput = ({ type }: Item): boolean =>
  type === "function_call_output" ||
  type === "custom_tool_call_output" ||
  type === "tool_search_output";

/** The output of a call: text, a list of blocks, or an object in old files. */
export function outputOf(item: Item): { content: unknown; isError: boolean } {
  const { output } = item;
  if (item.type === "tool_search_output") return { content: jsonText(item.tools), isError: false };
  if (!isRecord(output)) return { content: output ?? "", isError: textsIn(output).some(isFailure) };
  const content = output["content_items"] ?? output["content"] ?? jsonText(output);
  return { content, isError: output["success"] === false };
}

const textsIn = (output: unknown): string[] =>
  (Array.isArray(output) ? output : [output]).flatMap((one: unknown) => {
    const text: unknown = isRecord(one) ? one["text"] : one;
    return typeof text === "string" ? [text] : [];
  });

/** Codex writes how a command ended before its output, or as a field of JSON. */
function isFailure(text: string): boolean {
  const [head = ""] = text.slice(0, 500).split(/^Output:/m, 1);
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(head)?.[1];
  if (code !== undefined) return code !== "0";
  const json = text.startsWith("{") ? parseJson(text) : null;
  if (!isRecord(json)) return false;
  const meta = json["metadata"];
  const exit = json["exit_code"] ?? (isRecord(meta) ? meta["exit_code"] : undefined);
  if (typeof exit === "number") return exit !== 0;
  return (
    typeof json["output"] === "string" &&
    /^Exit code: (?!0$)/m.test(json["output"].split("\n", 1)[0] ?? "")
  );
}

/** Codex includes tokens of the cache in the input. */
export function usageOf(usage: unknown): Usage {
  const cacheRead = countOf(usage, "cached_input_tokens");
  const cacheWrite = countOf(usage, "cache_write_input_tokens");
  const input = Math.max(0, countOf(usage, "input_tokens") - cacheRead - cacheWrite);
  return { input, cacheRead, cacheWrite, output: countOf(usage, "output_tokens") };
}
