import type { Block, ToolResultBlock } from "../protocol/block.ts";
import type { Message } from "../protocol/model.ts";
import type { MessagePart } from "./blocks.ts";

/** The result sent for a call whose turn was cut off before it finished. */
const unanswered = "Interrupted before it finished; there is no result.";

/** First user message when the start of the conversation is lost, as in a damaged import. */
const opening = "(The conversation continues from here.)";

/**
 * Joins parts into messages that the API accepts: roles alternate, and every call is followed by its
 * result, in the order of the calls and before any other content. Messages before the latest answer
 * never change, and messages that were handed out are copied before they grow.
 */
export class MessageBuilder {
  messages: Message[] = [];
  /** `messages` was handed out, so the next change goes into a copy. */
  #lent = false;
  /** Calls of the last answer, in order, and those without a result. */
  #calls: string[] = [];
  #open = new Set<string>();

  add({ role, blocks }: MessagePart): void {
    if (this.#lent) this.#copy();
    const isServerSummary = blocks[0]?.type === "compaction";
    if (role === "assistant" && !isServerSummary) return this.#answer(blocks);
    for (const block of blocks) {
      if (block.type === "compaction") this.#putFirst(block);
      else if (block.type === "tool_result") this.#result(block);
      else this.#last("user").content.push(block);
    }
  }

  /** The messages, with a placeholder result for every call that has none yet. */
  finished(): readonly Message[] {
    if (this.#open.size === 0) {
      this.#lent = true;
      return this.messages;
    }
    const copy = new MessageBuilder();
    copy.messages = this.messages;
    copy.#copy();
    copy.#calls = this.#calls;
    copy.#open = new Set(this.#open);
    copy.#closeCalls();
    return copy.messages;
  }

  /** Copies what may still change: the list, its last message, and its first. */
  #copy(): void {
    this.#lent = false;
    this.messages = [...this.messages];
    for (const index of new Set([0, this.messages.length - 1])) {
      const message = this.messages[index];
      if (message) this.messages[index] = { role: message.role, content: [...message.content] };
    }
  }

  /** The server requires its own summary to come first. */
  #putFirst(block: Block): void {
    const first = this.messages[0];
    if (first?.role === "assistant") first.content.unshift(block);
    else this.messages.unshift({ role: "assistant", content: [block] });
  }

  #answer(blocks: readonly Block[]): void {
    if (this.messages.length === 0)
      this.#last("user").content.push({ type: "text", text: opening });
    this.#closeCalls();
    const ids = new Set<string>();
    const once = blocks.filter((block) => {
      if (block.type !== "tool_use") return true;
      const known = ids.has(block.id);
      ids.add(block.id);
      return !known;
    });
    this.#last("assistant").content.push(...once);
    this.#calls = [...ids];
    this.#open = ids;
  }

  /** Ignores a result whose call is missing or already answered. */
  #result(block: ToolResultBlock): void {
    if (!this.#open.delete(block.tool_use_id)) return;
    const { content } = this.#last("user");
    const rank = this.#calls.indexOf(block.tool_use_id);
    const later = content.findIndex(
      (other) => other.type !== "tool_result" || this.#calls.indexOf(other.tool_use_id) > rank,
    );
    content.splice(later === -1 ? content.length : later, 0, block);
  }

  #closeCalls(): void {
    for (const id of this.#calls.filter((one) => this.#open.has(one))) {
      this.#result({
        type: "tool_result",
        tool_use_id: id,
        content: [{ type: "text", text: unanswered }],
        is_error: true,
      });
    }
  }

  #last(role: Message["role"]): Message {
    const last = this.messages.at(-1);
    if (last?.role === role) return last;
    const message: Message = { role, content: [] };
    this.messages.push(message);
    return message;
  }
}
