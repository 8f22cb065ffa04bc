/** Requests for states that a session rarely reaches. */

import type { Block, ToolInput } from "../../../src/protocol/block.ts";
import type { Message, ModelRequest } from "../../../src/protocol/model.ts";

export const user = (...texts: string[]): Message => ({
  role: "user",
  content: texts.map((text): Block => ({ type: "text", text })),
});

export const asked = (text: string, id: string, name: string, input: ToolInput): Message => ({
  role: "assistant",
  content: [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    { type: "tool_use", id, name, input },
  ],
});

export const gave = (id: string, text: string, failed = false): Message => ({
  role: "user",
  content: [
    {
      type: "tool_result",
      tool_use_id: id,
      content: [{ type: "text", text }],
      ...(failed ? { is_error: true as const } : {}),
    },
  ],
});

export const makeRequest = (
  messages: Message[],
  more: Partial<ModelRequest> = {},
): ModelRequest => ({
  model: "offline",
  system: [],
  tools: ["Bash", "Read", "Edit", "Glob", "Grep"].map((name) => ({
    name,
    description: "",
    input_schema: { type: "object" },
  })),
  messages,
  maxTokens: 1_000,
  thinking: "off",
  dropStaleThinking: false,
  purpose: "turn",
  ...more,
});
