import type { Block, ResultBlock, ToolUseBlock } from "../../protocol/block.ts";
import type { Entry } from "../../protocol/entry.ts";

type ExportedMessage = { role: "user" | "assistant"; content: Block[] };

/**
 * Messages of the Anthropic Messages API, from entries in their order, including everything compacted
 * since. Unanswered calls get an error result, because the API requires one.
 */
class MessageBuilder {
  #complete: ExportedMessage[] = [];
  #last: ExportedMessage | null = null;
  /** Calls of the latest answer that have no result yet. */
  #open: ToolUseBlock[] = [];

  /** Takes the next entry, and returns the messages that are complete now. */
  take(entry: Entry): ExportedMessage[] {
    if (entry.type === "assistant") {
      this.#answerOpen();
      this.#add("assistant", entry.content);
      this.#open = entry.content.filter((block) => block.type === "tool_use");
    } else if (entry.type === "result") {
      if (!this.#open.some(({ id }) => id === entry.toolUse)) return [];
      this.#open = this.#open.filter(({ id }) => id !== entry.toolUse);
      this.#answer(entry.toolUse, entry.content, entry.isError);
    } else if (entry.type === "user" || entry.type === "context") {
      this.#answerOpen();
      this.#add("user", entry.content);
    }
    return this.#complete.splice(0);
  }

  /** Returns the rest. */
  end(): ExportedMessage[] {
    this.#answerOpen();
    return [...this.#complete, ...(this.#last ? [this.#last] : [])];
  }

  #add(role: ExportedMessage["role"], content: readonly Block[]): void {
    if (content.length === 0) return;
    if (this.#last?.role === role) return void this.#last.content.push(...content);
    if (this.#last) this.#complete.push(this.#last);
    this.#last = { role, content: [...content] };
  }

  #answer(id: string, content: ResultBlock[], isError = false): void {
    const error: { is_error?: true } = isError ? { is_error: true } : {};
    this.#add("user", [{ type: "tool_result", tool_use_id: id, content, ...error }]);
  }

  #answerOpen(): void {
    for (const { id } of this.#open)
      this.#answer(id, [{ type: "text", text: "[The log has no result.]" }], true);
    this.#open = [];
  }
}

/** The messages of a path, one per line, entry by entry. */
export function* exportJsonl(path: readonly Entry[]): Generator<string, void> {
  const builder = new MessageBuilder();
  for (const entry of path) yield toLines(builder.take(entry));
  yield toLines(builder.end());
}

const toLines = (messages: readonly ExportedMessage[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join("");
