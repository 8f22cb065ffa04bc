/** A tool call as an editor shows it. */

import { resolve } from "node:path";
import type {
  ContentBlock,
  ToolCall,
  ToolCallContent,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk";
import {
  filePathOf,
  subjectOf,
  type ResultBlock,
  type ToolUseBlock,
} from "../../protocol/block.ts";
import { clip } from "../../base/clip.ts";
import type { EntryOf } from "../../protocol/entry.ts";

const kinds: Record<string, ToolKind> = {
  Bash: "execute",
  BashOutput: "execute",
  KillShell: "execute",
  Read: "read",
  Recall: "read",
  Edit: "edit",
  Write: "edit",
  Glob: "search",
  Grep: "search",
  WebFetch: "fetch",
  WebSearch: "fetch",
  Agent: "think",
};

const titleChars = 120;

export function toolCallOf(call: ToolUseBlock, cwd: string): ToolCall {
  const { id, name, input } = call;
  const path = filePathOf(input);
  const line = input["offset"];
  const change = changeOf(call, cwd);
  const location = path === null ? null : { path: resolve(cwd, path) };
  return {
    toolCallId: id,
    title: titleOf(call),
    name,
    kind: kinds[name] ?? "other",
    status: "pending",
    rawInput: input,
    ...(change ? { content: [change] } : {}),
    ...(location
      ? { locations: [typeof line === "number" ? { ...location, line } : location] }
      : {}),
  };
}

function titleOf({ name, input }: ToolUseBlock): string {
  const words = `${name} ${subjectOf(input)?.text ?? ""}`;
  return clip(words.replace(/\s+/g, " ").trim(), titleChars);
}

/** What a call would change in a file. */
function changeOf({ name, input }: ToolUseBlock, cwd: string): ToolCallContent | null {
  const path = filePathOf(input);
  if (path === null) return null;
  const { old_string: oldText, new_string: newText, content } = input;
  if (name === "Edit" && typeof oldText === "string" && typeof newText === "string")
    return { type: "diff", path: resolve(cwd, path), oldText, newText };
  if (name === "Write" && typeof content === "string")
    return { type: "diff", path: resolve(cwd, path), oldText: null, newText: content };
  return null;
}

/** The result of a call. The change of a file stays as it was shown. */
export function toolResultOf({
  toolUse,
  tool,
  content,
  isError,
}: EntryOf<"result">): ToolCallUpdate {
  const showsChange = kinds[tool] === "edit" && !isError;
  return {
    toolCallId: toolUse,
    status: isError ? "failed" : "completed",
    ...(showsChange ? {} : { content: content.map(contentOf) }),
  };
}

/** What an editor shows of a message or a result. */
export function blockOf(block: ResultBlock): ContentBlock {
  if (block.type === "text") return block;
  const { data, media_type: mimeType } = block.source;
  return { type: "image", data, mimeType };
}

export const contentOf = (block: ResultBlock): ToolCallContent => {
  return { type: "content", content: blockOf(block) };
};
