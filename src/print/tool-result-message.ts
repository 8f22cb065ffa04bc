import { textOf } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";

/** The result of a tool call as a message of the user, as the model gets it. */
export function toolResultMessage({ toolUse, tool, content, isError }: EntryOf<"result">): {
  [key: string]: unknown;
} {
  const text = textOf(content);
  const isText = content.every((block) => block.type === "text");
  const result = {
    tool_use_id: toolUse,
    type: "tool_result",
    content: isText ? text : content,
    ...(isError ? { is_error: true } : {}),
  };
  return {
    type: "user",
    message: { role: "user", content: [result] },
    tool_use_result: isError ? `Error: ${text}` : outputOf(tool, text),
  };
}

const outputOf = (tool: string, text: string): unknown =>
  tool === "Bash" ? { stdout: text, stderr: "", interrupted: false, isImage: false } : text;
