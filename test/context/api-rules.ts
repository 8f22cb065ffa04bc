/** The API's rules as these tests know them, written independently of the code that follows them. */

import type { Block, CompactionBlock } from "../../src/protocol/block.ts";
import type { Marked, Message, ModelRequest } from "../../src/protocol/model.ts";

const isThinking = ({ type }: Block): boolean => type.endsWith("thinking");

/** Every rule that the messages break, in words. */
export function brokenRules(messages: readonly Message[]): string[] {
  const broken: string[] = [];
  const [first] = messages;
  if (first?.role !== "user" && first?.content[0]?.type !== "compaction")
    broken.push("starts with the assistant");
  if (messages.at(-1)?.role !== "user") broken.push("ends with the assistant");
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role === messages[index - 1]?.role) broken.push(`${index}: same role twice`);
    if (content.length === 0) broken.push(`${index}: empty message`);
    if (role === "assistant" && content.every(isThinking)) broken.push(`${index}: only thinking`);
    for (const block of content) {
      const texts = block.type === "tool_result" ? block.content : [block];
      if (texts.some((one) => one.type === "text" && one.text.trim() === ""))
        broken.push(`${index}: empty text`);
      if (block.type === "tool_result" && block.content.length === 0)
        broken.push(`${index}: empty result`);
    }
    const results = content.flatMap((one) => (one.type === "tool_result" ? [one.tool_use_id] : []));
    const heading = content.slice(0, results.length).every(({ type }) => type === "tool_result");
    if (JSON.stringify(results) !== JSON.stringify(open))
      broken.push(`${index}: calls ${open}, results ${results}`);
    if (!heading) broken.push(`${index}: words before results`);
    open = content.flatMap((one) => (one.type === "tool_use" ? [one.id] : []));
    if (role === "user" && open.length > 0) broken.push(`${index}: the user calls a tool`);
  }
  if (open.length > 0) broken.push(`calls without results: ${open}`);
  return broken;
}

/** The position of each block in a request, and its content without cache marks. */
export const flat = (messages: readonly Message[]): string[] =>
  messages.flatMap(({ role, content }) => content.map((block) => `${role} ${plain(block)}`));

const plain = (block: Marked<Block>): string =>
  JSON.stringify({ ...block, cache_control: undefined });

const digest = (...parts: string[]): string => Bun.hash(parts.join("\n")).toString(36);

const readSignature = (block: Block): string | null =>
  block.type === "thinking" ? block.signature : null;

type Bond = { model: string; prefix: string; thoughtBefore: string[] };

/** A server that binds thinking to its context and refuses what the API refuses. */
export class ThinkingServer {
  readonly #bonds = new Map<string, Bond>();
  /** The thinking of the answer that contains a call. */
  readonly #ofCall = new Map<string, { model: string; signatures: string[] }>();
  /** The position of the conversation at each of the server's own summaries, by its signature. */
  readonly #summaries = new Map<string, { said: string; thought: string[] }>();
  /** Thinking that was dropped, over all requests. */
  dropped = 0;

  /** Records a request and its answer; returns the rules that the request breaks. */
  take(request: ModelRequest, answer: readonly Block[]): string[] {
    const broken = this.#latestTurn(request);
    const { said, thought } = this.#read(request, broken);
    const signatures = answer.flatMap((block) => readSignature(block) ?? []);
    for (const [index, signature] of signatures.entries()) {
      const thoughtBefore = [...thought, ...signatures.slice(0, index)];
      this.#bonds.set(signature, { model: request.model, prefix: said, thoughtBefore });
    }
    for (const block of answer)
      if (block.type === "tool_use")
        this.#ofCall.set(block.id, { model: request.model, signatures });
    return broken;
  }

  /** Summarizes the request; what follows the summary keeps its position. */
  compact(request: ModelRequest): { broken: string[]; block: CompactionBlock } {
    const broken = this.#latestTurn(request);
    const signature = `summary-${this.#summaries.size}`;
    this.#summaries.set(signature, this.#read(request, broken));
    const content = "What happened before.";
    return { broken, block: { type: "compaction", content, encrypted_content: null, signature } };
  }

  #read(request: ModelRequest, broken: string[]): { said: string; thought: string[] } {
    let said = "";
    let thought: string[] = [];
    for (const { role, content } of request.messages) {
      for (const [at, block] of content.entries()) {
        // Text at the end of a message is bound there, not as a separate message.
        if (at === 0 && role === "user") said = digest(said, "message");
        if (block.type === "compaction") {
          const stood = this.#summaries.get(block.signature ?? "");
          if (!stood) broken.push(`${block.signature} was never given`);
          said = stood?.said ?? "";
          thought = [...(stood?.thought ?? [])];
          continue;
        }
        const signature = readSignature(block);
        if (signature === null) {
          said = digest(said, role, plain(block));
          continue;
        }
        const reason = this.#invalid(signature, request.model, said, thought);
        if (reason === null) thought.push(signature);
        else if (request.dropStaleThinking) this.dropped++;
        else broken.push(reason);
      }
    }
    return { said, thought };
  }

  #invalid(
    signature: string,
    model: string,
    said: string,
    thought: readonly string[],
  ): string | null {
    const bond = this.#bonds.get(signature);
    if (!bond) return `${signature} was never given`;
    if (bond.model !== model) return `${signature} is of another model`;
    if (bond.prefix !== said) return `${signature} is bound to another conversation`;
    const kept = thought.length === 0 ? [] : bond.thoughtBefore.slice(-thought.length);
    return kept.length === thought.length && kept.every((one, at) => one === thought[at])
      ? null
      : `${signature}: thinking was removed from the middle`;
  }

  /** Whether the thinking of the open tool loop is complete. */
  #latestTurn({ messages, model }: ModelRequest): string[] {
    // A summary by the server may be requested after an answer that ended the loop.
    if (messages.at(-1)?.role === "assistant") return [];
    const begun = messages.findLastIndex(
      ({ role, content }) => role === "user" && content.every(({ type }) => type !== "tool_result"),
    );
    const loop = messages.slice(begun + 1);
    const models = loop.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === "tool_use" ? [this.#ofCall.get(block.id)?.model] : [],
      ),
    );
    // Thinking that another model did not see is not missing when the first model continues.
    if (models.some((one) => one !== model)) return [];
    return loop.flatMap(({ content }) => {
      const here = content.flatMap((block) => readSignature(block) ?? []);
      return content.flatMap((block) => {
        const made = block.type === "tool_use" ? this.#ofCall.get(block.id) : undefined;
        if (!made) return [];
        const missing = made.signatures.filter((signature) => !here.includes(signature));
        return missing.map((one) => `${one} of the latest turn is missing`);
      });
    });
  }
}
