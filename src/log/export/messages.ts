import type { Block, ToolUseBlock } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";

type ExportedMessage = { role: "user" | "assistant"; content: Block[] };

/**
 * Exports a path as messages of the Anthropic Messages API, including everything compacted since.
 * Unanswered calls get an error result, because the API requires one.
 */
export function messagesOf(path: readonly Entry[]): ExportedMessage[] {
  const messages: ExportedMessage[] = [];
  let open: ToolUseBlock[] = [];
  const add = (role: ExportedMessage["role"], content: readonly Block[]): void => {
    if (content.length === 0) return;
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  };
  const answerOpen = (): void => {
    for (const { id } of open) {
      const content = [{ type: "text" as const, text: "[The log has no result.]" }];
      add("user", [{ type: "tool_result", tool_use_id: id, content, is_error: true }]);
    }
    open = [];
  };
  for (const entry of path) {
    if (entry.type === "assistant") {
      answerOpen();
      add("assistant", entry.content);
      open = entry.content.filter((block) => block.type === "tool_use");
    } else if (entry.type === "result") {
      if (!open.some(({ id }) => id === entry.toolUse)) continue;
      open = open.filter(({ id }) => id !== entry.toolUse);
      const { content, isError } = entry;
      add("user", [
        {
          type: "tool_result",
          tool_use_id: entry.toolUse,
          content,
          ...(isError ? { is_error: true } : {}),
        },
      ]);
    } else if (entry.type === "user" || entry.type === "context") {
      answerOpen();
      add("user", entry.content);
    }
  }
  answerOpen();
  return messages;
}

/** The same, one message per line. */
export const exportJsonl = (path: readonly Entry[]): string =>
  messagesOf(path)
    .map((message) => `${JSON.stringify(message)}\n`)
    .join("");
