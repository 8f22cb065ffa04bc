/** What the API refuses and caches, as the strict fake knows it: for requests that go to no server. */

import { checkConversation } from "../fake-api/conversation.ts";
import { OpenTurns } from "../fake-api/open-turn.ts";
import { listPieces } from "../fake-api/pieces.ts";
import { PromptCache } from "../fake-api/prompt-cache.ts";
import type { ApiRequest } from "../fake-api/schema.ts";
import { Seals, type Standing } from "../fake-api/seals.ts";
import { isThinking, type AssistantBlock, type Block } from "../../src/protocol/block.ts";
import type { Marked, Message, ModelRequest } from "../../src/protocol/model.ts";

const toApi = ({ model, system, tools, messages, maxTokens }: ModelRequest): ApiRequest => ({
  model,
  system,
  tools,
  messages,
  max_tokens: maxTokens,
});

const refusal = (check: () => void): string[] => {
  try {
    check();
    return [];
  } catch (error) {
    return [String(error)];
  }
};

/** Why the messages are refused; empty: they are not. */
export const brokenRules = (messages: readonly Message[]): string[] => [
  ...refusal(() => checkConversation({ model: "m", max_tokens: 1, messages: [...messages] })),
  ...messages.flatMap(({ content }, index) => {
    const isEmpty = content.some((one) => one.type === "tool_result" && one.content.length === 0);
    return [
      ...(content.every(isThinking) ? [`${index}: only thinking`] : []),
      ...(isEmpty ? [`${index}: empty result`] : []),
    ];
  }),
];

/** The position of each block in a request, and its content without cache marks. */
export const flat = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ role, content }) => content.map((block) => `${role} ${plain(block)}`));

const plain = (block: Marked<Block>): string =>
  JSON.stringify({ ...block, cache_control: undefined });

/** The tokens of a request, and those of them that are read from the cache. */
export class Cache {
  readonly #cache = new PromptCache(() => 0);

  take(request: ModelRequest): { read: number; sent: number } {
    const api = toApi(request);
    const billed = this.#cache.bill(api, listPieces(api), 0);
    const read = billed.cache_read_input_tokens;
    return { read, sent: read + billed.input_tokens + billed.cache_creation_input_tokens };
  }
}

/** A server that binds thinking to its context, and refuses what was changed since. */
export class ThinkingServer {
  readonly #seals = new Seals();
  readonly #turns = new OpenTurns();
  /** The model that made a call. */
  readonly #callers = new Map<string, string>();
  /** Thinking that was dropped, over all requests. */
  dropped = 0;

  /** The rules that a request breaks, and the answer to it with signed thinking. */
  take(
    request: ModelRequest,
    answer: readonly AssistantBlock[],
  ): { broken: string[]; answer: AssistantBlock[] } {
    const { broken, standing } = this.#check(request);
    let { previous } = standing;
    const signed = answer.map((block) => {
      if (block.type === "tool_use") this.#callers.set(block.id, request.model);
      if (block.type !== "thinking") return block;
      const place = { ...standing, previous };
      const { seal: signature, id } = this.#seals.sign(block.thinking, request.model, place);
      previous = id;
      return { ...block, signature };
    });
    this.#turns.remember(signed);
    return { broken, answer: signed };
  }

  /** Summarizes the request; what follows the summary keeps its position. */
  compact(request: ModelRequest) {
    const { broken, standing } = this.#check(request);
    const content = "What happened before.";
    const signature = this.#seals.sign(content, request.model, standing).seal;
    const type = "compaction" as const;
    return { broken, block: { type, content, encrypted_content: null, signature } };
  }

  #check(request: ModelRequest) {
    const { model, messages, dropStaleThinking } = request;
    let standing: Standing = { prefix: 1n, previous: null };
    const broken = refusal(() => {
      const mismatch = dropStaleThinking ? "drop" : "error";
      const checked = this.#seals.check(listPieces(toApi(request)), model, mismatch);
      ({ standing } = checked);
      const { length } = checked.transformations;
      if (length > 0 && !dropStaleThinking) throw new Error("thinking of another model");
      this.dropped += length;
      // Thinking that another model did not see is not missing when the first model continues.
      const start = messages.findLastIndex(
        ({ role, content }) =>
          role === "user" && content.every(({ type }) => type !== "tool_result"),
      );
      const calls = messages.slice(start + 1).flatMap(({ content }) => content);
      const isOther = (block: Block): boolean =>
        block.type === "tool_use" && this.#callers.get(block.id) !== model;
      if (!calls.some(isOther)) this.#turns.check(messages);
    });
    return { broken, standing };
  }
}
