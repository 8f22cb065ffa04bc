/** The view's messages as the sequence of blocks that the cache sees. Only changes are recomputed. */

import type { Block } from "../../src/protocol/block.ts";
import type { CharsPerToken, Message } from "../../src/protocol/model.ts";
import type { Line } from "./cache-model.ts";

type Size = { tokens: number; key: number };

/** An image, in characters of its tokens. */
const imageChars = 4_800;

export class PrefixBuilder implements Line {
  readonly prefix: number[] = [];
  readonly tokens: number[] = [];
  /** Index of the last block of each message. */
  readonly ends: number[] = [];
  readonly #charsPerToken: CharsPerToken;
  readonly #counted: ReadonlyMap<number, number>;
  readonly #sizes = new WeakMap<object, Size>();
  #messages: Message[] = [];

  /**
   * `headTokens`: tokens of the system prompt and tools, which come before all messages. `counted`:
   * known tokens of blocks, by key.
   */
  constructor(
    headTokens: number,
    charsPerToken: CharsPerToken,
    counted: ReadonlyMap<number, number> = new Map(),
  ) {
    this.#charsPerToken = charsPerToken;
    this.#counted = counted;
    this.prefix.push(1);
    this.tokens.push(headTokens);
  }

  get totalTokens(): number {
    return this.tokens.at(-1) ?? 0;
  }

  /** Follows the messages of the next request. Block 0 is the head. */
  update(messages: readonly Message[]): void {
    let same = 0;
    while (same < this.#messages.length && this.#messages[same] === messages[same]) same++;
    // The last message still grows while results arrive.
    same = Math.max(0, Math.min(same, this.#messages.length - 1));
    this.#messages.length = same;
    this.ends.length = same;
    const from = (this.ends[same - 1] ?? 0) + 1;
    this.prefix.length = from;
    this.tokens.length = from;
    for (const message of messages.slice(same)) {
      for (const block of message.content) this.#add(block, message.role);
      this.ends.push(this.prefix.length - 1);
      this.#messages.push(message);
    }
  }

  #add(block: Block, role: Message["role"]): void {
    const { tokens, key } = this.#sizeOf(block);
    const before = this.prefix.at(-1) ?? 1;
    this.prefix.push(mix(before, role === "user" ? key : key + 1));
    this.tokens.push((this.tokens.at(-1) ?? 0) + tokens);
  }

  #sizeOf(block: Block): Size {
    // A result's block is created again with the messages, but its content stays the same object.
    const [part] = block.type === "tool_result" ? block.content : [];
    const owner = part ?? block;
    const known = this.#sizes.get(owner);
    if (known) return known;
    const key = hashBlock(block);
    const size = {
      tokens: this.#counted.get(key) ?? countChars(block) / this.#charsPerToken[classify(block)],
      key,
    };
    this.#sizes.set(owner, size);
    return size;
  }
}

/** Equal for equal blocks. */
export const hashBlock = (block: Block): number => Bun.hash.xxHash32(JSON.stringify(block));

function classify({ type }: Block): keyof CharsPerToken {
  if (type === "tool_result") return "result";
  return type === "tool_use" ? "code" : "prose";
}

/** Characters that a block is billed for. */
export function countChars(block: Block): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "image":
      return imageChars;
    case "thinking":
      return block.thinking.length;
    case "redacted_thinking":
      return block.data.length;
    case "tool_use":
      return block.name.length + JSON.stringify(block.input).length;
    case "tool_result":
      return block.content.reduce((sum, part) => sum + countChars(part), 0);
    case "compaction":
      return block.content?.length ?? 0;
    default:
      return block satisfies never;
  }
}

/** A 52-bit hash of the prefix and the next block. */
function mix(before: number, key: number): number {
  const low = Math.imul((before >>> 0) ^ key, 0x9e3779b1) >>> 0;
  const high = Math.imul((Math.floor(before / 0x100000000) ^ (key >>> 7)) + low, 0x85ebca6b) >>> 0;
  return (high & 0xfffff) * 0x100000000 + ((low ^ (low >>> 15)) >>> 0);
}
