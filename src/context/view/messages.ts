/** The messages of all rows: roles alternate, and every call is followed by its result. */

import type { Block, ToolResultBlock } from "../../protocol/block.ts";
import type { Message } from "../../protocol/model.ts";
import type { MessagePart } from "./blocks.ts";

/** Where the parts of messages come from. */
type PartTable = { readonly rows: readonly unknown[]; buildPart(row: number): MessagePart | null };

/** The messages of all rows, built once, and again when one of their rows has changed. */
export class MessageList {
  readonly #table: PartTable;
  #builder = new MessageBuilder();
  /** Rows that the builder has. */
  #built = 0;

  constructor(table: PartTable) {
    this.#table = table;
  }

  all(): readonly Message[] {
    const { rows } = this.#table;
    this.#add(this.#builder, this.#built, rows.length);
    this.#built = rows.length;
    return this.#builder.finished();
  }

  /** The messages of the rows up to and including `row`. */
  upTo(row: number): readonly Message[] {
    const builder = new MessageBuilder();
    this.#add(builder, 0, row + 1);
    return builder.finished();
  }

  #add(builder: MessageBuilder, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      const part = this.#table.buildPart(row);
      if (part) builder.add(part);
    }
  }

  /** The rows from `first` on have changed. */
  changed(first: number): void {
    if (first >= this.#built) return;
    this.#builder = new MessageBuilder();
    this.#built = 0;
  }
}

/** The result sent for a call whose turn was cut off before it finished. */
const unanswered = "Interrupted before it finished; there is no result.";

/** First user message when the start of the conversation is lost, as in a damaged import. */
const opening = "(The conversation continues from here.)";

/**
 * Joins parts into messages that the API accepts: roles alternate, and every call is followed by its
 * result, in the order of the calls and before any other content. A call whose id was used before
 * gets another. Messages before the latest answer never change, and messages that were handed out are
 * copied before they grow.
 */
class MessageBuilder {
  messages: Message[] = [];
  /** `messages` was handed out, so the next change goes into a copy. */
  #lent = false;
  /** Ids of calls, and how often each was used. */
  readonly #used = new Map<string, number>();
  /** Calls of the last answer, in order: the ids that they came with, and those that are sent. */
  #calls = new Map<string, string>();
  /** Calls without a result, by the ids that are sent. */
  #open = new Set<string>();

  add({ role, blocks }: MessagePart): void {
    if (this.#lent) this.#copy();
    if (role === "assistant") return this.#answer(blocks);
    for (const block of blocks) {
      if (block.type === "compaction") this.#putFirst(block);
      else if (block.type === "tool_result") this.#answerCall(block);
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

  /** Copies what may still change: the list and its last message. */
  #copy(): void {
    this.#lent = false;
    const last = this.messages.at(-1);
    this.messages = this.messages.slice(0, -1);
    if (last) this.messages.push({ role: last.role, content: [...last.content] });
  }

  /** The server requires its own summary to come first. */
  #putFirst(block: Block): void {
    const [first, ...rest] = this.messages;
    if (first?.role === "assistant")
      this.messages = [{ role: "assistant", content: [block, ...first.content] }, ...rest];
    else this.messages.unshift({ role: "assistant", content: [block] });
  }

  #answer(blocks: readonly Block[]): void {
    if (this.messages.length === 0)
      this.#last("user").content.push({ type: "text", text: opening });
    this.#closeCalls();
    this.#calls = new Map();
    const once = blocks.flatMap((block): Block[] => {
      if (block.type !== "tool_use") return [block];
      if (this.#calls.has(block.id)) return [];
      const id = this.#unique(block.id);
      this.#calls.set(block.id, id);
      return [id === block.id ? block : { ...block, id }];
    });
    this.#last("assistant").content.push(...once);
    this.#open = new Set(this.#calls.values());
  }

  #unique(id: string): string {
    const times = (this.#used.get(id) ?? 0) + 1;
    this.#used.set(id, times);
    return times === 1 ? id : this.#unique(`${id}_${times}`);
  }

  #answerCall(block: ToolResultBlock): void {
    const { tool_use_id: given } = block;
    const id = this.#calls.get(given) ?? given;
    this.#result(id === given ? block : { ...block, tool_use_id: id });
  }

  /** Ignores a result whose call is missing or already answered. `block` has the id that is sent. */
  #result(block: ToolResultBlock): void {
    if (!this.#open.delete(block.tool_use_id)) return;
    const { content } = this.#last("user");
    const ids = [...this.#calls.values()];
    const rank = ids.indexOf(block.tool_use_id);
    const later = content.findIndex(
      (other) => other.type !== "tool_result" || ids.indexOf(other.tool_use_id) > rank,
    );
    content.splice(later === -1 ? content.length : later, 0, block);
  }

  #closeCalls(): void {
    for (const id of this.#open) {
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
