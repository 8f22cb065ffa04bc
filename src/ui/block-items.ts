/**
 * Items for the blocks of an answer. Their content is read from the entry, which is on disk if it
 * is old.
 */

import type { ToolUseBlock } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";

type Answer = EntryOf<"assistant">;

const keyOf = ({ id }: Answer, index: number): string => `${id}.${index}`;

/** `index`: the block's position in the entry's content. */
export class SaidItem {
  readonly entry: Answer;
  readonly kind: "text" | "thinking";
  readonly index: number;

  constructor(entry: Answer, index: number, kind: SaidItem["kind"]) {
    this.entry = entry;
    this.index = index;
    this.kind = kind;
  }

  get key(): string {
    return keyOf(this.entry, this.index);
  }

  get text(): string {
    const block = this.entry.content[this.index];
    if (block?.type === "text") return block.text;
    return block?.type === "thinking" ? block.thinking : "";
  }
}

export class CallItem {
  readonly entry: Answer;
  readonly kind = "tool";
  readonly index: number;
  /** Index of the first call that may share a row with this one; its own index if there is none. */
  readonly groupStart: number;
  /** Set as soon as the result arrives. */
  readonly result: EntryOf<"result"> | null;
  /**
   * When a wait for permission ended (ISO 8601); null: the call started with the answer, whose time
   * is on disk.
   */
  readonly waited: string | null;

  constructor(
    entry: Answer,
    index: number,
    groupStart: number,
    result: CallItem["result"] = null,
    waited: string | null = null,
  ) {
    this.entry = entry;
    this.index = index;
    this.groupStart = groupStart;
    this.result = result;
    this.waited = waited;
  }

  get key(): string {
    return keyOf(this.entry, this.index);
  }

  /** When it started to run (ISO 8601), after any wait for permission. */
  get startedAt(): string {
    return this.waited ?? this.entry.at;
  }

  get call(): ToolUseBlock {
    const block = this.entry.content[this.index];
    return block?.type === "tool_use" ? block : none;
  }

  withResult(result: EntryOf<"result">, startedAt: string): CallItem {
    const waited = startedAt === this.entry.at ? null : startedAt;
    return new CallItem(this.entry, this.index, this.groupStart, result, waited);
  }
}

const none: ToolUseBlock = { type: "tool_use", id: "", name: "", input: {} };
