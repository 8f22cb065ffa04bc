/** Events of a session as updates for the editor. */

import type {
  ContentBlock,
  PlanEntry,
  SessionUpdate,
  ToolCall,
  ToolCallContent,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk";
import {
  type AssistantBlock,
  type ResultBlock,
  type ToolUseBlock,
  findFilePath,
  findSubject,
} from "../../protocol/block.ts";
import type { Entry, EntryOf } from "../../protocol/entry.ts";
import { stepCall } from "../../protocol/outcome.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { todoTool, parseTodos } from "../../protocol/todo.ts";
import { resolve } from "node:path";
import { clip } from "../../base/clip.ts";

type DeltaEvent = Extract<AgentEvent, { type: "delta" }>;
type ProgressEvent = Extract<AgentEvent, { type: "progress" }>;

/** Turns entries and events into updates; remembers what has been streamed and which calls are open. */
export class Updates {
  readonly #cwd: string;
  readonly #calls = new Map<string, ToolUseBlock>();
  #streamed = "";

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  of(event: AgentEvent): SessionUpdate[] {
    switch (event.type) {
      case "entry":
        // The editor already shows what the user typed.
        return event.entry.type === "user" ? [] : this.replayed(event.entry);
      case "delta":
        return this.#delta(event);
      case "progress":
        return this.#progress(event);
      case "mode":
        return [{ sessionUpdate: "current_mode_update", currentModeId: event.mode }];
      default:
        return [];
    }
  }

  #delta({ kind, text }: DeltaEvent): SessionUpdate[] {
    if (kind === "input") return [];
    this.#streamed += text;
    return [chunk(kind === "text" ? "agent_message_chunk" : "agent_thought_chunk", text)];
  }

  /** The newest output of a running call. */
  #progress({ toolUse, tail }: ProgressEvent): SessionUpdate[] {
    if (!this.#calls.has(toolUse) || tail === "") return [];
    const content = [toCallContent({ type: "text", text: tail })];
    const running = { toolCallId: toolUse, status: "in_progress", content } as const;
    return [{ sessionUpdate: "tool_call_update", ...running }];
  }

  /** An entry of a session that is loaded. */
  replayed(entry: Entry): SessionUpdate[] {
    switch (entry.type) {
      case "user":
        return entry.content.map((block) => ({
          sessionUpdate: "user_message_chunk",
          content: toContentBlock(block),
        }));
      case "assistant": {
        const updates = entry.content.flatMap((block) => this.#answered(block));
        this.#streamed = "";
        return updates;
      }
      case "result":
        return this.#finished(entry);
      case "step":
        return [
          { sessionUpdate: "tool_call", ...toToolCall(stepCall(entry), this.#cwd) },
          { sessionUpdate: "tool_call_update", ...toToolResult(entry) },
        ];
      case "cut": {
        const { tier, reason, price } = entry;
        const text = `Context compacted (${tier}): ${price.usedBefore} to ${price.usedAfter} tokens. ${reason}`;
        return [chunk("agent_thought_chunk", text)];
      }
      default:
        return [];
    }
  }

  #answered(block: AssistantBlock): SessionUpdate[] {
    switch (block.type) {
      case "text":
        return this.#unlessStreamed("agent_message_chunk", block.text);
      case "thinking":
        return this.#unlessStreamed("agent_thought_chunk", block.thinking);
      case "tool_use":
        this.#calls.set(block.id, block);
        return block.name === todoTool
          ? []
          : [{ sessionUpdate: "tool_call", ...toToolCall(block, this.#cwd) }];
      default:
        return [];
    }
  }

  #unlessStreamed(kind: Chunk, text: string): SessionUpdate[] {
    return text === "" || this.#streamed.includes(text) ? [] : [chunk(kind, text)];
  }

  #finished(result: EntryOf<"result">): SessionUpdate[] {
    if (result.tool !== todoTool)
      return [{ sessionUpdate: "tool_call_update", ...toToolResult(result) }];
    const todos = result.isError ? null : parseTodos(this.#calls.get(result.toolUse)?.input);
    const entries = todos?.map((todo): PlanEntry => ({ ...todo, priority: "medium" }));
    return entries ? [{ sessionUpdate: "plan", entries }] : [];
  }
}

type Chunk = "agent_message_chunk" | "agent_thought_chunk";

const chunk = (kind: Chunk, text: string): SessionUpdate => {
  return { sessionUpdate: kind, content: { type: "text", text } };
};

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

export function toToolCall(call: ToolUseBlock, cwd: string): ToolCall {
  const { id, name, input } = call;
  const path = findFilePath(input);
  const line = input["offset"];
  const change = findChange(call, cwd);
  const location = path === null ? null : { path: resolve(cwd, path) };
  return {
    toolCallId: id,
    title: describeCall(call),
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

function describeCall({ name, input }: ToolUseBlock): string {
  const words = `${name} ${findSubject(input)?.text ?? ""}`;
  return clip(words.replace(/\s+/g, " ").trim(), titleChars);
}

/** The change that a call would make to a file. */
function findChange({ name, input }: ToolUseBlock, cwd: string): ToolCallContent | null {
  const path = findFilePath(input);
  if (path === null) return null;
  const { old_string: oldText, new_string: newText, content } = input;
  if (name === "Edit" && typeof oldText === "string" && typeof newText === "string")
    return { type: "diff", path: resolve(cwd, path), oldText, newText };
  if (name === "Write" && typeof content === "string")
    return { type: "diff", path: resolve(cwd, path), oldText: null, newText: content };
  return null;
}

/** The result of a call. The change of a file stays as it was shown. */
function toToolResult({
  toolUse,
  tool,
  content,
  isError,
}: EntryOf<"result" | "step">): ToolCallUpdate {
  const showsChange = kinds[tool] === "edit" && !isError;
  return {
    toolCallId: toolUse,
    status: isError ? "failed" : "completed",
    ...(showsChange ? {} : { content: content.map(toCallContent) }),
  };
}

/** A block of a message or a result, as an editor shows it. */
function toContentBlock(block: ResultBlock): ContentBlock {
  if (block.type === "text") return block;
  const { data, media_type: mimeType } = block.source;
  return { type: "image", data, mimeType };
}

export const toCallContent = (block: ResultBlock): ToolCallContent => {
  return { type: "content", content: toContentBlock(block) };
};
